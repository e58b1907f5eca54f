// Counts the changes of positions and links of the utility. Screens read data that depend on the live network again when this number changes.
import { useCallback, useEffect, useRef, useState } from 'react';
import { eventSource } from '../features/tables/EventLog';
import { useLink, useLive } from '../live/live';
import type { EventRow, GatewayRow, Login } from '../wire/rest';
import { scopeOf } from './scope';

/** Shortest time between two counts, ms. */
const EVERY_MS = 500;

/**
 * Counts the changes that the live stream of events and the links of the gateways report: at once, and at most every 500 ms. Nothing is subscribed to
 * while `isOn` is false.
 */
export function useChanges(login: Login, gateways: readonly GatewayRow[], isOn = true): number {
  const { feeds } = useLive();
  const link = useLink();
  const [count, setCount] = useState(0);
  const last = useRef(-EVERY_MS);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const notify = useCallback(() => {
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        last.current = performance.now();
        setCount((before) => before + 1);
      },
      Math.max(0, last.current + EVERY_MS - performance.now()),
    );
  }, []);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  const scope = scopeOf(login);
  useEffect(() => {
    if (!isOn) return;
    const source = eventSource(scope, login.token);
    const { feed, release } = feeds.take<EventRow>(source.stream, source);
    const stop = feed.subscribe(notify);
    return () => {
      stop();
      release();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a renewed token needs no new subscription
  }, [feeds, scope, isOn, notify]);
  const links = `${link.up} ${gateways.map(({ id, online }) => `${id}${online ? '+' : '-'}`).join()}`;
  const known = useRef(links);
  useEffect(() => {
    if (known.current === links) return;
    known.current = links;
    if (isOn) notify();
  }, [links, isOn, notify]);
  return count;
}
