// A request that is sent when a screen opens and repeated while it is visible.
import { useEffect, useRef } from 'react';
import { useAsk, type Asked } from '../../ui/useAsk';
import type { Asking } from '../../wire/history';

/** Default interval, ms, for figures of quarters of an hour and days. */
const EVERY_MS = 60_000;

/** Repeats a request. While the page is hidden none is sent. Repetitions are marked as sent by a timer, so they do not extend the session. */
export function useRepeated<T>(key: string | null, ask: (asking: Asking) => Promise<T>, everyMs: number = EVERY_MS): Asked<T> {
  const before = useRef<string | null>(null);
  const asked = useAsk<T>(key, async () => {
    const isBackground = before.current === key;
    before.current = key;
    return { result: await ask({ isBackground }) };
  });
  const { retry } = asked;
  useEffect(() => {
    if (key === null) return;
    const timer = setInterval(() => {
      if (!document.hidden) retry();
    }, everyMs);
    return () => clearInterval(timer);
  }, [key, retry, everyMs]);
  return asked;
}
