// The place with which a screen opens: by role, else the user's last place (specification 3, section 4).
import type { HierarchyItem, Login } from '../wire/rest';
import type { Level, LevelKey } from './levels';

export interface OpeningPlace {
  readonly level: LevelKey;
  /** Null means the first node of the level. */
  readonly id: number | null;
  /** The names from the circle down to the place, joined by ` › `; empty if they are not known. */
  readonly crumb: string;
}

/** Levels by role: the super user, client administrators and division users start with a division, circle users with a location. */
const BY_ROLE: Readonly<Record<number, LevelKey>> = { 1: 'division', 2: 'division', 3: 'substation', 4: 'division' };

/**
 * Returns the level and node of a screen that opens without a place in its address. A role without a level of its own opens with the last
 * place, else with the topmost level. Within the level of the role, `openingNode` selects the last place or the node above it. Null without levels.
 */
export function openingPlace(roleId: number, levels: readonly Pick<Level, 'key'>[], last: OpeningPlace | null): OpeningPlace | null {
  const has = (key: LevelKey | undefined) => levels.some((level) => level.key === key);
  const byRole = BY_ROLE[roleId];
  const level = has(byRole) ? byRole : has(last?.level) ? last?.level : levels[0]?.key;
  return level ? { level, id: last?.level === level ? last.id : null, crumb: last?.crumb ?? '' } : null;
}

/** Selects a row of the opening level: the place itself, else the node above it, else the first row. */
export function openingNode<T extends Pick<HierarchyItem, 'displayId' | 'breadCrumbName'>>({ id, crumb }: OpeningPlace, rows: readonly T[]): T | null {
  return rows.find(({ displayId }) => displayId === id) ?? rows.find(({ breadCrumbName }) => crumb.startsWith(`${breadCrumbName} › `)) ?? rows[0] ?? null;
}

type Person = Pick<Login, 'id' | 'clientId'>;
const keyOf = ({ id, clientId }: Person) => `switchyard.place.${clientId}.${id}`;
const LEVELS: readonly string[] = ['client', 'circle', 'division', 'town', 'subdivision', 'section', 'substation', 'asset'] satisfies LevelKey[];

/** The place that a user has last selected in this browser; null if there is none. */
export function lastPlace(person: Person): OpeningPlace | null {
  const [, level = '', id = '', crumb = ''] = /^([a-z]+)\/([1-9]\d{0,15})(?:\/(.*))?$/.exec(localStorage.getItem(keyOf(person)) ?? '') ?? [];
  return LEVELS.includes(level) ? { level: level as LevelKey, id: Number(id), crumb } : null;
}

/** Stores a place that the user selected, or that a link opened. A place that a screen selected itself is not the user's. */
export function rememberPlace(person: Person, { level, id, crumb }: OpeningPlace & { readonly id: number }): void {
  localStorage.setItem(keyOf(person), `${level}/${id}/${crumb}`);
}
