// The places of a list, narrowed by the selections above it. Pure.
import type { Option } from '../../ui/Combo';
import type { HierarchyItem } from '../../wire/rest';

/** A row of a list of places. Substations have the id of their division, assets that of their substation. */
export type Listed = Pick<HierarchyItem, 'displayId' | 'displayName' | 'breadCrumbName'> & { readonly divisionId?: number; readonly assetPointId?: number };

export const optionOf = ({ displayId, displayName, breadCrumbName }: Listed): Option => ({ id: displayId, name: displayName, detail: breadCrumbName });

/** The substations of a division; all if `division` is null. */
export function locationsIn(locations: readonly Listed[], division: number | null): readonly Listed[] {
  return division === null ? locations : locations.filter(({ divisionId }) => divisionId === division);
}

/** The assets of a substation, or of all substations of a division. */
export function feedersIn(feeders: readonly Listed[], locations: readonly Listed[], division: number | null, location: number | null): readonly Listed[] {
  if (location !== null) return feeders.filter(({ assetPointId }) => assetPointId === location);
  if (division === null) return feeders;
  const inside = new Set(locationsIn(locations, division).map(({ displayId }) => displayId));
  return feeders.filter(({ assetPointId }) => assetPointId !== undefined && inside.has(assetPointId));
}
