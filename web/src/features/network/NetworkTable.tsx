// A table of all substations with their present state, which has the same data as the map.
import type { Feed } from '../../live/feed';
import { number } from '../../ui/format';
import type { OverviewRow } from '../../wire/monitoring';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { t } from '../../words';

const keyOf = ({ locationId }: OverviewRow) => locationId;
const order = (a: OverviewRow, b: OverviewRow) => b.customersWithoutSupply - a.customersWithoutSupply || a.name.localeCompare(b.name);
const reported = (row: OverviewRow) => ({ at: row.reportedDateTime ? Date.parse(row.reportedDateTime) : null, quality: row.quality, ageLimitMs: row.ageLimitMs });
const bar = (row: OverviewRow) => (row.customersWithoutSupply > 0 ? 'alarm' : row.online ? undefined : 'warn');
const SUPPLY = { energised: t('network.energised'), dead: t('network.dead'), earthed: t('network.earthed'), unknown: t('network.unknown') } as const;

const COLUMNS: readonly TableColumn<OverviewRow>[] = [
  { key: 'name', name: t('network.substation'), text: (row) => row.name, title: (row) => row.breadCrumbName },
  { key: 'rtu', name: t('network.rtu'), text: (row) => (row.online ? t('network.heard') : t('network.silent')) },
  { key: 'supply', name: t('network.supply'), text: (row) => (row.energised ? SUPPLY[row.energised] : '–') },
  { key: 'load', name: t('network.loadMw'), isNumber: true, text: (row) => number(row.loadMw, 2), value: (row) => row.loadMw },
  { key: 'hz', name: t('network.hz'), isNumber: true, text: (row) => number(row.hz, 2), value: (row) => row.hz },
  { key: 'feeders', name: t('network.feeders'), isNumber: true, text: (row) => number(row.feeders, 0), value: (row) => row.feeders },
  { key: 'dead', name: t('network.feedersDead'), isNumber: true, text: (row) => number(row.feedersDead, 0), value: (row) => row.feedersDead },
  { key: 'customers', name: t('network.customersWithoutSupply'), isNumber: true, text: (row) => number(row.customersWithoutSupply, 0), value: (row) => row.customersWithoutSupply },
];

export function NetworkTable({ feed, zone, selected, onSelect }: { feed: Feed<OverviewRow>; zone: string; selected: number | null; onSelect: (location: number) => void }) {
  return <LiveTable title={t('network.network')} name="network" feed={feed} keyOf={keyOf} columns={COLUMNS} order={order} reported={reported} bar={bar} zone={zone} testId="network" selected={selected} onSelect={(key) => onSelect(Number(key))} />;
}
