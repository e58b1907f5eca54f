// The places of a report: its level, and the lists that lead to the places of that level (specification 3, sections 4 and 6).
import { useEffect, useMemo, useRef, useState } from 'react';
import { Combo } from '../../ui/Combo';
import { ComboMany } from '../../ui/ComboMany';
import { useAsk } from '../../ui/useAsk';
import { get, type Login } from '../../wire/rest';
import type { Level, LevelKey } from '../../ui/levels';
import { lastPlace, openingNode, openingPlace } from '../../ui/opening';
import { feedersIn, locationsIn, optionOf, type Listed } from './places';
import { placesOf } from './rules';
import { useLevels } from './useLevels';
import { t } from '../../words';

interface Props {
  readonly login: Login;
  readonly level: LevelKey | null;
  readonly nodes: readonly number[];
  /** Whether several places can be selected. */
  readonly isMany: boolean;
  /** Changes when the places come from elsewhere, such as a saved selection. The narrowing lists are then reset. */
  readonly taken?: number;
  /** Whether a place is selected by role at first. */
  readonly opens?: boolean;
  readonly onLevel: (level: LevelKey | null) => void;
  readonly onNodes: (nodes: readonly number[]) => void;
}

export function Places({ login, level, nodes, isMany, taken = 0, opens = false, onLevel, onNodes }: Props) {
  const { token, clientId, roleId } = login;
  const { levels, asked: roles } = useLevels(login);
  const by = (key: LevelKey | null) => levels.find((one) => one.key === key) ?? null;
  const own = by(level);
  const needed = placesOf(level);
  // Below a division, the first list narrows the lists below it. A user without access to divisions has no such list.
  const area = needed.includes('location') ? by('division') : needed.includes('area') ? own : null;
  const areas = useList(token, area);
  const locations = useList(token, needed.includes('location') ? by('substation') : null);
  const feeders = useList(token, needed.includes('feeder') ? by('asset') : null);
  const [division, setDivision] = useState<number | null>(null);
  const [location, setLocation] = useState<number | null>(null);
  useEffect(() => {
    setDivision(null);
    setLocation(null);
  }, [level, taken]);
  // The utility is a single place, so it is selected together with its level.
  useEffect(() => {
    if (level === 'client' && nodes.length === 0) onNodes([clientId]);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- called once for each selection
  }, [level, nodes.length]);
  const inDivision = useMemo(() => locationsIn(locations.data ?? [], division), [locations.data, division]);
  const inLocation = useMemo(() => feedersIn(feeders.data ?? [], locations.data ?? [], division, location), [feeders.data, locations.data, division, location]);
  // Saved places that were deleted, or that this user may not see, are not requested.
  const all = level === 'asset' ? feeders.data : level === 'substation' ? locations.data : needed.length === 1 ? areas.data : null;
  // Until the user selects something, the selection is that of the role.
  const isOpening = useRef(opens && level === null);
  const opening = isOpening.current ? openingPlace(roleId, levels, lastPlace(login)) : null;
  useEffect(() => {
    if (opening && level === null) onLevel(opening.level);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- called once, when the levels are there
  }, [opening?.level, level]);
  useEffect(() => {
    if (!opening || !all || level !== opening.level) return;
    isOpening.current = false;
    const place = openingNode(opening, all);
    if (place && nodes.length === 0) onNodes([place.displayId]);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- called once, when the list is there
  }, [all, level]);
  const known = useMemo(() => all && new Set(all.map(({ displayId }) => displayId)), [all]);
  const gone = known ? nodes.filter((id) => !known.has(id)).length : 0;
  const [lost, setLost] = useState(0);
  useEffect(() => setLost(0), [level, taken]);
  useEffect(() => {
    if (!known || gone === 0) return;
    setLost(gone);
    onNodes(nodes.filter((id) => known.has(id)));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- called once for each list
  }, [known, gone]);
  const failed = [roles, areas, locations, feeders].find(({ problem }) => problem);
  const choice = (name: string, testId: string, rows: readonly Listed[] | null) => {
    const props = { label: name, testId, disabled: rows === null, options: (rows ?? []).map(optionOf) };
    return isMany ? <ComboMany {...props} values={nodes} onChoose={onNodes} /> : <Combo {...props} value={nodes.length === 1 ? (nodes[0] ?? null) : null} onChoose={(id) => onNodes([id])} />;
  };
  return (
    <>
      <label className="field">
        <span>{t('reports.reportLevel')}</span>
        <select
          data-testid="report-level"
          value={level ?? ''}
          disabled={levels.length === 0}
          onChange={(event) => {
            isOpening.current = false;
            onLevel((event.target.value || null) as LevelKey | null);
          }}
        >
          <option value="">{t('reports.select')}</option>
          {levels.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {needed.length === 1 && area ? (
        choice(area.name, 'report-area', areas.data)
      ) : (
        <Narrowing
          name={by('division')?.name ?? t('reports.division')}
          testId="report-area"
          rows={area ? areas.data : null}
          value={division}
          onChoose={(id) => {
            setDivision(id);
            setLocation(null);
            onNodes([]);
          }}
        />
      )}
      {level === 'substation' ? (
        choice(own?.name ?? '', 'report-location', locations.data && inDivision)
      ) : (
        <Narrowing
          name={by('substation')?.name ?? t('reports.location')}
          testId="report-location"
          rows={needed.includes('feeder') && locations.data ? inDivision : null}
          value={location}
          onChoose={(id) => {
            setLocation(id);
            onNodes([]);
          }}
        />
      )}
      {level === 'asset' ? choice(own?.name ?? '', 'report-feeder', feeders.data && inLocation) : <Narrowing name={by('asset')?.name ?? t('reports.feeder')} testId="report-feeder" rows={null} value={null} onChoose={() => undefined} />}
      {lost > 0 && (
        <p className="gone" role="status" data-testid="places-gone">
          {t('reportskept.placesGone', { gone: lost })}
        </p>
      )}
      {failed && (
        <p className="problem" role="alert">
          {failed.problem}{' '}
          <button type="button" className="plain" onClick={failed.retry}>
            {t('ui.tryAgain')}
          </button>
        </p>
      )}
    </>
  );
}

/** Loads the places of a level. */
function useList(token: string, level: Level | null) {
  return useAsk(level?.path ?? null, (asking) => get<readonly Listed[]>(token, level?.path ?? '', asking));
}

interface NarrowingProps {
  readonly name: string;
  readonly testId: string;
  /** Null while the list is not available. */
  readonly rows: readonly Listed[] | null;
  readonly value: number | null;
  readonly onChoose: (id: number | null) => void;
}

/** A list that narrows the lists below it. It is disabled if the level does not use it. */
function Narrowing({ name, testId, rows, value, onChoose }: NarrowingProps) {
  return (
    <label className="field">
      <span>{name}</span>
      <select data-testid={testId} disabled={rows === null} value={value ?? ''} onChange={(event) => onChoose(event.target.value === '' ? null : Number(event.target.value))}>
        <option value="">{rows === null ? '–' : t('reports.allOfThem')}</option>
        {rows?.map(({ displayId, displayName }) => (
          <option key={displayId} value={displayId}>
            {displayName}
          </option>
        ))}
      </select>
    </label>
  );
}
