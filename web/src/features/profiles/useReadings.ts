// The live readings of an asset: pushed, asked for while the socket is down, each parameter in its place.
import { useEffect, useState } from 'react';
import * as v from 'valibot';
import { useLink, useLive } from '../../live/live';
import { getReadings, Reading } from '../../wire/history';
import { problemOf } from '../../wire/rest';

export interface Readings {
  readonly rows: readonly Reading[];
  readonly state: 'loading' | 'ready' | 'failed';
  readonly problem: string;
}

/** Specification 2, section 9. */
const POLL_MS = 40_000;

/** Rows that are what they should be; another one is not shown. */
export function readingsIn(rows: readonly unknown[]): Reading[] {
  return rows.flatMap((row) => {
    const read = v.safeParse(Reading, row);
    return read.success ? [read.output] : [];
  });
}

/** A row takes the place of the one of its parameter. */
export function replaced(held: readonly Reading[], fresh: readonly Reading[]): readonly Reading[] {
  const changed = new Map(fresh.map((row) => [row.parameter, row]));
  const kept = held.map((row) => changed.get(row.parameter) ?? row);
  const known = new Set(held.map(({ parameter }) => parameter));
  return [...kept, ...[...changed.values()].filter(({ parameter }) => !known.has(parameter))];
}

export function useReadings(token: string, asset: number): Readings {
  const { connection } = useLive();
  const link = useLink();
  const [held, setHeld] = useState<Readings & { asset: number }>({ asset, rows: [], state: 'loading', problem: '' });
  useEffect(
    () =>
      connection.subscribe(`readings/${asset}`, {
        snapshot: ({ rows }) => setHeld({ asset, rows: readingsIn(rows ?? []), state: 'ready', problem: '' }),
        delta: ({ rows }) =>
          setHeld((before) => ({
            asset,
            rows: replaced(before.asset === asset ? before.rows : [], readingsIn(rows ?? [])),
            state: 'ready',
            problem: '',
          })),
        refused: (problem) => setHeld((before) => ({ asset, rows: before.asset === asset ? before.rows : [], state: 'failed', problem })),
      }),
    [connection, asset],
  );
  useEffect(() => {
    if (link.up) return;
    const stop = new AbortController();
    const poll = () =>
      getReadings(token, asset, { signal: stop.signal, isBackground: true }).then(
        (rows) => stop.signal.aborted || setHeld({ asset, rows, state: 'ready', problem: '' }),
        (error: unknown) =>
          stop.signal.aborted ||
          setHeld((before) => ({ ...before, state: before.rows.length > 0 ? before.state : 'failed', problem: problemOf(error) })),
      );
    void poll();
    const timer = setInterval(() => void poll(), POLL_MS);
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [link.up, token, asset]);
  return held.asset === asset ? held : { rows: [], state: 'loading', problem: '' };
}
