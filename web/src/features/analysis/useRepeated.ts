// A question that a screen asks when it opens and again while it is looked at.
import { useEffect, useRef } from 'react';
import { useAsk, type Asked } from '../../ui/useAsk';
import type { Asking } from '../../wire/history';

/** Figures of quarters of an hour and of days; so often they are asked for again. */
const EVERY_MS = 60_000;

/** While the page is hidden nothing is asked. All but the first time a timer asks, which is no sign of a person. */
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
