// The dashboard's tabs: the group of each, and the assets that can be selected on it (specification 2, sections 2.5 and 4). Pure.
import type { Tab } from './tabs';

/** Tabs about the network. All other tabs are about one substation. */
const NETWORK = ['map', 'network', 'rtu-health', 'outages'];

/** The key of a tab in the address: `dashboard.sld` becomes `sld`. */
export const short = (key: string) => key.replace('dashboard.', '');

export function groups(tabs: readonly Tab[]): { network: readonly Tab[]; place: readonly Tab[] } {
  const isNetwork = ({ key }: Tab) => NETWORK.includes(short(key));
  return { network: tabs.filter(isNetwork), place: tabs.filter((tab) => !isNetwork(tab)) };
}

/** Asset types: feeders and incomers, transformers, the substation itself. */
const [LINES, TRANSFORMERS, STATION] = [[1, 4], [2, 5], 11] as const;

/** The asset types that can be selected on a tab; null for all. The faults tab shows the whole substation and offers none. */
export function typesOn(tab: string): readonly number[] | null {
  switch (tab) {
    case 'faults':
      return [];
    case 'analog-log':
    case 'analog-realtime':
    case 'power-quality':
      return LINES;
    case 'asset':
      return TRANSFORMERS;
    default:
      return null;
  }
}

/** The tab to show after an asset is selected. The substation itself has only the health tab. */
export function tabFor(assetType: number | null, tab: string): string {
  return assetType === STATION ? 'substation-health' : tab;
}
