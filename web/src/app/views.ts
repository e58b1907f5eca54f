// The dashboard's tabs: which group each is in, and which assets can be chosen on it (specification 2, sections 2.5 and 4). Pure.
import type { Tab } from './tabs';

/** The tabs about the network; all others are about a place in it. */
const NETWORK = ['map', 'network', 'rtu-health', 'outages'];

/** `dashboard.sld` in the address is `sld`. */
export const short = (key: string) => key.replace('dashboard.', '');

export function groups(tabs: readonly Tab[]): { network: readonly Tab[]; place: readonly Tab[] } {
  const isNetwork = ({ key }: Tab) => NETWORK.includes(short(key));
  return { network: tabs.filter(isNetwork), place: tabs.filter((tab) => !isNetwork(tab)) };
}

/** Feeders and incomers; transformers; the substation itself. */
const [LINES, TRANSFORMERS, STATION] = [[1, 4], [2, 5], 11] as const;

/** The types of assets to choose from on a tab; null for all. Faults is about the place: it takes none. */
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

/** The tab after an asset was chosen: the substation itself has only its health. */
export function tabFor(assetType: number | null, tab: string): string {
  return assetType === STATION ? 'substation-health' : tab;
}
