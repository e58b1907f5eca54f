// Steps of energy registers that were refused, with their confirmation by users who have permission to operate. Nothing is shown without such steps.
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { eventTime, number } from '../../ui/format';
import { toast } from '../../ui/toast';
import { confirmStep, getRegisterSteps, type RegisterStep } from '../../wire/register-steps';
import { problemOf } from '../../wire/rest';
import { useRepeated } from './useRepeated';
import { t } from '../../words';

/** Period of the list, days. */
const DAYS = 31;
/** The server's longest note, characters. */
const NOTE_MAX = 500;
/** Interval of updates, ms. Steps are rare. */
const EVERY_MS = 300_000;

interface Props {
  readonly token: string;
  readonly scope: string;
  readonly zone: string;
  readonly canConfirm: boolean;
  readonly now: () => number;
  /** Called after a confirmation or its withdrawal: the figures of energy change. */
  readonly onChanged: () => void;
}

export function RegisterSteps({ token, scope, zone, canConfirm, now, onChanged }: Props) {
  const { data, problem, retry } = useRepeated(`${scope} steps`, (asking) => getRegisterSteps(token, scope, DAYS, asking), EVERY_MS);
  const [chosen, setChosen] = useState<RegisterStep | null>(null);
  if (problem)
    return (
      <p className="stale-line" role="alert">
        {problem}
      </p>
    );
  if (!data || data.rows.length === 0) return null;
  const time = (iso: string) => eventTime(Date.parse(iso), now(), zone);
  return (
    <section aria-label={t('analytics.steps')} data-testid="register-steps">
      <h3>{t('analytics.steps')}</h3>
      <p>{t('analytics.stepsMean', { days: DAYS })}</p>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>{t('analytics.stepMeter')}</th>
              <th>{t('analytics.stepBefore')}</th>
              <th>{t('analytics.stepAfter')}</th>
              <th className="number">{t('analytics.stepEnergy')}</th>
              <th className="number">{t('analytics.stepAllowed')}</th>
              <th>{t('analytics.stepState')}</th>
            </tr>
          </thead>
          <tbody>
            {data.rows.map((step) => (
              <tr key={`${step.pointId} ${step.at}`} data-testid="register-step" data-bar={step.confirmedBy === null ? 'warn' : undefined}>
                <td>{step.isImport ? t('analytics.stepImport', { name: step.assetName }) : t('analytics.stepExport', { name: step.assetName })}</td>
                <td>{t('analytics.stepReading', { kwh: number(step.fromKwh, 0), time: time(step.from) })}</td>
                <td>{t('analytics.stepReading', { kwh: number(step.atKwh, 0), time: time(step.at) })}</td>
                <td className="number">{number(step.amountKwh, 0)}</td>
                <td className="number">{number(step.allowedKwh, 0)}</td>
                <td>
                  {step.confirmedBy === null ? t('analytics.stepRefused') : t('analytics.stepConfirmed', { by: step.confirmedBy, note: step.note ?? '' })}{' '}
                  {canConfirm && (
                    <button type="button" data-testid="register-step-change" onClick={() => setChosen(step)}>
                      {step.confirmedBy === null ? t('analytics.stepConfirm') : t('analytics.stepWithdraw')}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {data.cut && <p>{t('analytics.stepsCut', { n: data.rows.length })}</p>}
      {chosen && (
        <Confirm
          token={token}
          step={chosen}
          onClose={() => setChosen(null)}
          onDone={() => {
            setChosen(null);
            retry();
            onChanged();
          }}
        />
      )}
    </section>
  );
}

function Confirm({ token, step, onClose, onDone }: { readonly token: string; readonly step: RegisterStep; readonly onClose: () => void; readonly onDone: () => void }) {
  const isReal = step.confirmedBy === null;
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (!note.trim()) return setProblem(t('analytics.stepNeedsReason'));
    setBusy(true);
    try {
      await confirmStep(token, step, isReal, note.trim());
      toast(isReal ? t('analytics.stepIsConfirmed') : t('analytics.stepIsWithdrawn'));
      onDone();
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={isReal ? t('analytics.stepConfirmQuestion', { name: step.assetName, kwh: number(step.amountKwh, 0) }) : t('analytics.stepWithdrawQuestion', { name: step.assetName, kwh: number(step.amountKwh, 0) })} onClose={onClose}>
      <form className="fields" onSubmit={(event) => void send(event)}>
        <p>{isReal ? t('analytics.stepConfirmMeans') : t('analytics.stepWithdrawMeans')}</p>
        <label className="field">
          {t('analytics.stepReason')}
          <input data-first="" maxLength={NOTE_MAX} value={note} data-testid="register-step-note" onChange={(event) => setNote(event.target.value)} />
        </label>
        <p className="problem" role="alert">
          {problem}
        </p>
        <div className="actions">
          <button type="button" onClick={onClose}>
            {t('analytics.stepCancel')}
          </button>
          <button type="submit" className="primary" disabled={isBusy} data-testid="register-step-send">
            {isReal ? t('analytics.stepConfirm') : t('analytics.stepWithdraw')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
