// The colours of charts: the theme's on the screen, dark on white in files and print.
import { useSyncExternalStore } from 'react';
import type { Phase } from './model';

/** All colours are #rrggbb. */
export interface Palette {
  readonly ground: string;
  readonly text: string;
  readonly quiet: string;
  readonly grid: string;
  readonly cursor: string;
  readonly doubt: string;
  /** Of gauges beyond their limit; of nothing else. */
  readonly alarm: string;
  readonly phase: Readonly<Record<Phase, string>>;
  /** For columns that are no phase. */
  readonly plain: readonly string[];
  /** Five steps from good to bad, told apart by lightness alone. */
  readonly bands: readonly string[];
  /** What a person has chosen. */
  readonly chosen: string;
}

/** Of files and print. The phases are the specification's (2, section 2.7); its yellow cannot be seen on white, so there it is darker. */
export const PRINT: Palette = {
  ground: '#ffffff',
  text: '#15191d',
  quiet: '#4d5863',
  grid: '#d9dfe4',
  cursor: '#5c6873',
  doubt: '#9a6700',
  alarm: '#c62828',
  phase: { R: '#da532c', Y: '#b8a800', B: '#2d89ef' },
  plain: ['#1f6fb8', '#7e4f8f', '#1d7f97', '#9a6a00', '#44586a', '#4f7d3c'],
  bands: ['#7a90a6', '#4a76bd', '#474fa6', '#55278a', '#2a0838'],
  chosen: '#c62828',
};

/** With an alpha from 0 to 1. */
export function faint(colour: string, alpha: number): string {
  return (
    colour +
    Math.round(alpha * 255)
      .toString(16)
      .padStart(2, '0')
  );
}

/** Black or white, whichever is read better on a colour (WCAG 2.2, relative luminance). */
export function onColour(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  // At this luminance both have the same contrast.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}

/** The theme's, as chart.css has them. */
function read(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
  return {
    ground: of('--surface-0', PRINT.ground),
    text: of('--text-1', PRINT.text),
    quiet: of('--text-3', PRINT.quiet),
    grid: of('--chart-grid', PRINT.grid),
    cursor: of('--text-3', PRINT.cursor),
    doubt: of('--warn', PRINT.doubt),
    alarm: of('--alarm', PRINT.alarm),
    phase: { R: of('--phase-r', PRINT.phase.R), Y: of('--phase-y', PRINT.phase.Y), B: of('--phase-b', PRINT.phase.B) },
    plain: PRINT.plain.map((colour, index) => of(`--chart-${index + 1}`, colour)),
    bands: PRINT.bands.map((colour, index) => of(`--band-${index + 1}`, colour)),
    chosen: of('--chosen', PRINT.chosen),
  };
}

let held: { theme: string | null; palette: Palette } | null = null;
let isPrinting = false;

function current(): Palette {
  if (isPrinting) return PRINT;
  const theme = document.documentElement.getAttribute('data-theme');
  if (held?.theme !== theme) held = { theme, palette: read() };
  return held.palette;
}

function subscribe(tell: () => void): () => void {
  const observer = new MutationObserver(tell);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const stop = new AbortController();
  for (const event of ['beforeprint', 'afterprint']) {
    window.addEventListener(
      event,
      () => {
        isPrinting = event === 'beforeprint';
        tell();
      },
      { signal: stop.signal },
    );
  }
  return () => {
    observer.disconnect();
    stop.abort();
  };
}

/** The palette of the present theme, or of print while the page is printed; the same object until that changes. */
export function usePalette(): Palette {
  return useSyncExternalStore(subscribe, current);
}
