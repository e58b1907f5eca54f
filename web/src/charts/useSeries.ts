// Loads the data of a chart for its current span and width. A change starts a new request and cancels the previous one.
import { useCallback, useEffect, useState } from 'react';
import { problemOf } from '../wire/rest';
import type { ChartData } from './model';
import type { Range } from './range';

export interface Source {
  /** Identifies the data. Another key is another chart. */
  readonly key: string;
  /** Loads the data. `width` is the number of points that can be distinguished; `isBackground` marks a request by a timer. */
  readonly load: (range: Range, width: number, signal: AbortSignal, isBackground: boolean) => Promise<ChartData>;
}

export interface Series {
  /** The last answer. It remains while a request is running and after one failed. */
  readonly data: ChartData | null;
  readonly isLoading: boolean;
  readonly problem: string;
  readonly retry: () => void;
}

/** How long the span must be unchanged before a request starts, ms. This avoids requests while the user zooms. */
const REST_MS = 150;
/** Widths are rounded up to a multiple of this, so that small changes need no new request. */
const STEP = 100;
const WIDEST = 4_000;

/** Loads the data of a source. While the width is 0 it sends no request. */
export function useSeries(source: Source, range: Range, width: number, isBackground: boolean): Series {
  const { key, load } = source;
  const [held, setHeld] = useState<{ key: string; data: ChartData } | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [problem, setProblem] = useState('');
  const [attempt, setAttempt] = useState(0);
  const [sent, setSent] = useState<{ key: string; range: Range } | null>(null);
  // A span that only follows the clock waits for the running request. It would cancel that request, and a slow answer would never arrive.
  const { from, to } = isBackground && isLoading && sent?.key === key ? sent.range : range;
  const points = Math.min(Math.ceil(width / STEP) * STEP, WIDEST);
  const isFirst = held?.key !== key;
  useEffect(() => {
    if (points === 0) return;
    const stop = new AbortController();
    setLoading(true);
    setSent({ key, range: { from, to } });
    const timer = setTimeout(
      () => {
        load({ from, to }, points, stop.signal, isBackground).then(
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
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key identifies the data; a renewed token needs no new request
  }, [key, from, to, points, attempt]);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  return { data: isFirst ? null : (held?.data ?? null), isLoading, problem, retry };
}
