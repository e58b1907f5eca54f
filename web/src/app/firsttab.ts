// The tab with which See Details opens: the first one that has data for the asset.
import { scopeOf } from '../features/analysis/view';
import type { Node } from '../features/hierarchy/Selector';
import { getEnergyOverTime } from '../wire/analysis-energy';
import { get, type Asking } from '../wire/rest';
import type { Tab } from './tabs';

/** Whether a tab has data for a node. */
type Probe = (token: string, node: Node, now: number, asking: Asking) => Promise<boolean>;

const DAY = 86_400_000;
/** The span that the energy of a place opens with. */
const SPAN_MS = 7 * DAY;
/** Buckets of the request: a value in any of them is enough. */
const BUCKETS = 7;

/** Tabs that can be empty. Others always have figures or say what is missing. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'ee.energy': async (token, node, now, asking) => {
    const { rows } = await getEnergyOverTime(token, scopeOf(node), { from: now - SPAN_MS, to: now }, BUCKETS, { ...asking, isHeavy: true });
    return rows.some(({ energyIn_KWh, energyOut_KWh }) => energyIn_KWh !== null || energyOut_KWh !== null);
  },
  'asset.live-readings': async (token, node, _, asking) => (await get<readonly unknown[]>(token, `report/feederinstantaneousdata/${node.id}`, asking)).result.length > 0,
};

/** The key of the first tab with data; that of the first tab if none has data, or if it cannot be found out. */
export async function firstWithData(tabs: readonly Pick<Tab, 'key'>[], hasData: (key: string) => Promise<boolean>): Promise<string | null> {
  for (const { key } of tabs) {
    const found = await hasData(key).catch(() => true);
    if (found) return key;
  }
  return tabs[0]?.key ?? null;
}
