// The requests that are running now, so that the screen can show a long one and offer to cancel it. Requests of timers are not in it.

export interface Running {
  /** When the request began, in `performance.now()`. */
  readonly since: number;
  readonly cancel: () => void;
}

let all: readonly Running[] = [];
const listeners = new Set<() => void>();

function set(now: readonly Running[]): void {
  all = now;
  for (const listener of listeners) listener();
}

export const running = {
  /** Adds a request. Returns the function that removes it. */
  begin(cancel: () => void): () => void {
    const own: Running = { since: performance.now(), cancel };
    set([...all, own]);
    return () => set(all.filter((one) => one !== own));
  },
  all: (): readonly Running[] => all,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
