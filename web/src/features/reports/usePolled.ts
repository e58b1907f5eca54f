// A question that is asked again from time to time while the page is looked at; what a timer asks is no sign of the person.
import { useEffect, useRef } from 'react';
import { useAsk, type Asked } from '../../ui/useAsk';
import type { Asking } from '../../wire/history';

export function usePolled<T>(key: string, ask: (asking: Asking) => Promise<T>, everyMs: number): Asked<T> {
  const isTimer = useRef(false);
  // An answer that takes longer than the time between two would never come: each question gives up the one before it.
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
