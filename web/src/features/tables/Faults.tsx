// Faults with the number of affected customers and the duration (specification 2, section 2.6).
import { useCallback, useMemo } from 'react';
import type { Feeding } from '../../live/feed';
import { useLive } from '../../live/live';
import { useFeed, type Source } from '../../live/useFeed';
import { eventTime, number } from '../../ui/format';
import type { FaultRow } from '../../wire/monitoring';
import { get } from '../../wire/rest';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { usePast, type AskPage } from './usePast';
import { WindowBar } from './WindowBar';
import { t } from '../../words';

const keyOf = ({ id }: FaultRow) => id;
const order = (a: FaultRow, b: FaultRow) => b.StartTime.localeCompare(a.StartTime) || b.id - a.id;
const bar = (row: FaultRow) => (row.FaultStatus === 'Open' ? 'alarm' : undefined);
const time = (at: string | null, now: number, zone: string) => (at ? eventTime(Date.parse(at), now, zone) : '–');
/** Duration in minutes. An open fault lasts until now. */
const minutes = (row: FaultRow, now: number) => (row.FaultStatus === 'Open' || row.Duration === null ? (now - Date.parse(row.StartTime)) / 60_000 : row.Duration);

/** Formats minutes, with three decimals below one minute: a breaker that recloses is open for less than a second, which one decimal would show as 0. */
export const minutesText = (value: number) => number(value, value < 1 ? 3 : 1);

export const FAULT_COLUMNS: readonly TableColumn<FaultRow>[] = [
  { key: 'status', name: t('tables.faultStatus'), text: (row) => row.FaultStatus },
  { key: 'feeder', name: t('tables.feederName'), text: (row) => row.AssetName },
  { key: 'location', name: t('tables.location'), text: (row) => row.Location },
  { key: 'customers', name: t('tables.customersAffected'), isNumber: true, text: (row) => number(row.CustomersAffected, 0), value: (row) => row.CustomersAffected },
  { key: 'severity', name: t('tables.severity'), text: (row) => row.Severity },
  { key: 'start', name: t('tables.startTime'), text: (row, { now, zone }) => time(row.StartTime, now, zone), value: (row) => row.StartTime },
  { key: 'end', name: t('tables.endTime'), text: (row, { now, zone }) => time(row.EndTime, now, zone), value: (row) => row.EndTime },
  { key: 'duration', name: t('tables.durationMinutes'), isNumber: true, text: (row, { now }) => minutesText(minutes(row, now)), value: (row) => minutes(row, Date.now()) },
  { key: 'type', name: t('tables.faultType'), text: (row) => row.FaultType },
  { key: 'trip', name: t('tables.tripType'), text: (row) => row.tripType },
];

const DAY = 86_400_000;
/** Days of the period that opens first in the past. */
const FIRST_DAYS = 7;
/** The most rows of an answer. */
const PAGE = 5_000;

function pathOf(scope: string): string {
  const [level, id] = scope.split('/');
  return level === 'asset' || level === 'location' ? `faultdata/bytypeandid/${level}/${id}` : 'faultdata/faultsbyuserrole';
}

/** The open faults of a place and those of the last day, from the stream as well as polled. */
export function faultSource(scope: string, token: string): Source<FaultRow> {
  return { stream: `faults/${scope}`, path: `${pathOf(scope)}?days=1`, token, key: keyOf, max: PAGE, order };
}

/** Whether a fault belongs to the live window: it is open, or began in the last day. */
function isLive({ FaultStatus, StartTime }: FaultRow, now: number): boolean {
  return FaultStatus === 'Open' || now - Date.parse(StartTime) <= DAY;
}

/** The faults that began in a period. */
function pageOf(scope: string, token: string): AskPage<FaultRow> {
  return async ({ from, to }, before, asking) => {
    const end = before?.StartTime ?? new Date(to).toISOString();
    const { result, keptSince } = await get<FaultRow[]>(token, `${pathOf(scope)}?from=${new Date(from).toISOString()}&to=${encodeURIComponent(end)}`, asking);
    return { rows: result, hasMore: result.length === PAGE, keptSince: keptSince ?? null };
  };
}

/** Rows of the past are kept until the period is closed, up to `max` rows. */
const PAST: Feeding<FaultRow> = { key: keyOf, max: 50_000, order };

interface Props {
  readonly scope: string;
  readonly token: string;
  readonly zone: string;
  readonly selected?: number | null;
  readonly onSelect?: (row: FaultRow) => void;
}

export function Faults({ scope, token, zone, selected, onSelect }: Props) {
  const live = useFeed(faultSource(scope, token));
  const ask = useMemo(() => pageOf(scope, token), [scope, token]);
  const past = usePast<FaultRow>(PAST, ask);
  const feed = past.period ? past.feed : live;
  const { connection } = useLive();
  const inWindow = useCallback((row: FaultRow) => isLive(row, connection.clock.now() ?? Date.now()), [connection]);
  const choose = (key: string | number) => {
    const row = feed.get(key);
    if (row) onSelect?.(row);
  };
  return (
    <>
      <WindowBar past={past} live={t('tables.liveFaults')} firstMs={FIRST_DAYS * DAY} zone={zone} testId="fault" />
      <LiveTable title={t('tables.faults')} name="faults" feed={feed} isPast={past.period !== null} keyOf={keyOf} columns={FAULT_COLUMNS} order={order} bar={bar} zone={zone} testId="fault" selected={selected ?? null} {...(past.period ? {} : { where: inWindow })} {...(onSelect ? { onSelect: choose } : {})} />
    </>
  );
}
