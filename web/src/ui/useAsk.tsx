// A request that a screen sends when it opens: its answer, its error, and a retry.
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { problemOf } from '../wire/rest';
import { t } from '../words';

export interface Asked<T> {
  /** Null until the first answer. */
  readonly data: T | null;
  readonly problem: string;
  /** Since when the requested history is kept, epoch ms; absent or null if all of it is kept. */
  readonly keptSince?: number | null;
  readonly retry: () => void;
  readonly put: (data: T) => void;
}

/** Sends a request once for each `key`, and again on retry. With `null` it sends none. A retry keeps the old data meanwhile. */
export function useAsk<T>(key: string | null, ask: () => Promise<{ result: T; keptSince?: number | null }>): Asked<T> {
  const [held, setHeld] = useState<{ key: string; data: T; keptSince: number | null } | null>(null);
  const [failed, setFailed] = useState<{ key: string; text: string } | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (key === null) return;
    let gone = false;
    ask().then(
      ({ result, keptSince = null }) => {
        if (gone) return;
        setHeld({ key, data: result, keptSince });
        setFailed(null);
      },
      (error: unknown) => gone || setFailed({ key, text: problemOf(error) }),
    );
    return () => {
      gone = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key identifies the request; a renewed token needs no new one
  }, [key, attempt]);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  const own = held && held.key === key ? held : null;
  return {
    data: own && own.data,
    problem: failed && failed.key === key ? failed.text : '',
    keptSince: own && own.keptSince,
    retry,
    put: (data) => key !== null && setHeld({ key, data, keptSince: null }),
  };
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
