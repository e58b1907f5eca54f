// Tables of measured values whose columns come from the data: energy data, power quality, assets (specification 2, section 2.6).
import { useMemo, useSyncExternalStore } from 'react';
import { useFeed } from '../../live/useFeed';
import { eventTime } from '../../ui/format';
import type { Column } from '../../wire/live';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { GROUP_NAMES, quantityOf } from '../../ui/quantities';
import { isLowVoltage, measured, unitOf } from './measured';
import { t } from '../../words';

/** A row: its asset, time and quality, and a value for each column. */
export interface MeasuredRow extends Readonly<Record<string, unknown>> {
  readonly assetId: number;
  readonly reportedDateTime: string | null;
  readonly quality: number;
  readonly ageLimitMs: number | null;
}

interface Props {
  readonly kind: keyof typeof KINDS;
  /** A level and an id, such as `location/17` or `asset/4`. */
  readonly scope: string;
  readonly token: string;
  readonly zone: string;
  /** Interval at which the rows are polled while the socket is down. Default: that of all live tables. */
  readonly pollMs?: number | undefined;
  readonly selected: number | null;
  readonly onSelect: (asset: number) => void;
}

const KINDS = {
  energy: { title: t('tables.energyData'), call: 'getpdsdata', rows: 'pdsData', columns: 'pdsColumns' },
  pq: { title: t('tables.powerQuality'), call: 'getpqdata', rows: 'pqData', columns: 'pqColumns' },
  assets: { title: t('tables.assetData'), call: 'getadsdata', rows: 'adsData', columns: 'adsColumns' },
} as const;

const keyOf = ({ assetId }: MeasuredRow) => assetId;
const reported = (row: MeasuredRow) => ({ at: row.reportedDateTime ? Date.parse(row.reportedDateTime) : null, quality: row.quality, ageLimitMs: row.ageLimitMs });

/** Removes a unit that repeats the name, such as Hz. */
const plain = (alias: string) => alias.replace(/^(.+) \((.+)\)$/, (whole, name: string, unit: string) => (name.toLowerCase() === unit.toLowerCase() ? name : whole));

function columnOf({ name, alias: said }: Column): TableColumn<MeasuredRow> {
  // A code has its name and group. A column of the utility's own keeps its heading and is shown.
  const quantity = quantityOf(name);
  const unit = unitOf(said);
  const alias = plain(quantity ? (unit ? `${quantity.name} (${unit})` : quantity.name) : said);
  if (name === 'reportedDateTime') return { key: name, name: alias, text: (row, { now, zone }) => (row.reportedDateTime ? eventTime(Date.parse(row.reportedDateTime), now, zone) : '–'), value: (row) => row.reportedDateTime };
  const value = (row: MeasuredRow) => {
    const cell = row[name];
    return typeof cell === 'number' || typeof cell === 'string' ? cell : null;
  };
  const isNumber = !['assetName', 'assetType', 'deviceId', 'locationName'].includes(name);
  return { key: name, name: alias, isNumber, text: (row) => measured(value(row), name, said, isLowVoltage(row)), value, group: quantity && GROUP_NAMES[quantity.group], isExtra: quantity && !quantity.isUsual };
}

export function Measured({ kind, scope, token, zone, pollMs, selected, onSelect }: Props) {
  const { title, call, rows, columns: columnsKey } = KINDS[kind];
  const [level, id] = scope.split('/');
  const read = (result: unknown) => ((result as Record<string, unknown>)[rows] ?? []) as MeasuredRow[];
  const feed = useFeed<MeasuredRow>({ stream: `${kind}/${scope}`, path: `monitoring/${call}/${level === 'asset' ? 'ast' : 'location'}/${id}`, token, pollMs, key: keyOf, read, columnsOf: (result) => (result as Record<string, Column[]>)[columnsKey] });
  const given = useSyncExternalStore(feed.subscribe, () => feed.columns);
  const columns = useMemo(() => (given ?? []).map(columnOf), [given]);
  return <LiveTable title={title} name={columnsKey} feed={feed} keyOf={keyOf} columns={columns} reported={reported} zone={zone} testId={kind} selected={selected} onSelect={(key) => onSelect(Number(key))} />;
}
