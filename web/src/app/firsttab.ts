// The tab with which See Details opens: the first one that has data for the asset.
import { scopeOf } from '../features/analysis/view';
import type { Node } from '../features/hierarchy/Selector';
import { getEnergyOverTime } from '../wire/analysis-energy';
import { get, type Asking } from '../wire/rest';
import type { Tab } from './tabs';

/** Whether a tab has data for a node. */
type Probe = (token: string, node: Node, now: number, asking: Asking) => Promise<boolean>;

const DAY = 86_400_000;
/** The span that the energy tab of a place shows first. */
const SPAN_MS = 7 * DAY;
/** Number of buckets of the request. The tab has data if any bucket has a value. */
const BUCKETS = 7;

/** Tabs that can be empty, with their probes. Other tabs always show figures or a message about missing data. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'ee.energy': async (token, node, now, asking) => {
    const { rows } = await getEnergyOverTime(token, scopeOf(node), { from: now - SPAN_MS, to: now }, BUCKETS, { ...asking, isHeavy: true });
    return rows.some(({ energyIn_KWh, energyOut_KWh }) => energyIn_KWh !== null || energyOut_KWh !== null);
  },
  'asset.live-readings': async (token, node, _, asking) => (await get<readonly unknown[]>(token, `report/feederinstantaneousdata/${node.id}`, asking)).result.length > 0,
};

/** The key of the first tab with data. If no tab has data, the key of the first tab. A tab whose request fails is treated as one with data. */
export async function firstWithData(tabs: readonly Pick<Tab, 'key'>[], hasData: (key: string) => Promise<boolean>): Promise<string | null> {
  for (const { key } of tabs) {
    const found = await hasData(key).catch(() => true);
    if (found) return key;
  }
  return tabs[0]?.key ?? null;
}
