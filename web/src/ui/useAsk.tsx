// A request that a screen sends when it opens: its answer, its error, and a retry.
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { problemOf, type Asking } from '../wire/rest';
import { t } from '../words';

export interface Asked<T> {
  /** Null until the first answer. */
  readonly data: T | null;
  readonly problem: string;
  /** The time from which the requested history is kept, epoch ms; absent or null if all of it is kept. */
  readonly keptSince?: number | null;
  /** The time at which the request of this answer was sent, ms of `performance.now()`. */
  readonly readAt?: number | null;
  readonly retry: () => void;
  readonly put: (data: T) => void;
}

/** The parts of an answer that say whether it is up to date. */
export interface Read {
  readonly data: unknown;
  readonly problem: string;
  readonly readAt?: number | null;
}

type Ask<T> = (asking: Asking) => Promise<{ result: T; keptSince?: number | null }>;

/**
 * Sends a request once for each `key`, and again on retry. With `null` it sends none. A retry keeps the old data meanwhile. `ask` passes
 * on the signal: it aborts when the component leaves, the key changes, or the request is sent again.
 */
export function useAsk<T>(key: string | null, ask: Ask<T>): Asked<T> {
  return useAsking(key, ask).answer;
}

/**
 * Sends a request like `useAsk`, and repeats it while the page is visible. Repetitions are marked as sent by a timer, so they do not extend
 * the session. None is sent while a request is running: it would cancel that request, and a slow answer would never arrive. With `null` as
 * the interval nothing is repeated. When `change` is another number, the request is repeated at once, or as soon as the running one is answered.
 * A page that becomes visible again repeats it at once.
 */
export function useAskRepeated<T>(key: string | null, ask: Ask<T>, everyMs: number | null, change = 0): Asked<T> {
  const { answer, repeat, repeatSoon } = useAsking(key, ask);
  const known = useRef(change);
  useEffect(() => {
    if (known.current === change) return;
    known.current = change;
    repeatSoon();
  }, [change, repeatSoon]);
  useEffect(() => {
    if (key === null || everyMs === null) return;
    const repeatIfVisible = () => {
      if (!document.hidden) repeat();
    };
    const timer = setInterval(repeatIfVisible, everyMs);
    document.addEventListener('visibilitychange', repeatIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', repeatIfVisible);
    };
  }, [key, repeat, everyMs]);
  return answer;
}

function useAsking<T>(key: string | null, ask: Ask<T>): { readonly answer: Asked<T>; readonly repeat: () => void; readonly repeatSoon: () => void } {
  const [held, setHeld] = useState<{ key: string; data: T; keptSince: number | null; readAt: number } | null>(null);
  const [failed, setFailed] = useState<{ key: string; text: string } | null>(null);
  const [attempt, setAttempt] = useState({ isBackground: false });
  const running = useRef<AbortController | null>(null);
  const sent = useRef<string | null>(null);
  /** Whether the request is to be repeated after the running one. */
  const isDue = useRef(false);
  useEffect(() => {
    if (key === null) return;
    const own = new AbortController();
    running.current = own;
    // The first request of a key is not the timer's, even if the timer sent the last one of another key.
    const isBackground = attempt.isBackground && sent.current === key;
    sent.current = key;
    const readAt = performance.now();
    isDue.current = false;
    const ended = (change: () => void) => {
      if (own.signal.aborted) return;
      running.current = null;
      change();
      if (isDue.current) setAttempt({ isBackground: true });
    };
    ask({ signal: own.signal, isBackground }).then(
      ({ result, keptSince = null }) =>
        ended(() => {
          setHeld({ key, data: result, keptSince, readAt });
          setFailed(null);
        }),
      (error: unknown) => ended(() => setFailed({ key, text: problemOf(error) })),
    );
    return () => {
      own.abort();
      if (running.current === own) running.current = null;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key identifies the request; a renewed token needs no new one
  }, [key, attempt]);
  const retry = useCallback(() => setAttempt({ isBackground: false }), []);
  const repeat = useCallback(() => {
    if (running.current === null) setAttempt({ isBackground: true });
  }, []);
  const repeatSoon = useCallback(() => {
    isDue.current = running.current !== null;
    repeat();
  }, [repeat]);
  const own = held && held.key === key ? held : null;
  const answer: Asked<T> = {
    data: own && own.data,
    problem: failed && failed.key === key ? failed.text : '',
    keptSince: own && own.keptSince,
    readAt: own && own.readAt,
    retry,
    put: (data) => key !== null && setHeld({ key, data, keptSince: null, readAt: performance.now() }),
  };
  return { answer, repeat, repeatSoon };
}

/** Whether an answer must not look live: its repetition has failed, the answer is older than `limitMs`, or there was none for that time. */
export function useIsOutdated({ data, problem, readAt = null }: Read, limitMs: number): boolean {
  const [expired, setExpired] = useState<number | null | undefined>();
  useEffect(() => {
    const timer = setTimeout(() => setExpired(readAt), readAt === null ? limitMs : Math.max(0, readAt + limitMs - performance.now()));
    return () => clearTimeout(timer);
  }, [readAt, limitMs]);
  return expired === readAt || (data !== null && problem !== '');
}

/** Renders the loading state, the error, or the answer. */
export function Answered<T>({ asked, children }: { asked: Asked<T>; children: (data: T) => ReactNode }) {
  if (asked.data !== null && !asked.problem) return children(asked.data);
  if (asked.data !== null) {
    return (
      <>
        <p className="stale-line" role="alert">
          {t('ui.notUpToDate', { problem: asked.problem })}{' '}
          <button type="button" className="plain" onClick={asked.retry}>
            {t('ui.tryAgain')}
          </button>
        </p>
        {children(asked.data)}
      </>
    );
  }
  if (!asked.problem) return <p>{t('ui.loading')}</p>;
  return (
    <>
      <p role="alert">{asked.problem}</p>
      <button type="button" onClick={asked.retry}>
        {t('ui.tryAgain')}
      </button>
    </>
  );
}
