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

/** The key of the left pane that shows the diagram beside the tables. */
export const DIAGRAM = 'diagram';

type Named = readonly [key: string, name: string];

/** The tabs of the left pane: those about the network, and the diagram if the user has its tab (specification 2, section 2.5). */
export function paneTabs({ network, place }: ReturnType<typeof groups>): readonly Named[] {
  const diagram = place.filter(({ key }) => short(key) === 'sld').map(({ name }): Named => [DIAGRAM, name]);
  return [...network.map(({ key, name }): Named => [short(key), name]), ...diagram];
}

/**
 * The changes of the address after a tab is selected in the left pane (`area`) or on the right (`tab`). The diagram is shown once: each
 * side gives it up when the other side takes it.
 */
export function sideBySide(chosen: { readonly area: string } | { readonly tab: string }, now: { readonly area: string | null; readonly tab: string }, tabs: readonly Named[]): Record<string, string | null> {
  if ('area' in chosen) {
    const other = tabs.find(([key]) => key !== 'sld')?.[0];
    return chosen.area === DIAGRAM && now.tab === 'sld' && other ? { area: DIAGRAM, tab: other } : { area: chosen.area };
  }
  return chosen.tab === 'sld' && now.area === DIAGRAM ? { area: null, tab: chosen.tab } : { tab: chosen.tab };
}

/** Asset types: feeders and incomers, transformers, the substation itself. */
const [LINES, TRANSFORMERS, STATION] = [[1, 4], [2, 5], 11] as const;

/** Parts of the address that stay when another location is chosen: the tab of the left pane, and the view of the readings. */
const KEPT: readonly string[] = ['area', 'view'];

/** The address of a location. What belonged to the previous one, such as its asset and device, is left out. */
export function addressOf(location: number, tab: string, before: URLSearchParams): URLSearchParams {
  const kept = [...before].filter(([key]) => KEPT.includes(key));
  return new URLSearchParams([['location', String(location)], ['tab', tab], ...kept]);
}

/** The asset types that can be selected on a tab; null for all. Faults happen on lines and transformers. */
export function typesOn(tab: string): readonly number[] | null {
  switch (tab) {
    case 'faults':
      return [...LINES, ...TRANSFORMERS];
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
