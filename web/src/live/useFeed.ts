// A stream of rows as React sees it, polled over REST while the socket is down.
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
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
  readonly pollMs?: number;
}

/** Live tables are polled at this interval while the socket is down (specification 2, section 9). */
const POLL_MS = 40_000;

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
    const poll = () =>
      get<unknown>(token, path, BACKGROUND).then(
        ({ result }) => gone || feed.replace(source.read?.(result) ?? (result as T[])),
        (error: unknown) => gone || feed.fail(problemOf(error)),
      );
    const timer = setInterval(() => void poll(), source.pollMs ?? POLL_MS);
    return () => {
      gone = true;
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
