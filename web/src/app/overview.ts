// Feeds of the whole utility, shared by all screens: gateways, alarms, the overview of substations, and the geography.
import { useMemo } from 'react';
import { looksLive } from '../live/freshness';
import { useAll, useFeed } from '../live/useFeed';
import type { Feed } from '../live/feed';
import { byImportance } from '../features/alarms/standing';
import type { AlarmRow, Network, OverviewRow } from '../wire/monitoring';
import { get, type GatewayRow, type Login } from '../wire/rest';
import { useAsk, type Asked } from '../ui/useAsk';
import { t } from '../words';
import { scopeOf } from './scope';

export function useGateways({ clientId, token }: Login): readonly GatewayRow[] {
  const feed = useFeed<GatewayRow>({ stream: `comms/client/${clientId}`, token, key: ({ id }) => id });
  return useAll(feed);
}

/** Largest number of alarms on a screen. Beyond it, the least important ones are left out. */
const ALARMS_MAX = 12_000;

export function useAlarms(login: Login): Feed<AlarmRow> {
  const scope = scopeOf(login);
  return useFeed<AlarmRow>({ stream: `alarms/${scope}`, path: `alarms/${scope}`, token: login.token, key: ({ id }) => id, isGone: ({ state }) => state === 'normal', max: ALARMS_MAX, order: byImportance });
}

export function useOverview(login: Login): Feed<OverviewRow> {
  const scope = scopeOf(login);
  return useFeed<OverviewRow>({ stream: `overview/${scope}`, path: `overview/${scope}`, token: login.token, key: ({ locationId }) => locationId });
}

export function useNetwork(login: Login): Asked<Network> {
  const scope = scopeOf(login);
  return useAsk(`network-${scope}`, (asking) => get<Network>(login.token, `map/network/${scope}`, asking));
}

/** Totals of the substations. Load and frequency come from live values only and are null if there is none. */
export interface Totals {
  /** Null while the server has not the active network in memory. */
  readonly customersWithoutSupply: number | null;
  /** Text: the number of dead feeders, and the reasons why some of them add no customers to the total. */
  readonly dead: string;
  readonly loadMw: number | null;
  readonly hz: number | null;
  readonly substations: number;
  readonly online: number;
  /** The substation whose RTU has been offline longest; null if all are online. */
  readonly silent: OverviewRow | null;
}

/** Largest number of dead feeders that the text names. */
const NAMED_MAX = 2;

/** Returns a text with the number of dead feeders, and the first names of those that add no customers to the total, with the reasons. */
export function deadText(rows: readonly Pick<OverviewRow, 'name' | 'deadFeeders'>[]): string {
  const dead = rows.flatMap(({ name, deadFeeders }) => deadFeeders.map((feeder) => ({ ...feeder, place: name })));
  const uncounted = dead.filter(({ customers, feedsSubstation }) => !customers || feedsSubstation);
  const named = uncounted.slice(0, NAMED_MAX).map(({ assetName: feeder, place, customers, feedsSubstation }) => {
    if (feedsSubstation) return t('overview.suppliesSubstation', { feeder, place });
    return customers === 0 ? t('overview.suppliesNobody', { feeder, place }) : t('overview.customersNotEntered', { feeder, place });
  });
  const more = uncounted.length - named.length;
  return [t('overview.feedersDead', { n: dead.length }), ...named, ...(more > 0 ? [t('overview.moreUncounted', { n: more })] : [])].join('; ');
}

export function useTotals(feed: Feed<OverviewRow>): Totals {
  const rows = useAll(feed);
  return useMemo(() => totals(rows), [rows]);
}

export function totals(rows: readonly OverviewRow[]): Totals {
  // A lower substation's load flows through a higher one. Only the highest voltage is added up, so that no load counts twice.
  const volts = ({ kv }: OverviewRow) => Number.parseFloat(kv ?? '') || 0;
  const highest = Math.max(0, ...rows.map(volts));
  const loads = rows.filter((row) => row.online && looksLive(row.quality) && row.loadMw !== null && volts(row) === highest);
  const sinceOf = ({ since }: OverviewRow) => (typeof since === 'number' ? since : since ? Date.parse(since) : 0);
  return {
    customersWithoutSupply: rows.some(({ networkUnavailable }) => networkUnavailable) ? null : rows.reduce((sum, row) => sum + row.customersWithoutSupply, 0),
    dead: deadText(rows),
    loadMw: loads.length === 0 ? null : loads.reduce((sum, row) => sum + (row.loadMw ?? 0), 0),
    hz: rows.find(({ online, hz, quality }) => online && looksLive(quality) && hz !== null)?.hz ?? null,
    substations: rows.length,
    online: rows.filter(({ online }) => online).length,
    silent: rows.filter(({ online }) => !online).sort((a, b) => sinceOf(a) - sinceOf(b))[0] ?? null,
  };
}
