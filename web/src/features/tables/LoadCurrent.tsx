// Load currents by feeder, with the fault currents of the last trip. Selecting a row selects its feeder (specification 2, section 2.6).
import { useFeed } from '../../live/useFeed';
import { eventTime, number } from '../../ui/format';
import type { LoadCurrentRow } from '../../wire/rest';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { t } from '../../words';

interface Props {
  readonly location: number;
  readonly token: string;
  readonly zone: string;
  readonly selected: number | null;
  readonly onSelect: (asset: number) => void;
}

const keyOf = ({ id }: LoadCurrentRow) => id;
const reported = (row: LoadCurrentRow) => ({ at: row.reportedDateTime ? Date.parse(row.reportedDateTime) : null, quality: row.quality, ageLimitMs: row.ageLimitMs });

const amperes = (key: 'lc_Ir' | 'lc_Iy' | 'lc_Ib' | 'fC_Ir' | 'fC_Iy' | 'fC_Ib', name: string): TableColumn<LoadCurrentRow> => ({ key, name, isNumber: true, text: (row) => number(row[key], 0), value: (row) => row[key] ?? null });

const COLUMNS: readonly TableColumn<LoadCurrentRow>[] = [
  { key: 'time', name: t('tables.updatedTime'), text: (row, { now, zone }) => (row.reportedDateTime ? eventTime(Date.parse(row.reportedDateTime), now, zone) : '–'), value: (row) => row.reportedDateTime ?? null },
  { key: 'battery', name: t('tables.dcuBatVol'), isNumber: true, text: (row) => number(row.dcuBatVol, 1), value: (row) => row.dcuBatVol ?? null },
  { key: 'feeder', name: t('tables.feederName'), text: (row) => row.deviceName },
  amperes('lc_Ir', 'Ir'),
  amperes('lc_Iy', 'Iy'),
  amperes('lc_Ib', 'Ib'),
  amperes('fC_Ir', 'F-Ir'),
  amperes('fC_Iy', 'F-Iy'),
  amperes('fC_Ib', 'F-Ib'),
];

export function LoadCurrent({ location, token, zone, selected, onSelect }: Props) {
  const feed = useFeed<LoadCurrentRow>({ stream: `loadcurrent/location/${location}`, path: `analytics/loadcurrentvalues/location/${location}`, token, key: keyOf });
  return <LiveTable title={t('tables.loadCurrent')} about={t('tables.loadCurrentAFaultCurrents')} name="load-current" feed={feed} keyOf={keyOf} columns={COLUMNS} reported={reported} zone={zone} testId="load" selected={selected} onSelect={(key) => onSelect(Number(key))} />;
}
