// The place with which a screen opens: by role, else the user's last place (specification 3, section 4).
import type { Login } from '../wire/rest';
import type { Level, LevelKey } from './levels';

export interface OpeningPlace {
  readonly level: LevelKey;
  /** Null means the first node of the level. */
  readonly id: number | null;
}

/** Levels by role: the super user, client administrators and division users start with a division, circle users with a location. */
const BY_ROLE: Readonly<Record<number, LevelKey>> = { 1: 'division', 2: 'division', 3: 'substation', 4: 'division' };

/**
 * Returns the level and node of a screen that opens without a place in its address. A role without a level of its own opens with the last
 * place, else with the topmost level. Within the level of the role, the last place is selected if it has this level. Null without levels.
 */
export function openingPlace(roleId: number, levels: readonly Pick<Level, 'key'>[], last: OpeningPlace | null): OpeningPlace | null {
  const has = (key: LevelKey | undefined) => levels.some((level) => level.key === key);
  const byRole = BY_ROLE[roleId];
  const level = has(byRole) ? byRole : has(last?.level) ? last?.level : levels[0]?.key;
  return level ? { level, id: last?.level === level ? last.id : null } : null;
}

type Person = Pick<Login, 'id' | 'clientId'>;
const keyOf = ({ id, clientId }: Person) => `switchyard.place.${clientId}.${id}`;
const LEVELS: readonly string[] = ['client', 'circle', 'division', 'town', 'subdivision', 'section', 'substation', 'asset'] satisfies LevelKey[];

/** The last place of a user in this browser; null if there is none. */
export function lastPlace(person: Person): OpeningPlace | null {
  const [, level = '', id = ''] = /^([a-z]+)\/([1-9]\d{0,15})$/.exec(localStorage.getItem(keyOf(person)) ?? '') ?? [];
  return LEVELS.includes(level) ? { level: level as LevelKey, id: Number(id) } : null;
}

export function rememberPlace(person: Person, { level, id }: { readonly level: LevelKey; readonly id: number }): void {
  localStorage.setItem(keyOf(person), `${level}/${id}`);
}
