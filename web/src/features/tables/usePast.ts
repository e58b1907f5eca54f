// The past of a table: the rows of a period, page by page from its end. The rows stay as they are until another period is opened.
import { useCallback, useEffect, useRef, useState } from 'react';
import { Feed, type Feeding } from '../../live/feed';
import { problemOf, type Asking } from '../../wire/rest';

/** Epoch ms; `to` is not included. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** Whether the period has older rows. */
  readonly hasMore: boolean;
  readonly keptSince?: number | null;
}

/** Loads the rows of a period that are older than a row, newest first; without a row those at its end. */
export type AskPage<T> = (period: Period, before: T | null, asking: Asking) => Promise<Page<T>>;

export interface Past<T> {
  /** Null while the table is live. */
  readonly period: Period | null;
  readonly feed: Feed<T>;
  readonly isLoading: boolean;
  readonly problem: string;
  readonly open: (period: Period) => void;
  /** Loads the next page; after the last one, the period gets longer by its first length. */
  readonly older: () => void;
  readonly close: () => void;
}

interface Opened<T> {
  readonly period: Period;
  readonly feed: Feed<T>;
  /** The part of the period that is being loaded, and the last row of it. */
  readonly part: Period;
  readonly last: T | null;
  readonly hasMore: boolean;
  readonly step: number;
}

export function usePast<T>(feeding: Feeding<T>, ask: AskPage<T>): Past<T> {
  const [empty] = useState(() => new Feed<T>(feeding));
  const [opened, setOpened] = useState<Opened<T> | null>(null);
  const [isLoading, setIsLoading] = useState(false);
  const [problem, setProblem] = useState('');
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const load = useCallback(
    (next: Opened<T>) => {
      running.current?.abort();
      const own = new AbortController();
      running.current = own;
      setOpened(next);
      setIsLoading(true);
      setProblem('');
      ask(next.part, next.last, { signal: own.signal }).then(
        ({ rows, hasMore, keptSince = null }) => {
          if (own.signal.aborted) return;
          const isFirst = next.feed.state !== 'ready';
          if (isFirst) next.feed.replace(rows, undefined, keptSince);
          else next.feed.add(rows);
          if (!isFirst) next.feed.keptSince = keptSince;
          setOpened({ ...next, last: rows.at(-1) ?? next.last, hasMore });
          setIsLoading(false);
        },
        (error: unknown) => {
          if (own.signal.aborted) return;
          if (next.feed.state === 'loading') next.feed.fail(problemOf(error));
          setProblem(problemOf(error));
          setIsLoading(false);
        },
      );
    },
    [ask],
  );
  return {
    period: opened?.period ?? null,
    feed: opened?.feed ?? empty,
    isLoading,
    problem,
    open: (period) => load({ period, feed: new Feed<T>(feeding), part: period, last: null, hasMore: false, step: period.to - period.from }),
    older: () => {
      if (!opened || isLoading) return;
      // A failed page is loaded again.
      if (opened.hasMore || problem) return load(opened);
      const from = opened.period.from - opened.step;
      load({ ...opened, period: { from, to: opened.period.to }, part: { from, to: opened.period.from }, last: null });
    },
    close: () => {
      running.current?.abort();
      setOpened(null);
      setProblem('');
      setIsLoading(false);
    },
  };
}
