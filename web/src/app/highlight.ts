// What the diagram highlights, for the map beside it. One highlight at a time; null for none.

export interface Highlight {
  readonly kind: 'path' | 'feeds';
  readonly text: string;
  readonly locationIds: ReadonlySet<number>;
  readonly assetIds: ReadonlySet<number>;
  readonly onClose: () => void;
}

let current: Highlight | null = null;
const listeners = new Set<() => void>();

export const highlight = {
  current: () => current,
  set: (next: Highlight | null) => {
    if (next === current) return;
    current = next;
    for (const listener of listeners) listener();
  },
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
