// Repeats a request while the live socket is down: one at a time, and none after the end.

/**
 * Calls `ask` after each interval, and after `firstMs` if that is given. While a call is running none is started. Returns the function that
 * ends the polling; it aborts the signal of a running call.
 */
export function poll(ask: (signal: AbortSignal) => Promise<unknown>, everyMs: number, firstMs?: number): () => void {
  const stop = new AbortController();
  let isRunning = false;
  const once = () => {
    if (isRunning) return;
    isRunning = true;
    void ask(stop.signal).finally(() => (isRunning = false));
  };
  const first = firstMs === undefined ? undefined : setTimeout(once, firstMs);
  const timer = setInterval(once, everyMs);
  return () => {
    stop.abort();
    clearTimeout(first);
    clearInterval(timer);
  };
}
