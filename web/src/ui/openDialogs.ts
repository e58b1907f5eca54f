// The open modal dialogs. Everything outside of the last one is inert: it can be neither clicked nor read by a screen reader.

let open: readonly symbol[] = [];
const listeners = new Set<() => void>();

function set(now: readonly symbol[]): void {
  open = now;
  for (const listener of listeners) listener();
}

export const openDialogs = {
  /** Adds a dialog. Returns the function that removes it. */
  begin(dialog: symbol): () => void {
    set([...open, dialog]);
    return () => set(open.filter((one) => one !== dialog));
  },
  /** The last opened dialog, or null. */
  last: (): symbol | null => open.at(-1) ?? null,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
