// Ratings of transformers, from which the permissible loading is computed, and the alarm and trip temperatures of their indicators.
import { useState, type FormEvent } from 'react';
import { number } from '../../ui/format';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import type { IndicatorLimits, Rating, ThermalParameters, TransformerRating } from '../../wire/ratings';
import { get, post, problemOf } from '../../wire/rest';
import { draftOf, readDraft, type Draft } from './ratings';
import { t } from '../../words';

const COOLINGS = [
  ['onan', t('administration.coolingOnan')],
  ['onaf', t('administration.coolingOnaf')],
  ['distribution', t('administration.coolingDistribution')],
] as const;
const PAPERS = [
  ['normal', t('administration.paperNormal')],
  ['upgraded', t('administration.paperUpgraded')],
] as const;
const REGIMES = [
  ['normal_cyclic', t('administration.regimeNormal')],
  ['long_emergency', t('administration.regimeLong')],
  ['short_emergency', t('administration.regimeShort')],
] as const;
const PARAMETERS: readonly (readonly [keyof ThermalParameters, string])[] = [
  ['lossRatio', t('administration.lossRatio')],
  ['oilRiseK', t('administration.oilRise')],
  ['gradientK', t('administration.gradient')],
  ['oilExponent', t('administration.oilExponent')],
  ['windingExponent', t('administration.windingExponent')],
  ['oilMinutes', t('administration.oilMinutes')],
  ['windingMinutes', t('administration.windingMinutes')],
  ['k11', 'k11'],
  ['k21', 'k21'],
  ['k22', 'k22'],
];
const LIMITS: readonly (readonly [keyof IndicatorLimits, string])[] = [
  ['oilAlarmC', t('administration.oilAlarm')],
  ['oilTripC', t('administration.oilTrip')],
  ['windingAlarmC', t('administration.windingAlarm')],
  ['windingTripC', t('administration.windingTrip')],
];

const wordOf = (choices: readonly (readonly [string, string])[], key: string | undefined) =>
  choices.find(([own]) => own === key)?.[1] ?? '–';

export function Ratings({ token }: { token: string }) {
  const asked = useAsk('ratings', (asking) => get<readonly TransformerRating[]>(token, 'admin/ratings', asking));
  const [chosen, setChosen] = useState<number | null>(null);
  return (
    <>
      <p>{t('administration.ratingsAbout')}</p>
      <Answered asked={asked}>
        {(rows) => {
          const own = rows.find(({ assetId }) => assetId === chosen);
          return (
            <>
              <div className="scroll">
                <table aria-label={t('administration.ratings')}>
                  <thead>
                    <tr>
                      <th>{t('administration.transformer')}</th>
                      <th>{t('administration.location')}</th>
                      <th className="number">{t('administration.ratedMva')}</th>
                      <th>{t('administration.cooling')}</th>
                      <th className="number">{t('administration.usedLife')}</th>
                      <th aria-label={t('administration.editRating')} />
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map(({ assetId, assetName, locationName, rating }) => (
                      <tr key={assetId} data-testid={`rating-${assetId}`} data-bar={rating ? undefined : 'warn'}>
                        <td>{assetName}</td>
                        <td>{locationName}</td>
                        <td className="number">{number(rating?.ratedMva, 3)}</td>
                        <td>{rating ? wordOf(COOLINGS, rating.cooling) : t('administration.noRating')}</td>
                        <td className="number">{number(rating?.usedLifeYears, 2)}</td>
                        <td className="row-actions">
                          <button
                            type="button"
                            className="plain"
                            aria-pressed={assetId === chosen}
                            aria-label={t('administration.editRatingOf', { name: `${assetName}, ${locationName}` })}
                            onClick={() => setChosen(assetId)}
                          >
                            {t('administration.editRating')}
                          </button>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              {rows.length === 0 && <p>{t('administration.noTransformers')}</p>}
              {own && (
                <Form
                  key={own.assetId}
                  token={token}
                  row={own}
                  onSaved={(saved) => asked.put(rows.map((row) => (row.assetId === saved.assetId ? saved : row)))}
                  onBack={() => setChosen(null)}
                />
              )}
            </>
          );
        }}
      </Answered>
    </>
  );
}

interface FormProps {
  readonly token: string;
  readonly row: TransformerRating;
  readonly onSaved: (row: TransformerRating) => void;
  readonly onBack: () => void;
}

function Form({ token, row, onSaved, onBack }: FormProps) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(row.rating));
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const put = (key: string, value: string) => setDraft((before) => ({ ...before, [key]: value }));
  const send = (event: FormEvent) => {
    event.preventDefault();
    const rating: Rating | null = readDraft(draft);
    if (!rating) return setProblem(t('administration.ratingNeedsPower'));
    setBusy(true);
    setProblem('');
    post<TransformerRating>(token, `admin/ratings/${row.assetId}`, rating, 'PUT')
      .then(
        ({ result }) => {
          onSaved(result);
          setDraft(draftOf(result.rating));
          toast(t('administration.ratingSaved'));
        },
        (error: unknown) => setProblem(problemOf(error)),
      )
      .finally(() => setBusy(false));
  };
  const field = (key: string, name: string, otherwise?: number | null) => (
    <label key={key} className="field">
      {name}
      <input
        type="number"
        step="any"
        value={draft[key] ?? ''}
        placeholder={otherwise == null ? '' : String(otherwise)}
        onChange={(event) => put(key, event.target.value)}
        data-testid={`rating-${key}`}
      />
    </label>
  );
  const choice = (key: string, name: string, choices: readonly (readonly [string, string])[]) => (
    <label className="field">
      {name}
      <select value={draft[key]} onChange={(event) => put(key, event.target.value)} data-testid={`rating-${key}`}>
        {choices.map(([own, words]) => (
          <option key={own} value={own}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <form onSubmit={send} className="rating-form" aria-label={t('administration.editRatingOf', { name: row.assetName })}>
      <h2>
        {row.assetName}, {row.locationName}
      </h2>
      <fieldset>
        <legend>{t('administration.plate')}</legend>
        {field('ratedMva', t('administration.ratedMva'))}
        {choice('cooling', t('administration.cooling'), COOLINGS)}
        {choice('paper', t('administration.paper'), PAPERS)}
        {choice('regime', t('administration.regime'), REGIMES)}
        {field('usedLifeYears', t('administration.usedLife'), 0)}
      </fieldset>
      <fieldset>
        <legend>{t('administration.thermalParameters')}</legend>
        {PARAMETERS.map(([key, name]) => field(key, name, row.defaults[key]))}
      </fieldset>
      <fieldset>
        <legend>{t('administration.indicatorLimits')}</legend>
        {LIMITS.map(([key, name]) => field(key, name))}
      </fieldset>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="actions start">
        <button type="submit" className="primary" disabled={busy} data-testid="rating-save">
          {busy && <span className="spinner" aria-hidden="true" />} {t('administration.save')}
        </button>
        <button type="button" onClick={onBack}>
          {t('administration.closeRating')}
        </button>
      </div>
    </form>
  );
}
