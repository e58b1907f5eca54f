// React's access to live data: one connection and one store for each browser tab, and hooks for the components that show values.
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import { Connection, type LinkState } from './connection';
import type { Feeds } from './feed';
import { shownQuality, type Point } from './freshness';
import { LiveStore } from './store';

export interface Live {
  connection: Connection;
  points: LiveStore;
  feeds: Feeds;
}

export const LiveContext = createContext<Live | null>(null);

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error('a live view stands outside of the shell');
  return live;
}

export function useLink(): LinkState {
  const { connection } = useLive();
  return useSyncExternalStore(
    useCallback((tell) => connection.onLink(tell), [connection]),
    () => connection.link(),
  );
}

/** Whether the server creates alarms, according to its last heartbeat. */
export function useAlarmsWorking(): boolean {
  const { connection } = useLive();
  return useSyncExternalStore(
    useCallback((tell) => connection.onLink(tell), [connection]),
    () => connection.alarmsWorking(),
  );
}

/** The server's time in whole seconds, epoch ms. It does not advance while the link is lost. */
export function useServerSecond(): number | null {
  const { connection } = useLive();
  return useSyncExternalStore(
    useCallback((tell) => connection.clock.subscribe(tell), [connection]),
    () => {
      const now = connection.clock.now();
      return now === null ? null : Math.floor(now / 1_000) * 1_000;
    },
  );
}

export function usePoint(id: number): Point | undefined {
  const { points } = useLive();
  return useSyncExternalStore(
    useCallback((tell) => points.subscribe(id, tell), [points, id]),
    () => points.get(id),
  );
}

/** The point, and the quality to show at this time. */
export function useShownPoint(id: number, ageLimitMs: number | null | undefined): { point: Point | undefined; quality: number } {
  const point = usePoint(id);
  const link = useLink();
  const now = useServerSecond();
  return { point, quality: shownQuality(point, ageLimitMs, now ?? Date.now(), link.up) };
}
