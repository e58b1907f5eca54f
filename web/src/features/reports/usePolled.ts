// A request that is repeated while the page is visible. Repetitions are marked as sent by a timer, so they do not extend the session.
import { useEffect, useRef } from 'react';
import { useAsk, type Asked } from '../../ui/useAsk';
import type { Asking } from '../../wire/history';

export function usePolled<T>(key: string, ask: (asking: Asking) => Promise<T>, everyMs: number): Asked<T> {
  const isTimer = useRef(false);
  // The timer sends no request while one is running. A new request would cancel it, so a slow answer would never arrive.
  const underWay = useRef(0);
  const asked = useAsk<T>(key, async () => {
    const isBackground = isTimer.current;
    isTimer.current = false;
    underWay.current += 1;
    try {
      return { result: await ask({ isBackground }) };
    } finally {
      underWay.current -= 1;
    }
  });
  const { retry } = asked;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'hidden' || underWay.current > 0) return;
      isTimer.current = true;
      retry();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, retry]);
  return asked;
}
