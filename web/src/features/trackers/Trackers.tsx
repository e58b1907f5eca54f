// Performance trackers: the action on an alert, its owner and its due date (our definition, docs/reference/alarms.md).
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { DateField } from '../../ui/DateField';
import { FormFoot } from '../../ui/FormFoot';
import { Answered, useAsk } from '../../ui/useAsk';
import type { TrackerRow, TrackerState } from '../../wire/monitoring';
import { get, post, problemOf, type LocationRow } from '../../wire/rest';
import { t } from '../../words';

interface Props {
  readonly token: string;
  /** A level and an id, such as `client/1`. */
  readonly scope: string;
  readonly locations: readonly LocationRow[];
  readonly readOnly: boolean;
}

const STATES: Readonly<Record<TrackerState, string>> = { planned: t('trackers.planned'), in_progress: t('trackers.inProgress'), done: t('trackers.done'), cancelled: t('trackers.cancelled') };

export function Trackers({ token, scope, locations, readOnly }: Props) {
  const asked = useAsk(`trackers-${scope}`, (asking) => get<readonly TrackerRow[]>(token, `eetrackers/${scope}`, asking));
  const [editing, setEditing] = useState<TrackerRow | 'new' | null>(null);
  return (
    <>
      <div className="bar">
        <b>{t('trackers.trackers')}</b>
        <small>{t('trackers.about')}</small>
        {!readOnly && (
          <span className="tools">
            <button type="button" onClick={() => setEditing('new')} data-testid="tracker-new" disabled={locations.length === 0}>
              {t('trackers.new')}
            </button>
          </span>
        )}
      </div>
      <Answered asked={asked}>
        {(rows) =>
          rows.length === 0 ? (
            <div className="notice">{t('trackers.none')}</div>
          ) : (
            <div className="scroll">
              <table>
                <thead>
                  <tr>
                    <th>{t('trackers.due')}</th>
                    <th>{t('trackers.location')}</th>
                    <th>{t('trackers.asset')}</th>
                    <th>{t('trackers.what')}</th>
                    <th>{t('trackers.owner')}</th>
                    <th>{t('trackers.state')}</th>
                    <th>{t('trackers.by')}</th>
                    {!readOnly && <th>{t('trackers.change')}</th>}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.id} data-testid="tracker-row" data-bar={row.overdue ? 'warn' : undefined} data-dim={row.state === 'done' || row.state === 'cancelled'}>
                      <td>
                        {row.dueDate} {row.overdue && <small>{t('trackers.overdue')}</small>}
                      </td>
                      <td>{row.locationName}</td>
                      <td>{row.assetName ?? '–'}</td>
                      <td className="long">{row.text}</td>
                      <td>{row.owner}</td>
                      <td>{STATES[row.state] ?? row.state}</td>
                      <td>{row.createdBy}</td>
                      {!readOnly && (
                        <td className="row-actions">
                          <button type="button" className="plain" onClick={() => setEditing(row)}>
                            {t('trackers.change')}
                          </button>
                        </td>
                      )}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Answered>
      {editing && (
        <TrackerForm
          token={token}
          row={editing === 'new' ? null : editing}
          locations={locations}
          onClose={() => setEditing(null)}
          onDone={() => {
            setEditing(null);
            asked.retry();
          }}
        />
      )}
    </>
  );
}

function TrackerForm({ token, row, locations, onClose, onDone }: { token: string; row: TrackerRow | null; locations: readonly LocationRow[]; onClose: () => void; onDone: () => void }) {
  const [location, setLocation] = useState(row?.locationId ?? locations[0]?.AssetPointId ?? 0);
  const [text, setText] = useState(row?.text ?? '');
  const [owner, setOwner] = useState(row?.owner ?? '');
  const [due, setDue] = useState(row?.dueDate ?? '');
  const [state, setState] = useState<TrackerState>(row?.state ?? 'planned');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const send = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    post(token, 'actionnotes', { ...(row ? { id: row.id } : {}), locationId: location, assetId: row?.assetId ?? null, text: text.trim(), owner: owner.trim(), dueDate: due, state }).then(onDone, (error: unknown) => {
      setProblem(problemOf(error));
      setBusy(false);
    });
  };
  return (
    <Dialog title={row ? t('trackers.changeTracker') : t('trackers.newTracker')} onClose={onClose}>
      <form className="fields" onSubmit={send}>
        <label className="field">
          {t('trackers.location')}
          <select value={location} disabled={row !== null} onChange={(event) => setLocation(Number(event.target.value))} data-first="">
            {locations.map(({ AssetPointId, AssetPointName }) => (
              <option key={AssetPointId} value={AssetPointId}>
                {AssetPointName}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          {t('trackers.what')}
          <textarea rows={3} required maxLength={1_000} value={text} onChange={(event) => setText(event.target.value)} data-testid="tracker-text" />
        </label>
        <label className="field">
          {t('trackers.owner')}
          <input required maxLength={100} value={owner} onChange={(event) => setOwner(event.target.value)} data-testid="tracker-owner" />
        </label>
        <label className="field">
          {t('trackers.due')}
          <DateField required value={due} onChange={setDue} testId="tracker-due" />
        </label>
        <label className="field">
          {t('trackers.state')}
          <select value={state} onChange={(event) => setState(event.target.value as TrackerState)}>
            {Object.entries(STATES).map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <FormFoot problem={problem} busy={busy} back={t('trackers.cancel')} onBack={onClose} submit={t('trackers.save')} testId="tracker-save" />
      </form>
    </Dialog>
  );
}
