// The data of a chart for the span and the width that it has now: asked again when these change, the question before given up.
import { useCallback, useEffect, useState } from 'react';
import { problemOf } from '../wire/rest';
import type { ChartData } from './model';
import type { Range } from './range';

export interface Source {
  /** Says what is asked: another key is another chart. */
  readonly key: string;
  /** `width` is how many points can be told apart; with `isBackground` a timer asks. */
  readonly load: (range: Range, width: number, signal: AbortSignal, isBackground: boolean) => Promise<ChartData>;
}

export interface Series {
  /** The last answer, also while the next is waited for and after one failed. */
  readonly data: ChartData | null;
  readonly isLoading: boolean;
  readonly problem: string;
  readonly retry: () => void;
}

/** So that zooming asks once, when it has come to rest. */
const REST_MS = 150;
/** Widths are rounded up to this, so that a few pixels are no new question. */
const STEP = 100;
const WIDEST = 4_000;

/** Asks nothing while the width is 0. */
export function useSeries(source: Source, range: Range, width: number, isBackground: boolean): Series {
  const { key, load } = source;
  const [held, setHeld] = useState<{ key: string; data: ChartData } | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [problem, setProblem] = useState('');
  const [attempt, setAttempt] = useState(0);
  const points = Math.min(Math.ceil(width / STEP) * STEP, WIDEST);
  const isFirst = held?.key !== key;
  useEffect(() => {
    if (points === 0) return;
    const stop = new AbortController();
    setLoading(true);
    const timer = setTimeout(
      () => {
        load({ from: range.from, to: range.to }, points, stop.signal, isBackground).then(
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
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says what is asked; a renewed token asks nothing anew
  }, [key, range.from, range.to, points, attempt]);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  return { data: isFirst ? null : (held?.data ?? null), isLoading, problem, retry };
}
