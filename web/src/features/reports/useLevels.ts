// The levels that a person may choose from, and the names of places: what lists and sentences about reports are made of.
import { useMemo } from 'react';
import { levelsOf, type Level, type LevelKey } from '../../ui/levels';
import { useAsk, type Asked } from '../../ui/useAsk';
import { get, type ClientConfiguration, type Login, type RoleLevel } from '../../wire/rest';
import type { Listed } from './places';

/** The application whose asset types the lists have. */
const APP = 'REPORT_EXPORT';

/** Empty until they are known; labels are the utility's own. */
export function useLevels(login: Login): { readonly levels: readonly Level[]; readonly asked: Asked<RoleLevel[]> } {
  const { token, clientId, roleId } = login;
  const asked = useAsk(`levels-${clientId}-${roleId}`, () => get<RoleLevel[]>(token, `role/rolesbyroleidinclself/${roleId}`));
  const configuration = useAsk(`configuration-${clientId}`, () => get<ClientConfiguration>(token, `client/clientconfiguration/${clientId}`));
  const levels = useMemo(() => (asked.data ? levelsOf(login, asked.data, configuration.data?.labels ?? null, APP) : []), [asked.data, configuration.data, login]);
  return { levels, asked };
}

/** The names of places of some levels, by level and id; what is not known yet, or not any more, is absent. */
export function usePlaceNames(login: Login, levels: readonly Level[], wanted: readonly LevelKey[]): (level: LevelKey, id: number) => string | undefined {
  const lists = levels.filter(({ key, path }) => path !== null && wanted.includes(key));
  const asked = useAsk(lists.length > 0 ? `names-${lists.map(({ key }) => key).join('-')}` : null, async () => {
    // One list that fails leaves the names of the others.
    const answers = await Promise.allSettled(lists.map(({ path }) => get<readonly Listed[]>(login.token, path ?? '')));
    return { result: new Map(answers.flatMap((answer, index) => (answer.status === 'fulfilled' ? answer.value.result.map(({ displayId, displayName }) => [`${lists[index]?.key}-${displayId}`, displayName] as const) : []))) };
  });
  return (level, id) => (level === 'client' ? login.clientName : asked.data?.get(`${level}-${id}`));
}
