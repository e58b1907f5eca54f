// The areas of responsibility and the desks of the utility. They are stored as a whole, after the administrator has confirmed the credentials.
import { useState, type FormEvent } from 'react';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import { getAreas, putAreas, type Areas, type PlannedPart } from '../../wire/areas';
import { get, type HierarchyItem, type Schemas } from '../../wire/rest';
import { t } from '../../words';
import { useConfirmedSave } from './useConfirmedSave';

interface Props {
  readonly token: string;
  readonly username: string;
  readonly client: number;
  readonly utility: string;
}

/** A part with its name. */
interface Part extends PlannedPart {
  readonly name: string;
}

interface Desk {
  readonly id: number | null;
  readonly name: string;
  readonly isDefault: boolean;
}

interface Area {
  readonly id: number | null;
  readonly name: string;
  readonly parts: readonly Part[];
}

interface Draft {
  readonly desks: readonly Desk[];
  readonly areas: readonly Area[];
}

const draftOf = ({ desks, areas }: Areas): Draft => ({
  desks,
  areas: areas.filter(({ isRest }) => !isRest).map(({ id, name, parts }) => ({ id, name, parts: parts.map((part) => ({ nodeId: part.nodeId ?? null, container: part.container ?? null, name: part.name })) })),
});

const keyOf = ({ nodeId, container }: PlannedPart) => (nodeId != null ? `node ${nodeId}` : `container ${container ?? ''}`);

/** Lists of nodes, from the top down. */
const LEVELS = ['circle/circlesbyclient', 'division/divisionsbyclient', 'town/townsbyclient', 'subdivision/subdivisionsbyclient', 'section/sectionsbyclient', 'substation/substationsbyclient'] as const;

/** All parts that an area can have: nodes of the hierarchy, level by level, and the feeders of the network. */
async function readParts(token: string, client: number): Promise<readonly (readonly Part[])[]> {
  const nodes = await Promise.all(LEVELS.map((path) => get<readonly HierarchyItem[]>(token, `${path}/${client}`)));
  const { result: feeders } = await get<readonly Schemas['NetworkFeeder'][]>(token, 'network/feeders');
  const levels = nodes.map(({ result }) => result.map(({ displayId, displayName }) => ({ nodeId: displayId, container: null, name: displayName })));
  return [...levels, feeders.map(({ id, name }) => ({ nodeId: null, container: id, name: name || id }))];
}

export function AreasAndDesks({ token, username, client, utility }: Props) {
  const all = useAsk(`areas-of-${client}`, async (asking) => ({ result: { stored: (await getAreas(token, asking)).result, choices: await readParts(token, client) } }));
  return (
    <>
      <p>{t('areas.about')}</p>
      <Answered asked={all}>{({ stored, choices }) => <Form token={token} username={username} utility={utility} stored={stored} choices={choices} />}</Answered>
    </>
  );
}

function Form({ token, username, utility, stored, choices }: { readonly token: string; readonly username: string; readonly utility: string; readonly stored: Areas; readonly choices: readonly (readonly Part[])[] }) {
  const [kept, setKept] = useState(() => draftOf(stored));
  const [now, setNow] = useState(kept);
  const { confirm, problem, dialog } = useConfirmedSave({ token, username, operation: { path: utility, words: t('areas.change') } }, async () => {
    const desks = now.desks.map(({ id, name }) => ({ id, name: name.trim() }));
    const areas = now.areas.map(({ id, name, parts }) => ({ id, name: name.trim(), parts: parts.map(({ nodeId, container }) => ({ nodeId: nodeId ?? null, container: container ?? null })) }));
    const { result } = await putAreas(token, { desks, areas });
    setKept(draftOf(result));
    setNow(draftOf(result));
    toast(t('areas.saved'));
  });
  const isChanged = JSON.stringify(now) !== JSON.stringify(kept);
  const putDesk = (at: number, desk: Desk) => setNow({ ...now, desks: now.desks.map((other, index) => (index === at ? desk : other)) });
  const putArea = (at: number, area: Area) => setNow({ ...now, areas: now.areas.map((other, index) => (index === at ? area : other)) });
  const taken = new Set(now.areas.flatMap((area) => area.parts.map(keyOf)));
  const ask = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) confirm();
  };
  return (
    <>
      <form className="fields areas-form" onSubmit={ask}>
        <fieldset>
          <legend>{t('areas.desks')}</legend>
          {now.desks.map((desk, at) => (
            <div key={desk.id ?? `new-${at}`} className="area-parts">
              <input aria-label={t('areas.nameOfDesk')} data-testid="desk-name" required maxLength={60} value={desk.name} onChange={(event) => putDesk(at, { ...desk, name: event.target.value })} />
              {desk.isDefault ? (
                <small>{t('areas.defaultDesk')}</small>
              ) : (
                <button type="button" className="plain" aria-label={t('areas.removeOf', { name: desk.name })} onClick={() => setNow({ ...now, desks: now.desks.filter((_, index) => index !== at) })}>
                  {t('areas.remove')}
                </button>
              )}
            </div>
          ))}
          <div>
            <button type="button" data-testid="desk-add" onClick={() => setNow({ ...now, desks: [...now.desks, { id: null, name: t('areas.newDesk'), isDefault: false }] })}>
              {t('areas.addDesk')}
            </button>
          </div>
        </fieldset>
        {now.areas.map((area, at) => (
          <fieldset key={area.id ?? `new-${at}`}>
            <legend>{area.name}</legend>
            <input aria-label={t('areas.nameOfArea')} data-testid="area-name" required maxLength={60} value={area.name} onChange={(event) => putArea(at, { ...area, name: event.target.value })} />
            <ul className="area-parts" aria-label={t('areas.parts')}>
              {area.parts.map((part) => (
                <li key={keyOf(part)}>
                  {part.name}{' '}
                  <button type="button" className="plain" aria-label={t('areas.removeOf', { name: part.name })} onClick={() => putArea(at, { ...area, parts: area.parts.filter((other) => keyOf(other) !== keyOf(part)) })}>
                    ×
                  </button>
                </li>
              ))}
            </ul>
            <select
              aria-label={t('areas.addPart', { area: area.name })}
              data-testid="area-part"
              value=""
              onChange={(event) => {
                const part = choices.flat().find((candidate) => keyOf(candidate) === event.target.value);
                if (part) putArea(at, { ...area, parts: [...area.parts, part] });
              }}
            >
              <option value="">{t('areas.choosePart')}</option>
              {choices.flat().filter((part) => !taken.has(keyOf(part))).map((part) => (
                <option key={keyOf(part)} value={keyOf(part)}>
                  {part.nodeId == null ? `${t('areas.feeders')}: ${part.name}` : part.name}
                </option>
              ))}
            </select>
            <div>
              <button type="button" className="plain" aria-label={t('areas.removeOf', { name: area.name })} onClick={() => setNow({ ...now, areas: now.areas.filter((_, index) => index !== at) })}>
                {t('areas.remove')}
              </button>
            </div>
          </fieldset>
        ))}
        <div>
          <button type="button" data-testid="area-add" onClick={() => setNow({ ...now, areas: [...now.areas, { id: null, name: t('areas.newArea'), parts: [] }] })}>
            {t('areas.addArea')}
          </button>
        </div>
        <p className="problem" role="alert" data-testid="areas-problem">
          {problem}
        </p>
        <div className="actions">
          <button type="submit" className="primary" data-testid="areas-save" disabled={!isChanged}>
            {t('areas.save')}
          </button>
        </div>
      </form>
      {dialog}
    </>
  );
}
