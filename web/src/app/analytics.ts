// The tabs of an application at a place, and the place and tab in an address (specification 3, section 2.1; specification 2, sections 2.2
// and 2.9). Pure.
import type { LevelKey } from '../ui/levels';
import { readPreset } from '../features/hierarchy/preset';
import type { Tab } from './tabs';

/** A node of the hierarchy, or an asset. */
export interface Place {
  readonly level: LevelKey;
  readonly id: number;
}

/** Paths that show the same screen, each with the path of its pages. */
const SAME: Readonly<Record<string, string>> = { '/asset': '/assetreportsnew', '/assetreports': '/assetreportsnew' };

export function pagesPath(path: string): string {
  return SAME[path] ?? path;
}

/** Tabs that exist only for one asset (specification 3, section 6). */
const OF_ASSETS: readonly string[] = ['ee.quality-check', 'asset.live-readings', 'asset.permissible-loading'];

/**
 * Returns the tabs to show; the first is the default. A tab is shown if the role has its page on this path, it is built, and the level of
 * the place allows it. Empty before a place is selected.
 */
export function tabsAt(
  tabs: readonly Tab[],
  path: string,
  node: (Place & { readonly tabs: readonly string[] | null }) | null,
  built: readonly string[],
): readonly Tab[] {
  if (!node) return [];
  return tabs.filter(
    ({ key, name, path: own }) =>
      own === pagesPath(path) &&
      built.includes(key) &&
      (node.tabs === null || node.tabs.includes(name)) &&
      (node.level === 'asset' || !OF_ASSETS.includes(key)),
  );
}

const LEVELS: readonly string[] = [
  'client',
  'circle',
  'division',
  'town',
  'subdivision',
  'section',
  'substation',
  'asset',
] satisfies LevelKey[];

/** The place in an address, written by this screen or by a link. The caller must check that the user's lists contain it. */
export function placeIn(search: string): Place | null {
  const query = new URLSearchParams(search);
  const [level, id] = [query.get('level') ?? '', query.get('node') ?? ''];
  if (LEVELS.includes(level) && /^[1-9]\d{0,15}$/.test(id)) return { level: level as LevelKey, id: Number(id) };
  const preset = readPreset(search);
  return preset && { level: preset.level, id: preset.id };
}

/** The query of a place, with an optional tab and site. */
export function queryOf({ level, id }: Place, tab: string | null, device: number | null = null): URLSearchParams {
  return new URLSearchParams({ level, node: String(id), ...(tab ? { tab } : {}), ...(device === null ? {} : { site: String(device) }) });
}

/** The path of the optimiser, which replaces the tabs. */
export const OPTIMISER = '/lowcarbon';
const OPTIMISER_PAGES: readonly string[] = ['lc.site-analytics', 'lc.energy-consumption', 'lc.power-flow'];

/**
 * The pages that decide which parts of the optimiser are shown. They are not tabs, so the tab list of a level does not restrict them: the
 * list of the substation, the level of the sites, contains none of them.
 */
export function optimiserPages(tabs: readonly Tab[]): readonly string[] {
  return tabs.filter(({ key, path }) => path === OPTIMISER && OPTIMISER_PAGES.includes(key)).map(({ key }) => key);
}

/** The site in an address. The caller must check that the place has it. */
export function deviceIn(search: string): number | null {
  const text = new URLSearchParams(search).get('site') ?? '';
  return /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The place whose sites are shown. Sites belong to substations, so an asset is replaced by its substation. */
export function optimiserPlace(node: Place & { readonly name: string; readonly location: number | null }) {
  return node.level === 'asset' && node.location !== null ? { level: 'substation', id: node.location, name: node.name } : node;
}

interface Addressed {
  readonly assetId: number;
  /** Name within the gateway, `bay/metric`. */
  readonly pointName: string;
}

/**
 * Returns the line in the bay of a device, of the lines that can be analysed. Null if the bay has none or more than one, such as the bay
 * of a bus coupler.
 */
export function lineOf(asset: number, rows: readonly Addressed[], lines: readonly { readonly assetId: number }[]): number | null {
  if (lines.some(({ assetId }) => assetId === asset)) return asset;
  const bayOf = (id: number) => rows.find(({ assetId }) => assetId === id)?.pointName.split('/')[0];
  const bay = bayOf(asset);
  if (!bay) return null;
  const found = lines.filter(({ assetId }) => bayOf(assetId) === bay);
  return found.length === 1 ? (found[0]?.assetId ?? null) : null;
}
