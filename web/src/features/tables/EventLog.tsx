// The event log: every change of a status point, newest first: live from the stream, or a period of the past (specification 2, section 2.6).
import { useMemo } from 'react';
import type { Feeding } from '../../live/feed';
import { useFeed, type Source } from '../../live/useFeed';
import { eventTime } from '../../ui/format';
import { get, type EventRow } from '../../wire/rest';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { usePast, type AskPage } from './usePast';
import { WindowBar } from './WindowBar';
import { t } from '../../words';

interface Props {
  /** A level and an id, such as `location/17`. */
  readonly scope: string;
  readonly token: string;
  readonly zone: string;
  /** Shows only the events of this asset. */
  readonly asset?: number | null;
}

/** Number of live rows: those of the stream's snapshot, and of the polled rows while the socket is down. */
const LIVE_ROWS = 500;
/** Rows of a page of the past. */
const PAGE = 500;
const DAY = 86_400_000;

const keyOf = ({ offset }: EventRow) => offset;
/** Sorts by the device's time, newest first. */
const order = (a: EventRow, b: EventRow) => b.EventTime.localeCompare(a.EventTime) || b.offset - a.offset;
/** An active signal of a relay and an unclear position have a coloured bar. */
const bar = (row: EventRow) => (row.ChangeTo === 'ACTIVE' ? 'alarm' : row.ChangeTo === 'INTERMEDIATE' || row.ChangeTo === 'INVALID' ? 'warn' : undefined);

const COLUMNS: readonly TableColumn<EventRow>[] = [
  { key: 'asset', name: t('tables.asset'), text: (row) => row.AssetName },
  { key: 'event', name: t('tables.event'), text: (row) => row.DISignal },
  {
    key: 'time',
    name: t('tables.eventTime'),
    text: (row, { now, zone }) => eventTime(Date.parse(row.EventTime), now, zone, true),
    value: (row) => row.EventTime,
    title: (row, { now, zone }) => t('tables.received', { true: eventTime(Date.parse(row.ReceivedTime), now, zone, true) }),
  },
  { key: 'state', name: t('tables.eventState'), text: (row) => row.ChangeTo },
];

function pathOf(scope: string): string {
  const [level, id] = scope.split('/');
  return level === 'asset' ? `monitoring/diasseteventlog/${id}` : `monitoring/dieventlog/${id}`;
}

/** The events of a period, a page at a time. */
function pageOf(scope: string, token: string): AskPage<EventRow> {
  return async ({ from, to }, before, asking) => {
    const span = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
    const { result, keptSince } = await get<EventRow[]>(token, `${pathOf(scope)}?${span}&limit=${PAGE}${before ? `&before=${before.offset}` : ''}`, asking);
    return { rows: result, hasMore: result.length === PAGE, keptSince: keptSince ?? null };
  };
}

/** The event log of a place or an asset as the source of a feed. */
export function eventSource(scope: string, token: string): Source<EventRow> {
  return { stream: `events/${scope}`, path: `${pathOf(scope)}?limit=${LIVE_ROWS}`, token, key: keyOf, max: LIVE_ROWS, order };
}

export function EventLog({ scope, token, zone, asset }: Props) {
  const of = asset ? `asset/${asset}` : scope;
  const live = useFeed(eventSource(of, token));
  const ask = useMemo(() => pageOf(of, token), [of, token]);
  const past = usePast<EventRow>(PAST, ask);
  return (
    <>
      <WindowBar past={past} live={t('tables.liveEvents', { n: LIVE_ROWS })} firstMs={DAY} zone={zone} testId="event" />
      <LiveTable title={t('tables.eventLog')} name="event-log" feed={past.period ? past.feed : live} isPast={past.period !== null} keyOf={keyOf} columns={COLUMNS} order={order} bar={bar} zone={zone} testId="event" />
    </>
  );
}

/** Rows of the past are kept until the period is closed, up to `max` rows. */
const PAST: Feeding<EventRow> = { key: keyOf, max: 20_000, order };
