// Which tabs of an application a place has, and how place and tab stand in the address (specification 3, section 2.1;
// specification 2, sections 2.2 and 2.9). Pure.
import type { LevelKey } from '../ui/levels';
import { readPreset } from '../features/hierarchy/preset';
import type { Tab } from './tabs';

/** A node of the hierarchy, or an asset. */
export interface Place {
  readonly level: LevelKey;
  readonly id: number;
}

/** Paths of the same screen, by the path whose pages it has. */
const SAME: Readonly<Record<string, string>> = { '/asset': '/assetreportsnew', '/assetreports': '/assetreportsnew' };

export function pagesPath(path: string): string {
  return SAME[path] ?? path;
}

/** What is about one asset and nothing else (specification 3, section 6). */
const OF_ASSETS: readonly string[] = ['ee.quality-check', 'asset.live-readings', 'asset.permissible-loading'];

/**
 * The tabs to show, the first by default: those of the role on this path that are built and that the place's level allows, less what only
 * assets have. None before a place is chosen.
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

/** The place in an address, as this screen writes it or as links carry it. Not trusted: it must be in the lists that a person is given. */
export function placeIn(search: string): Place | null {
  const query = new URLSearchParams(search);
  const [level, id] = [query.get('level') ?? '', query.get('node') ?? ''];
  if (LEVELS.includes(level) && /^[1-9]\d{0,15}$/.test(id)) return { level: level as LevelKey, id: Number(id) };
  const preset = readPreset(search);
  return preset && { level: preset.level, id: preset.id };
}

/** The query of a place, and a tab or a site of it. */
export function queryOf({ level, id }: Place, tab: string | null, device: number | null = null): URLSearchParams {
  return new URLSearchParams({ level, node: String(id), ...(tab ? { tab } : {}), ...(device === null ? {} : { site: String(device) }) });
}

/** Where the optimiser is, in the place of tabs. */
export const OPTIMISER = '/lowcarbon';
const OPTIMISER_PAGES: readonly string[] = ['lc.site-analytics', 'lc.energy-consumption', 'lc.power-flow'];

/**
 * The pages that decide what of the optimiser is seen. They are no tabs, so that the list of tabs of a level says nothing of them: that of
 * the substation, where sites lie, has none of them.
 */
export function optimiserPages(tabs: readonly Tab[]): readonly string[] {
  return tabs.filter(({ key, path }) => path === OPTIMISER && OPTIMISER_PAGES.includes(key)).map(({ key }) => key);
}

/** The site in an address. Not trusted: it must be among those of the place. */
export function deviceIn(search: string): number | null {
  const text = new URLSearchParams(search).get('site') ?? '';
  return /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Sites lie at substations: at an asset they are those of its substation. */
export function optimiserPlace(node: Place & { readonly name: string; readonly location: number | null }) {
  return node.level === 'asset' && node.location !== null ? { level: 'substation', id: node.location, name: node.name } : node;
}

interface Addressed {
  readonly assetId: number;
  /** Within the gateway, `bay/metric`. */
  readonly pointName: string;
}

/**
 * The line that a device belongs to, of those that can be analysed: the one in its bay. Null where there is none or more than one, such as
 * for a bus coupler.
 */
export function lineOf(asset: number, rows: readonly Addressed[], lines: readonly { readonly assetId: number }[]): number | null {
  if (lines.some(({ assetId }) => assetId === asset)) return asset;
  const bayOf = (id: number) => rows.find(({ assetId }) => assetId === id)?.pointName.split('/')[0];
  const bay = bayOf(asset);
  if (!bay) return null;
  const found = lines.filter(({ assetId }) => bayOf(assetId) === bay);
  return found.length === 1 ? (found[0]?.assetId ?? null) : null;
}
