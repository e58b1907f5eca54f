// The alarm rules of a point: limits with deadband and delays, and alarm states. A change takes effect within a second, also on the present value.
import { useState, type FormEvent } from 'react';
import { Answered, useAsk } from '../../ui/useAsk';
import { toast } from '../../ui/toast';
import type { AlarmRule } from '../../wire/monitoring';
import { get, post, problemOf, type GenericRow, type LocationRow } from '../../wire/rest';
import { t } from '../../words';

const LIMITS = [
  ['high_high', t('administration.highHigh')],
  ['high', t('administration.high')],
  ['low', t('administration.low')],
  ['low_low', t('administration.lowLow')],
] as const;
const STATES = [['state', t('administration.stateAlarm')]] as const;

const blank = (kind: string): AlarmRule => ({ kind, enabled: false, limit: null, deadband: 0, stateValue: null, onDelayS: 0, offDelayS: 0, priority: 3, text: '' });

export function AlarmLimits({ token, client }: { token: string; client: number }) {
  const [location, setLocation] = useState<number | null>(null);
  const [point, setPoint] = useState<number | null>(null);
  const places = useAsk(`limits-places-${client}`, (asking) => get<readonly LocationRow[]>(token, `substation/substationsbyclient/${client}`, asking));
  const points = useAsk(location === null ? null : `limits-points-${location}`, (asking) => get<{ gdsData: readonly GenericRow[] }>(token, `sld/sldgenericdatavalues/location/${location}`, asking));
  const chosen = points.data?.gdsData.find(({ pointId }) => pointId === point);
  return (
    <>
      <p>{t('administration.alarmLimitsAbout')}</p>
      <Answered asked={places}>
        {(rows) => (
          <div className="chooser">
            <label className="pick">
              <span>{t('administration.location')}</span>
              <select
                data-testid="limits-location"
                value={location ?? ''}
                onChange={(event) => {
                  setLocation(Number(event.target.value) || null);
                  setPoint(null);
                }}
              >
                <option value="">{t('administration.choose')}</option>
                {rows.map(({ AssetPointId, AssetPointName }) => (
                  <option key={AssetPointId} value={AssetPointId}>
                    {AssetPointName}
                  </option>
                ))}
              </select>
            </label>
            {location !== null && (
              <label className="pick">
                <span>{t('administration.point')}</span>
                <select data-testid="limits-point" value={point ?? ''} onChange={(event) => setPoint(Number(event.target.value) || null)}>
                  <option value="">{points.problem || t('administration.choose')}</option>
                  {(points.data?.gdsData ?? []).map(({ pointId, assetName, pointName, unit }) => (
                    <option key={pointId} value={pointId}>
                      {assetName}, {pointName.split('/').pop()} {unit && `(${unit})`}
                    </option>
                  ))}
                </select>
              </label>
            )}
          </div>
        )}
      </Answered>
      {chosen && <Rules key={chosen.pointId} token={token} point={chosen} />}
    </>
  );
}

function Rules({ token, point }: { token: string; point: GenericRow }) {
  const asked = useAsk(`limits-${point.pointId}`, (asking) => get<{ rules: readonly AlarmRule[] }>(token, `admin/alarmsettings/${point.pointId}`, asking));
  return <Answered asked={asked}>{({ rules }) => <Form token={token} point={point} rules={rules} onSaved={(next) => asked.put({ rules: next })} />}</Answered>;
}

function Form({ token, point, rules, onSaved }: { token: string; point: GenericRow; rules: readonly AlarmRule[]; onSaved: (rules: readonly AlarmRule[]) => void }) {
  const kinds = point.kind === 'measurand' ? LIMITS : STATES;
  const [draft, setDraft] = useState<readonly AlarmRule[]>(() => kinds.map(([kind]) => rules.find((rule) => rule.kind === kind) ?? blank(kind)));
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const change = (kind: string, part: Partial<AlarmRule>) => setDraft((before) => before.map((rule) => (rule.kind === kind ? { ...rule, ...part } : rule)));
  const send = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    // Rules of kinds that this form does not show remain. A rule that was never filled in is not sent.
    const others = rules.filter(({ kind }) => !kinds.some(([own]) => own === kind));
    const own = draft.filter((rule) => rule.enabled || rule.limit !== null || rule.stateValue !== null);
    post<{ rules: readonly AlarmRule[] }>(token, `admin/alarmsettings/${point.pointId}`, { rules: [...others, ...own] }, 'PUT')
      .then(
        ({ result }) => {
          onSaved(result?.rules ?? [...others, ...own]);
          toast(t('administration.limitsSaved'));
        },
        (error: unknown) => setProblem(problemOf(error)),
      )
      .finally(() => setBusy(false));
  };
  const optional = (text: string) => (text === '' ? null : Number(text));
  return (
    <form onSubmit={send}>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>{t('administration.on')}</th>
              <th>{t('administration.kind')}</th>
              <th>
                {point.kind === 'measurand' ? t('administration.limit') : t('administration.stateValue')} {point.unit && `(${point.unit})`}
              </th>
              {point.kind === 'measurand' && <th>{t('administration.deadband')}</th>}
              <th>{t('administration.onDelay')}</th>
              <th>{t('administration.offDelay')}</th>
              <th>{t('administration.priority')}</th>
              <th>{t('administration.alarmText')}</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map(([kind, name]) => {
              const rule = draft.find((row) => row.kind === kind) ?? blank(kind);
              const isLimit = point.kind === 'measurand';
              const number = (key: 'deadband' | 'onDelayS' | 'offDelayS', words: string) => <input type="number" min="0" step={key === 'deadband' ? 'any' : 1} aria-label={`${name}: ${words}`} value={rule[key]} onChange={(event) => change(kind, { [key]: Number(event.target.value) })} />;
              return (
                <tr key={kind}>
                  <td>
                    <input type="checkbox" aria-label={`${name}: ${t('administration.on')}`} checked={rule.enabled} onChange={(event) => change(kind, { enabled: event.target.checked })} data-testid={`limit-on-${kind}`} />
                  </td>
                  <td>{name}</td>
                  <td>
                    <input
                      type="number"
                      step="any"
                      required={rule.enabled}
                      aria-label={`${name}: ${t('administration.limit')}`}
                      value={(isLimit ? rule.limit : rule.stateValue) ?? ''}
                      onChange={(event) => change(kind, isLimit ? { limit: optional(event.target.value) } : { stateValue: optional(event.target.value) })}
                      data-testid={`limit-${kind}`}
                    />
                  </td>
                  {isLimit && <td>{number('deadband', t('administration.deadband'))}</td>}
                  <td>{number('onDelayS', t('administration.onDelay'))}</td>
                  <td>{number('offDelayS', t('administration.offDelay'))}</td>
                  <td>
                    <select aria-label={`${name}: ${t('administration.priority')}`} value={rule.priority} onChange={(event) => change(kind, { priority: Number(event.target.value) })}>
                      {[1, 2, 3].map((priority) => (
                        <option key={priority}>{priority}</option>
                      ))}
                    </select>
                  </td>
                  <td>
                    <input aria-label={`${name}: ${t('administration.alarmText')}`} maxLength={200} required={rule.enabled} value={rule.text} onChange={(event) => change(kind, { text: event.target.value })} data-testid={`limit-text-${kind}`} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="actions start">
        <button type="submit" className="primary" disabled={busy} data-testid="limits-save">
          {t('administration.save')}
        </button>
      </div>
    </form>
  );
}
