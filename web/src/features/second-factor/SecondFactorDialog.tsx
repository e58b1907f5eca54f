// The second factor: setting it up, creating new recovery codes, and removing it.
import { useState, type FormEvent } from 'react';
import { encode } from 'uqr';
import { Dialog } from '../../ui/Dialog';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import { get, post, type Schemas, type SecondFactor, problemOf } from '../../wire/rest';
import { t } from '../../words';

type Secret = Schemas['SecondFactorSecret'];
type Stage = { at: 'state' } | { at: 'scan'; secret: Secret } | { at: 'codes'; codes: readonly string[] };

interface Props {
  readonly token: string;
  /** Whether the user must set up a second factor before doing anything else. */
  readonly isDue: boolean;
  /** Called when recovery codes are shown, which happens only once. */
  readonly onCodes?: () => void;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function SecondFactorDialog({ token, isDue, onCodes, onDone, onClose }: Props) {
  const asked = useAsk('second-factor', (asking) => get<SecondFactor>(token, 'member/secondfactor', asking));
  const [stage, setStage] = useState<Stage>({ at: 'state' });
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const run = async (call: () => Promise<void>) => {
    setBusy(true);
    setProblem('');
    try {
      await call();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  const close = () => (stage.at === 'codes' ? onDone() : onClose());
  const show = (codes: readonly string[]) => {
    setStage({ at: 'codes', codes });
    onCodes?.();
  };
  return (
    <Dialog title={t('secondFactor.title')} onClose={() => !busy && stage.at !== 'codes' && close()}>
      {isDue && stage.at === 'state' && <p>{t('secondFactor.due')}</p>}
      {stage.at === 'state' && (
        <Answered asked={asked}>
          {(state) => (
            <State
              state={state}
              busy={busy}
              problem={problem}
              onBegin={(password) => void run(async () => setStage({ at: 'scan', secret: (await post<Secret>(token, 'member/secondfactor/begin', { password })).result }))}
              onCodes={(password, otp) => void run(async () => show((await post<{ codes: string[] }>(token, 'member/secondfactor/codes', { password, otp })).result.codes))}
              onRemove={(password, otp) =>
                void run(async () => {
                  await post(token, 'member/secondfactor/remove', { password, otp });
                  toast(t('secondFactor.removed'));
                  onClose();
                })
              }
            />
          )}
        </Answered>
      )}
      {stage.at === 'scan' && <Scan secret={stage.secret} busy={busy} problem={problem} onConfirm={(otp) => void run(async () => show((await post<{ codes: string[] }>(token, 'member/secondfactor/confirm', { otp })).result.codes))} />}
      {stage.at === 'codes' && (
        <>
          <p>{t('secondFactor.keepTheCodes')}</p>
          <ul className="recovery" data-testid="recovery-codes">
            {stage.codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
        </>
      )}
      <div className="actions">
        <button type="button" data-testid="second-factor-close" onClick={close}>
          {stage.at === 'codes' ? t('secondFactor.iHaveThem') : t('secondFactor.close')}
        </button>
      </div>
    </Dialog>
  );
}

interface StateProps {
  readonly state: SecondFactor;
  readonly busy: boolean;
  readonly problem: string;
  readonly onBegin: (password: string) => void;
  readonly onCodes: (password: string, otp: string) => void;
  readonly onRemove: (password: string, otp: string) => void;
}

function State({ state, busy, problem, onBegin, onCodes, onRemove }: StateProps) {
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  if (!state.on && !state.offered) return <p>{t('secondFactor.notOffered')}</p>;
  return (
    <div className="fields">
      <p>{state.on ? t('secondFactor.isOn', { left: state.recoveryCodesLeft }) : t('secondFactor.isOff')}</p>
      <label className="field">
        {t('secondFactor.password')}
        <input data-testid="second-factor-password" type="password" autoComplete="current-password" value={password} onChange={(event) => setPassword(event.target.value)} />
      </label>
      {state.on && (
        <label className="field">
          {t('secondFactor.codeOrRecovery')}
          <input data-testid="second-factor-otp" autoComplete="one-time-code" maxLength={40} value={otp} onChange={(event) => setOtp(event.target.value)} />
        </label>
      )}
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="actions start">
        {!state.on && (
          <button type="button" className="primary" data-testid="second-factor-begin" disabled={busy || password === ''} onClick={() => onBegin(password)}>
            {t('secondFactor.setUp')}
          </button>
        )}
        {state.on && (
          <button type="button" disabled={busy || password === '' || otp === ''} onClick={() => onCodes(password, otp)}>
            {t('secondFactor.newCodes')}
          </button>
        )}
        {state.on && !state.required && (
          <button type="button" data-testid="second-factor-remove" disabled={busy || password === '' || otp === ''} onClick={() => onRemove(password, otp)}>
            {t('secondFactor.takeAway')}
          </button>
        )}
      </div>
    </div>
  );
}

function Scan({ secret, busy, problem, onConfirm }: { secret: Secret; busy: boolean; problem: string; onConfirm: (otp: string) => void }) {
  const [otp, setOtp] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (otp.trim() !== '') onConfirm(otp.trim());
  };
  const { size, data } = encode(secret.uri);
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <form className="fields" onSubmit={submit}>
      <p>{t('secondFactor.scan')}</p>
      <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t('secondFactor.qr')} shapeRendering="crispEdges">
        <rect width={size} height={size} fill="#fff" />
        <path d={path} fill="#000" />
      </svg>
      <p>
        {t('secondFactor.orType')} <code data-testid="second-factor-secret">{secret.secret}</code>
      </p>
      <label className="field">
        {t('secondFactor.code', { digits: secret.digits })}
        <input data-testid="second-factor-code" autoComplete="one-time-code" inputMode="numeric" data-first="" autoFocus maxLength={secret.digits} value={otp} onChange={(event) => setOtp(event.target.value)} />
      </label>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="actions start">
        <button type="submit" className="primary" data-testid="second-factor-confirm" disabled={busy}>
          {t('secondFactor.turnOn')}
        </button>
      </div>
    </form>
  );
}
