// The dark or light theme, stored in this browser. Default: dark, for control rooms.

const STORED = 'switchyard.theme';
let current = localStorage.getItem(STORED) === 'light' ? 'light' : 'dark';
const listeners = new Set<() => void>();

export const theme = {
  current: () => current,
  apply: () => document.documentElement.setAttribute('data-theme', current),
  toggle: () => {
    current = current === 'dark' ? 'light' : 'dark';
    localStorage.setItem(STORED, current);
    theme.apply();
    for (const listener of listeners) listener();
  },
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
