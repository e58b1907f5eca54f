// Hooks for the rows of a stream. The rows are polled over REST while the socket is down.
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Content } from '../wire/live';
import { get, problemOf } from '../wire/rest';
import { Feed, type Feeding, type Key } from './feed';
import { useLink, useLive } from './live';
import { poll } from './poll';

export interface Source<T> extends Feeding<T> {
  readonly stream: string;
  /** Path of the same rows over REST, polled while the socket is down. If absent, the rows wait for the socket. */
  readonly path?: string;
  readonly token: string;
  /** Extracts the rows from the answer. */
  readonly read?: (result: unknown) => readonly T[];
  /** Extracts the columns from the answer, for a table whose columns come from the data. */
  readonly columnsOf?: (result: unknown) => Content['columns'];
  readonly pollMs?: number | undefined;
}

/** Live tables are polled at this interval while the socket is down (specification 2, section 9). */
const POLL_MS = 40_000;

/** How long the first answer of the socket may take before the rows are polled, ms. */
const FIRST_MS = 3_000;

/** The rows of a stream while the component is mounted. The feed uses the functions of the first render. */
export function useFeed<T>(source: Source<T>): Feed<T> {
  const { feeds } = useLive();
  const { stream, path, token, pollMs = POLL_MS } = source;
  const [empty] = useState(() => new Feed<T>(source));
  const [feed, setFeed] = useState<Feed<T>>(empty);
  useEffect(() => {
    const { feed, release } = feeds.take<T>(stream, source);
    setFeed(feed);
    return () => {
      setFeed(empty);
      release();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the stream's name identifies the source
  }, [feeds, stream]);
  const link = useLink();
  useEffect(() => {
    if (link.up || !path) return;
    const ask = (signal: AbortSignal) => {
      const before = feed.snapshots;
      const at = performance.now();
      return get<unknown>(token, path, { signal, isBackground: true }).then(
        ({ result, keptSince }) => {
          // Rows of the stream, and of a later request of another component, are newer than the answer.
          if (signal.aborted || feed.snapshots !== before || at < feed.polledAt) return;
          feed.polledAt = at;
          feed.replace(source.read?.(result) ?? (result as T[]), source.columnsOf?.(result), keptSince);
        },
        (error: unknown) => signal.aborted || at < feed.polledAt || feed.fail(problemOf(error)),
      );
    };
    // Without any rows the first poll does not wait for the polling interval.
    return poll(ask, pollMs, feed.state === 'loading' ? FIRST_MS : undefined);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the path identifies the source
  }, [link.up, path, token, feed, pollMs]);
  return feed;
}

/** Renders again at each notification of the feed and returns the feed's version. */
export function useVersion<T>(feed: Feed<T>): number {
  return useSyncExternalStore(feed.subscribe, () => feed.version);
}

/** All rows of the feed. Renders again when they change. */
export function useAll<T>(feed: Feed<T>): readonly T[] {
  const version = useVersion(feed);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the version changes with the rows
  return useMemo(() => feed.rows(), [feed, version]);
}

export function useRow<T>(feed: Feed<T>, key: Key): T | undefined {
  return useSyncExternalStore(
    useCallback((tell) => feed.subscribeRow(key, tell), [feed, key]),
    () => feed.get(key),
  );
}
