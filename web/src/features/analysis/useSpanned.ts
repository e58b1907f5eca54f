// A question about the span that a column of charts shows: asked again when that has come to rest, the one before given up.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Range } from '../../charts/range';
import type { Asked } from '../../ui/useAsk';
import type { Asking } from '../../wire/history';
import { problemOf } from '../../wire/rest';

/** So that zooming asks once. */
const REST_MS = 250;

/** The last answer stays while the next is waited for, and after one failed; another `key` begins with nothing. */
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
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  const isFirst = held?.key !== key;
  useEffect(() => {
    const stop = new AbortController();
    setLoading(true);
    const timer = setTimeout(
      () => {
        latest.current({ from: range.from, to: range.to }, { signal: stop.signal, isBackground }).then(
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
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key and the span say what is asked; a renewed token asks nothing anew
  }, [key, range.from, range.to, attempt]);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  return { data: isFirst ? null : (held?.data ?? null), problem, isLoading, retry };
}

type Ask<T> = (span: Range, asking: Asking) => Promise<T>;

/** A question that several ask about the same span at once: it is asked once, and nobody alone gives it up. One that failed is asked anew. */
export function shared<T>(ask: Ask<T>): Ask<T> {
  let held: { readonly key: string; readonly answer: Promise<T> } | null = null;
  return (span, { isBackground = false }) => {
    const key = `${span.from} ${span.to}`;
    if (held?.key === key) return held.answer;
    const answer = ask(span, { isBackground });
    const own = { key, answer };
    held = own;
    answer.catch(() => {
      if (held === own) held = null;
    });
    return answer;
  };
}
