// A stream of rows as React sees it, polled over REST while the socket is down.
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Content } from '../wire/live';
import { BACKGROUND, get, problemOf } from '../wire/rest';
import { Feed, type Feeding, type Key } from './feed';
import { useLink, useLive } from './live';

export interface Source<T> extends Feeding<T> {
  readonly stream: string;
  /** The same rows over REST, asked while the socket is down; without a path they only wait for it. */
  readonly path?: string;
  readonly token: string;
  /** What of the answer is the rows. */
  readonly read?: (result: unknown) => readonly T[];
  /** What of the answer is the columns, where they come from the data. */
  readonly columnsOf?: (result: unknown) => Content['columns'];
  readonly pollMs?: number;
}

/** Live tables are polled at this interval while the socket is down (specification 2, section 9). */
const POLL_MS = 40_000;

/** So long the socket has for its first answer. */
const FIRST_MS = 3_000;

/** The rows of a stream, while the component is shown. The source's functions are those of the first time. */
export function useFeed<T>(source: Source<T>): Feed<T> {
  const { feeds } = useLive();
  const { stream, path, token } = source;
  const [empty] = useState(() => new Feed<T>(source));
  const [feed, setFeed] = useState<Feed<T>>(empty);
  useEffect(() => {
    const { feed, release } = feeds.take<T>(stream, source);
    setFeed(feed);
    return () => {
      setFeed(empty);
      release();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the name says what is fed
  }, [feeds, stream]);
  const link = useLink();
  useEffect(() => {
    if (link.up || !path) return;
    let gone = false;
    let asked = feed.snapshots;
    const poll = () => {
      asked = feed.snapshots;
      get<unknown>(token, path, BACKGROUND).then(
        // An answer that comes after the stream's own is older than that.
        ({ result }) => gone || feed.snapshots !== asked || feed.replace(source.read?.(result) ?? (result as T[]), source.columnsOf?.(result)),
        (error: unknown) => gone || feed.fail(problemOf(error)),
      );
    };
    // At once where nothing has come yet: who begins without a socket does not wait for the first turn.
    const first = feed.state === 'loading' ? setTimeout(poll, FIRST_MS) : undefined;
    const timer = setInterval(poll, source.pollMs ?? POLL_MS);
    return () => {
      gone = true;
      clearTimeout(first);
      clearInterval(timer);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the path says what is asked
  }, [link.up, path, token, feed]);
  return feed;
}

/** Renders anew whenever the feed tells. */
export function useVersion<T>(feed: Feed<T>): number {
  return useSyncExternalStore(feed.subscribe, () => feed.version);
}

/** All rows, whenever they change. */
export function useAll<T>(feed: Feed<T>): readonly T[] {
  const version = useVersion(feed);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the version says that the rows are others
  return useMemo(() => feed.rows(), [feed, version]);
}

export function useRow<T>(feed: Feed<T>, key: Key): T | undefined {
  return useSyncExternalStore(
    useCallback((tell) => feed.subscribeRow(key, tell), [feed, key]),
    () => feed.get(key),
  );
}
