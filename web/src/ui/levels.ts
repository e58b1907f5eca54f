// The levels that a user may select, and the list of nodes of each (specification 2, sections 2.2 and 6; specification 1, section 7).
import type { ClientConfiguration, Login, RoleLevel } from '../wire/rest';
import { t } from '../words';

export type LevelKey = 'client' | 'circle' | 'division' | 'town' | 'subdivision' | 'section' | 'substation' | 'asset';

export interface Level {
  readonly key: LevelKey;
  readonly name: string;
  /** The path of the call that lists the nodes; null for the utility, which is a single node. */
  readonly path: string | null;
  /** Names of the tabs that exist at this level; null for all. */
  readonly tabs: readonly string[] | null;
}

const BY_ROLE: Readonly<Record<string, LevelKey>> = {
  ClientAdmin: 'client',
  CircleAdmin: 'circle',
  DivisionAdmin: 'division',
  TownAdmin: 'town',
  SubdivisionAdmin: 'subdivision',
  SectionAdmin: 'section',
  SubstationAdmin: 'substation',
};

/** The asset types that an application lists (specification 1, section 7). */
export function assetTypes(app: string): string {
  if (app === 'ASSET') return '2,5';
  return app === 'REPORT_EXPORT' ? '1,4,2,5' : '1,4';
}

/** Returns the levels from the top down. For a super user the calls list by utility, else by user. A user restricted to a part has no utility level. */
export function levelsOf(login: Pick<Login, 'id' | 'roleId' | 'clientId' | 'clientName'>, roles: readonly RoleLevel[], labels: ClientConfiguration['labels'] | null, app: string): readonly Level[] {
  const scope = login.roleId === 1 ? `byclient/${login.clientId}` : `byuser/${login.id}`;
  const levels = roles.flatMap(({ levelName, tabsList }): Level[] => {
    const key = BY_ROLE[levelName];
    if (!key) return [];
    const tabs = tabsList.split(',').map((name) => name.trim());
    return [{ key, name: key === 'client' ? t('hierarchy.client') : label(labels, key), path: key === 'client' ? null : `${key}/${key}s${scope}`, tabs }];
  });
  return [...levels, { key: 'asset', name: label(labels, 'asset'), path: `asset/assets${scope}/${assetTypes(app)}`, tabs: null }];
}

function label(labels: ClientConfiguration['labels'] | null, key: Exclude<LevelKey, 'client'>): string {
  return labels?.[key] || key.charAt(0).toUpperCase() + key.slice(1);
}
