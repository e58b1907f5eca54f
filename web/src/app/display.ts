// Display settings of this browser: the colours of open and closed, and blinking. Shapes show the same states without colour.
import { t } from '../words';

export const STATE_COLOURS = [
  ['red-closed', t('app.closedRedOpenGreen')],
  ['green-closed', t('app.closedGreenOpenRed')],
  ['grey', t('app.greyIsa101ClosedFilled')],
] as const;
export type StateColours = (typeof STATE_COLOURS)[number][0];

interface Display {
  readonly states: StateColours;
  readonly steady: boolean;
}

const STORED = 'switchyard.display';
const listeners = new Set<() => void>();
let current: Display = read();

function read(): Display {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? '{}') as Partial<Display>;
    return { states: STATE_COLOURS.find(([key]) => key === stored.states)?.[0] ?? 'red-closed', steady: stored.steady === true };
  } catch {
    return { states: 'red-closed', steady: false };
  }
}

export const display = {
  current: () => current,
  apply: () => document.documentElement.setAttribute('data-states', current.states),
  change: (part: Partial<Display>) => {
    current = { ...current, ...part };
    localStorage.setItem(STORED, JSON.stringify(current));
    display.apply();
    for (const listener of listeners) listener();
  },
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Whether blinking is off, by this setting or by the system's setting for reduced motion. */
  isSteady: () => current.steady || matchMedia('(prefers-reduced-motion: reduce)').matches,
};
