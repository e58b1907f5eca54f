// A request for the time span of a column of charts. A new span starts a new request and cancels the previous one.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Range } from '../../charts/range';
import type { Asked } from '../../ui/useAsk';
import type { Asking } from '../../wire/history';
import { problemOf } from '../../wire/rest';

/** How long the span must be unchanged before a request starts, ms. This avoids requests while the user zooms. */
const REST_MS = 250;

/** Loads an answer for a span. The last answer stays during the next request and after a failure; another `key` starts without an answer. */
export function useSpanned<T>(
  key: string,
  range: Range,
  isBackground: boolean,
  ask: (span: Range, asking: Asking) => Promise<T>,
): Omit<Asked<T>, 'put'> & { readonly isLoading: boolean } {
  const [held, setHeld] = useState<{ key: string; data: T } | null>(null);
  const [problem, setProblem] = useState('');
  const [isLoading, setLoading] = useState(true);
  const [attempt, setAttempt] = useState(0);
  const [sent, setSent] = useState<{ key: string; range: Range } | null>(null);
  // A span that only follows the clock waits for the running request. It would cancel that request, and a slow answer would never arrive.
  const { from, to } = isBackground && isLoading && sent?.key === key ? sent.range : range;
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  const isFirst = held?.key !== key;
  useEffect(() => {
    const stop = new AbortController();
    setLoading(true);
    setSent({ key, range: { from, to } });
    const timer = setTimeout(
      () => {
        latest.current({ from, to }, { signal: stop.signal, isBackground, isHeavy: true }).then(
          (data) => {
            if (stop.signal.aborted) return;
            setHeld({ key, data });
            setProblem('');
            setLoading(false);
          },
          (error: unknown) => {
            if (stop.signal.aborted) return;
            setProblem(problemOf(error));
            setLoading(false);
          },
        );
      },
      isFirst ? 0 : REST_MS,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- key and span identify the request; a renewed token needs no new one
  }, [key, from, to, attempt]);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  return { data: isFirst ? null : (held?.data ?? null), problem, isLoading, retry };
}

type Ask<T> = (span: Range, asking: Asking) => Promise<T>;

/** Shares one request between several callers with the same span. A single caller cannot cancel it. A failed request is repeated on the next call. */
export function shared<T>(ask: Ask<T>): Ask<T> {
  let held: { readonly key: string; readonly answer: Promise<T> } | null = null;
  return (span, { isBackground = false }) => {
    const key = `${span.from} ${span.to}`;
    if (held?.key === key) return held.answer;
    const answer = ask(span, { isBackground, isHeavy: true });
    const own = { key, answer };
    held = own;
    answer.catch(() => {
      if (held === own) held = null;
    });
    return answer;
  };
}
