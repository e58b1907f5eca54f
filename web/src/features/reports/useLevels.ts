// The levels that a user may select, and the names of places, for lists and sentences about reports.
import { useMemo } from 'react';
import { levelsOf, type Level, type LevelKey } from '../../ui/levels';
import { useAsk, type Asked } from '../../ui/useAsk';
import { get, type ClientConfiguration, type Login, type RoleLevel } from '../../wire/rest';
import type { Listed } from './places';

/** The application that determines the asset types in the lists. */
const APP = 'REPORT_EXPORT';

/** The levels with the utility's labels; empty until they are loaded. */
export function useLevels(login: Login): { readonly levels: readonly Level[]; readonly asked: Asked<RoleLevel[]> } {
  const { token, clientId, roleId } = login;
  const asked = useAsk(`levels-${clientId}-${roleId}`, (asking) => get<RoleLevel[]>(token, `role/rolesbyroleidinclself/${roleId}`, asking));
  const configuration = useAsk(`configuration-${clientId}`, (asking) => get<ClientConfiguration>(token, `client/clientconfiguration/${clientId}`, asking));
  const levels = useMemo(() => (asked.data ? levelsOf(login, asked.data, configuration.data?.labels ?? null, APP) : []), [asked.data, configuration.data, login]);
  return { levels, asked };
}

/** Looks up names of places by level and id. Undefined for places that are not loaded or no longer exist. */
export function usePlaceNames(login: Login, levels: readonly Level[], wanted: readonly LevelKey[]): (level: LevelKey, id: number) => string | undefined {
  const lists = levels.filter(({ key, path }) => path !== null && wanted.includes(key));
  const asked = useAsk(lists.length > 0 ? `names-${lists.map(({ key }) => key).join('-')}` : null, async (asking) => {
    // The names of other lists remain if one list fails.
    const answers = await Promise.allSettled(lists.map(({ path }) => get<readonly Listed[]>(login.token, path ?? '', asking)));
    return { result: new Map(answers.flatMap((answer, index) => (answer.status === 'fulfilled' ? answer.value.result.map(({ displayId, displayName }) => [`${lists[index]?.key}-${displayId}`, displayName] as const) : []))) };
  });
  return (level, id) => (level === 'client' ? login.clientName : asked.data?.get(`${level}-${id}`));
}
