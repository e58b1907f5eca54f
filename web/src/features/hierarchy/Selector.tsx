// The hierarchy selector: a level, a node of it, and the levels above the node (specification 2, section 2.2). The address can preset both.
import { useEffect, useMemo, useRef, useState } from 'react';
import { Combo } from '../../ui/Combo';
import { useAsk } from '../../ui/useAsk';
import { get, type ClientConfiguration, type HierarchyItem, type Login, type RoleLevel } from '../../wire/rest';
import { levelsOf, type Level, type LevelKey } from '../../ui/levels';
import { lastPlace, openingNode, openingPlace, rememberPlace, type OpeningPlace } from '../../ui/opening';
import { t } from '../../words';

export interface Node {
  readonly level: LevelKey;
  readonly id: number;
  readonly name: string;
  readonly tabs: readonly string[] | null;
  /** Type of an asset; null for other nodes. */
  readonly assetType: number | null;
  /** The id of the substation, or of the asset's substation. */
  readonly location: number | null;
}

interface Props {
  readonly login: Login;
  readonly app: string;
  /** The initial selection, if the lists contain it. */
  readonly preset: Pick<Node, 'level' | 'id'> | null;
  /** Whether a place is selected by role if there is no preset. */
  readonly opens?: boolean;
  /** Whether the preset is a place that a screen selected itself, for example before a reload. */
  readonly isAutomatic?: boolean;
  /** `isOwn` is false for a place that the selector selected itself. */
  readonly onChoose: (node: Node | null, isOwn: boolean) => void;
}

/** A row of a list. The additional fields belong to assets. */
type Listed = Pick<HierarchyItem, 'displayId' | 'displayName' | 'breadCrumbName'> & { readonly assetTypeId?: number; readonly assetPointId?: number };

function ofAsset(level: LevelKey, { displayId, assetTypeId, assetPointId }: Listed): Pick<Node, 'assetType' | 'location'> {
  if (level !== 'asset') return { assetType: null, location: level === 'substation' ? displayId : null };
  return { assetType: assetTypeId ?? null, location: assetPointId ?? null };
}

export function Selector({ login, app, preset, opens = false, isAutomatic = false, onChoose }: Props) {
  const { token, clientId, roleId } = login;
  const roles = useAsk(`levels-${clientId}-${roleId}`, (asking) => get<RoleLevel[]>(token, `role/rolesbyroleidinclself/${roleId}`, asking));
  const configuration = useAsk(`configuration-${clientId}`, (asking) => get<ClientConfiguration>(token, `client/clientconfiguration/${clientId}`, asking));
  // The configuration has the utility's names of the levels. Without them the list would change its words under the user's hand.
  const hasNames = configuration.data !== null || configuration.problem !== '';
  const levels = useMemo(() => (roles.data && hasNames ? levelsOf(login, roles.data, configuration.data?.labels ?? null, app) : []), [roles.data, hasNames, configuration.data, login, app]);
  const [key, setKey] = useState<LevelKey | null>(preset?.level ?? null);
  const [id, setId] = useState<number | null>(preset?.id ?? null);
  const level = levels.find((candidate) => candidate.key === key) ?? null;
  const nodes = useAsk(level?.path ?? null, (asking) => get<readonly Listed[]>(token, level?.path ?? '', asking));
  const items = useMemo<readonly Listed[] | null>(() => (level?.key === 'client' ? [{ displayId: clientId, displayName: login.clientName, breadCrumbName: login.clientName }] : nodes.data), [level, nodes.data, clientId, login.clientName]);
  const item = items?.find(({ displayId }) => displayId === (level?.key === 'client' ? clientId : id)) ?? null;
  // Until the user selects something, the selection is that of the role.
  const isOpening = useRef(opens && preset === null);
  const opening = useRef<OpeningPlace | null>(null);
  const [isOwn, setIsOwn] = useState(preset !== null && !isAutomatic);
  useEffect(() => {
    const place = isOpening.current && key === null ? openingPlace(roleId, levels, lastPlace(login)) : null;
    if (!place) return;
    opening.current = place;
    setKey(place.level);
    setId(place.id);
  }, [levels, key, roleId, login]);
  useEffect(() => {
    if (!isOpening.current || !items || level === null || opening.current === null) return;
    isOpening.current = false;
    // The last place may have been removed, or belong to another application.
    setId(openingNode(opening.current, items)?.displayId ?? null);
  }, [items, level]);
  useEffect(() => {
    if (isOwn && level && item) rememberPlace(login, { level: level.key, id: item.displayId, crumb: item.breadCrumbName });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each selection
  }, [isOwn, level?.key, item?.displayId]);
  useEffect(() => {
    onChoose(level && item ? { level: level.key, id: item.displayId, name: item.displayName, tabs: level.tabs, ...ofAsset(level.key, item) } : null, isOwn);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- called once for each selection
  }, [level?.key, item?.displayId]);
  const problem = roles.problem || nodes.problem;
  return (
    <div className="selector" role="group" aria-label={t('hierarchy.where')}>
      <label className="pick">
        <span>{t('hierarchy.selectLevel')}</span>
        <select
          data-testid="select-level"
          value={key ?? ''}
          disabled={levels.length === 0}
          onChange={(event) => {
            isOpening.current = false;
            setIsOwn(true);
            setKey((event.target.value || null) as Level['key'] | null);
            setId(null);
          }}
        >
          <option value="">{t('hierarchy.selectLevel2')}</option>
          {levels.map((candidate) => (
            <option key={candidate.key} value={candidate.key}>
              {candidate.name}
            </option>
          ))}
        </select>
      </label>
      {level?.path && (
        <Combo
          label={t('hierarchy.select', { name: level.name })}
          testId="select-node"
          disabled={!items}
          options={(items ?? []).map(({ displayId, displayName, breadCrumbName }) => ({ id: displayId, name: displayName, detail: breadCrumbName }))}
          value={id}
          onChoose={(chosen) => {
            setIsOwn(true);
            setId(chosen);
          }}
        />
      )}
      <p className="crumb" data-testid="breadcrumb" aria-live="polite">
        {problem ? (
          <>
            {problem}{' '}
            <button type="button" className="plain" onClick={roles.problem ? roles.retry : nodes.retry}>
              {t('hierarchy.tryAgain')}
            </button>
          </>
        ) : items && id !== null && !item ? (
          t('hierarchy.thePlaceInThisAddress')
        ) : (
          (item?.breadCrumbName ?? '')
        )}
      </p>
    </div>
  );
}
