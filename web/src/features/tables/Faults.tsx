// Faults with the number of affected customers and the duration (specification 2, section 2.6).
import { useFeed, type Source } from '../../live/useFeed';
import { eventTime, number } from '../../ui/format';
import type { FaultRow } from '../../wire/monitoring';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { t } from '../../words';

const keyOf = ({ id }: FaultRow) => id;
const order = (a: FaultRow, b: FaultRow) => b.StartTime.localeCompare(a.StartTime) || b.id - a.id;
const bar = (row: FaultRow) => (row.FaultStatus === 'Open' ? 'alarm' : undefined);
const time = (at: string | null, now: number, zone: string) => (at ? eventTime(Date.parse(at), now, zone) : '–');
/** Duration in minutes. An open fault lasts until now. */
const minutes = (row: FaultRow, now: number) => (row.FaultStatus === 'Open' || row.Duration === null ? (now - Date.parse(row.StartTime)) / 60_000 : row.Duration);

/** A breaker that recloses is open for parts of a second, which one decimal of a minute would hide. */
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

/** The open faults of a place and those of the last day. */
export function faultSource(scope: string, token: string): Source<FaultRow> {
  const [level, id] = scope.split('/');
  const path = level === 'asset' || level === 'location' ? `faultdata/bytypeandid/${level}/${id}` : 'faultdata/faultsbyuserrole';
  return { stream: `faults/${scope}`, path, token, key: keyOf, max: 5_000, order };
}

interface Props {
  readonly scope: string;
  readonly token: string;
  readonly zone: string;
  readonly selected?: number | null;
  readonly onSelect?: (row: FaultRow) => void;
}

export function Faults({ scope, token, zone, selected, onSelect }: Props) {
  const feed = useFeed(faultSource(scope, token));
  const choose = (key: string | number) => {
    const row = feed.get(key);
    if (row) onSelect?.(row);
  };
  return <LiveTable title={t('tables.faults')} name="faults" feed={feed} keyOf={keyOf} columns={FAULT_COLUMNS} order={order} bar={bar} zone={zone} testId="fault" selected={selected ?? null} {...(onSelect ? { onSelect: choose } : {})} />;
}
