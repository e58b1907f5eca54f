// The event log: every change of a status point, newest first, updated by the stream (specification 2, section 2.6).
import { useFeed, type Source } from '../../live/useFeed';
import { eventTime } from '../../ui/format';
import type { EventRow } from '../../wire/rest';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { t } from '../../words';

interface Props {
  /** A level and an id, such as `location/17`. */
  readonly scope: string;
  readonly token: string;
  readonly zone: string;
  /** Shows only the events of this asset. */
  readonly asset?: number | null;
}

/** Largest number of rows on the screen. */
const ROWS_MAX = 1_000;

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

/** The event log of a place or an asset as the source of a feed. */
export function eventSource(scope: string, token: string): Source<EventRow> {
  const [level, id] = scope.split('/');
  return { stream: `events/${scope}`, path: level === 'asset' ? `monitoring/diasseteventlog/${id}` : `monitoring/dieventlog/${id}`, token, key: keyOf, max: ROWS_MAX, order };
}

export function EventLog({ scope, token, zone, asset }: Props) {
  const feed = useFeed(eventSource(asset ? `asset/${asset}` : scope, token));
  return <LiveTable title={t('tables.eventLog')} name="event-log" feed={feed} keyOf={keyOf} columns={COLUMNS} order={order} bar={bar} zone={zone} testId="event" />;
}
