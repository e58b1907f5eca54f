// Rows of a live table: from a stream, frozen on demand, polled only while the socket is down.
import { useEffect, useRef, useState } from 'react';
import { useLink, useLive } from '../../live/live';
import { BACKGROUND, get } from '../../wire/rest';

export interface Rows<T> {
  rows: readonly T[];
  state: 'loading' | 'ready' | 'failed';
  /** What is wrong, when it failed; the last rows are kept. */
  problem: string;
  /** Rows that came while the table was frozen. */
  waiting: number;
}

interface Source<T> {
  stream: string;
  path: string;
  token: string;
  /** How new rows change those held; `oldestFirst` is the order of arrival. */
  merge(held: readonly T[], fresh: readonly T[]): readonly T[];
  pollMs: number;
}

/** The rows of a stream. With `frozen`, the picture stands and what comes is counted. */
export function useRows<T>(source: Source<T>, frozen: boolean): Rows<T> {
  const { connection } = useLive();
  const link = useLink();
  const { stream, path, token, merge, pollMs } = source;
  const [held, setHeld] = useState<Rows<T>>({ rows: [], state: 'loading', problem: '', waiting: 0 });
  const latest = useRef<readonly T[]>([]);
  const still = useRef(frozen);

  useEffect(() => {
    still.current = frozen;
    if (!frozen) setHeld((before) => ({ ...before, rows: latest.current, waiting: 0 }));
  }, [frozen]);

  useEffect(() => {
    latest.current = [];
    setHeld({ rows: [], state: 'loading', problem: '', waiting: 0 });
    const show = (rows: readonly T[], fresh: number) => {
      latest.current = rows;
      setHeld((before) => (still.current && before.state === 'ready' ? { ...before, waiting: before.waiting + fresh } : { rows, state: 'ready', problem: '', waiting: 0 }));
    };
    return connection.subscribe(stream, {
      snapshot: ({ rows }) => show((rows ?? []) as T[], 0),
      delta: ({ rows }) => {
        const fresh = (rows ?? []) as T[];
        if (fresh.length > 0) show(merge(latest.current, fresh), fresh.length);
        else setHeld((before) => ({ ...before, state: 'ready' }));
      },
      refused: (problem) => setHeld((before) => ({ ...before, state: 'failed', problem })),
    });
  }, [connection, stream, merge]);

  useEffect(() => {
    if (link.up) return;
    const poll = () =>
      get<T[]>(token, path, BACKGROUND)
        .then(({ result }) => {
          latest.current = result;
          if (!still.current) setHeld({ rows: result, state: 'ready', problem: '', waiting: 0 });
        })
        .catch((error: Error) => setHeld((before) => ({ ...before, problem: error.message })));
    const timer = setInterval(() => void poll(), pollMs);
    return () => clearInterval(timer);
  }, [link.up, token, path, pollMs]);

  return held;
}

/** Newest first, each once, at most a thousand on the screen. */
export function newestFirst<T extends { offset: number; EventTime: string }>(held: readonly T[], fresh: readonly T[]): readonly T[] {
  const known = new Set(held.slice(0, 200).map((row) => row.offset));
  const added = fresh.filter((row) => !known.has(row.offset));
  return [...added, ...held].sort((a, b) => b.EventTime.localeCompare(a.EventTime) || b.offset - a.offset).slice(0, 1_000);
}

/** Rows are replaced by their id and keep their place. */
export function byId<T extends { id: number }>(held: readonly T[], fresh: readonly T[]): readonly T[] {
  const changed = new Map(fresh.map((row) => [row.id, row]));
  const kept = held.map((row) => {
    const next = changed.get(row.id);
    changed.delete(row.id);
    return next ?? row;
  });
  return [...kept, ...changed.values()];
}
