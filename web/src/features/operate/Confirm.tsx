// 'Would you like to change?': all facts that the user must know before sending. The focus is on Cancel, and Enter never sends.
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { qualityWord } from '../../live/freshness';
import { useServerSecond } from '../../live/live';
import { Dialog } from '../../ui/Dialog';
import { age, eventTime } from '../../ui/format';
import type { CommandRow } from '../../wire/control';
import type { BreakerStatus } from '../../wire/rest';
import { fetchConsequences } from './calls';
import { consequenceLines, type Consequences } from './consequences';
import type { Mode } from './flow';
import type { Target } from './target';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly mode: Mode;
  readonly status: BreakerStatus;
  readonly target: Target;
  readonly selected: CommandRow | null;
  readonly busy: boolean;
  readonly zone: string;
  readonly quality: number;
  readonly onCancel: () => void;
  readonly onSend: () => void;
}

export function Confirm({ token, mode, status, target, selected, busy, zone, quality, onCancel, onSend }: Props) {
  const now = useServerSecond() ?? Date.now();
  const cancel = useRef<HTMLButtonElement>(null);
  const passed = status.interlocks.filter(({ fulfilled }) => fulfilled).length;
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter cancels if Cancel has the focus. Elsewhere it does nothing.
    if (event.key === 'Enter' && event.target !== cancel.current) event.preventDefault();
  };
  return (
    <Dialog title={t('operate.wouldYouLikeToChange')} onClose={onCancel}>
      <div className="confirm" onKeyDown={onKeyDown} data-testid="confirm">
        <p className="path">{status.path}</p>
        <dl>
          <dt>{t('operate.presentState')}</dt>
          <dd>
            <b data-state={status.currentDIText}>{status.currentDIText}</b>{' '}
            <span>
              {qualityWord(quality)}
              {status.changedTime ? t('operate.since', { zone: eventTime(status.changedTime, now, zone), sourcetime: age(now - status.changedTime) }) : ''}
            </span>
          </dd>
          <dt>{t('operate.changeTo')}</dt>
          <dd>
            <b data-state={status.changeDIText}>{status.changeDIText}</b> <span>{mode === 'select' ? t('operate.selectBeforeOperate') : t('operate.directOperate')}</span>
          </dd>
          <dt>{t('operate.loadNow')}</dt>
          <dd>{target.load || '–'}</dd>
          <dt>{t('operate.inTheNetwork')}</dt>
          <dd data-testid="consequences">
            <InTheNetwork token={token} status={status} />
          </dd>
          <dt>{t('operate.interlocks')}</dt>
          <dd>
            {status.interlocks.length === 0 ? t('operate.noneDeclared') : t('operate.ofPass', { passed, length: status.interlocks.length })}
            <ul>
              {status.interlocks.map(({ rule, message, fulfilled }) => (
                <li key={rule} data-fulfilled={fulfilled}>
                  {fulfilled ? '✓' : '✗'} {message}
                </li>
              ))}
            </ul>
          </dd>
          <dt>{t('operate.tags')}</dt>
          <dd>{status.tags.length === 0 ? 'none' : status.tags.map(({ kind, holder, reason }) => `${kind}, ${holder}: ${reason}`).join('; ')}</dd>
        </dl>
        {target.inverted && <p className="caution">{t('operate.drawnInverted')}</p>}
        {selected?.selectUntil && (
          <p data-testid="selected-left">
            {t('operate.selectedForYou')} {Math.max(0, Math.ceil((selected.selectUntil - now) / 1_000))} {t('operate.sLeft')}
          </p>
        )}
        {status.simulated && <p>{t('operate.theFieldIsSimulatedNo')}</p>}
        <p>{t('operate.theDialogClosesByItself')}</p>
        <div className="actions">
          <button ref={cancel} type="button" data-first="" autoFocus data-testid="operate-cancel" disabled={busy} onClick={onCancel}>
            {t('operate.cancel')}
          </button>
          <button
            type="button"
            className="danger"
            data-testid="operate-send"
            disabled={busy}
            // Enter must not click this button, because a held key repeats. Space and pointer do.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            onClick={onSend}
          >
            {busy && <span className="spinner" aria-hidden="true" />} {t('operate.sendNow')}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** The changes of the network that the operation would cause. They are read only once, because the operation ends if the position changes meanwhile. */
function InTheNetwork({ token, status }: { readonly token: string; readonly status: BreakerStatus }) {
  const [found, setFound] = useState<Consequences | 'reading' | 'failed' | null>('reading');
  useEffect(() => {
    let isGone = false;
    fetchConsequences(token, status).then(
      (read) => isGone || setFound(read),
      () => isGone || setFound('failed'),
    );
    return () => {
      isGone = true;
    };
  }, [token, status]);
  if (found === 'reading') return t('operate.readingConsequences');
  if (found === 'failed') return t('operate.consequencesUnknown');
  if (found === null) return t('operate.networkIsNotKnown');
  const lines = consequenceLines(found);
  if (lines.length === 0) return t('operate.nothingChangesInTheNetwork');
  return (
    <ul>
      {lines.map(({ text, warns }) => (
        <li key={text} className={warns ? 'caution' : undefined}>
          {text}
        </li>
      ))}
    </ul>
  );
}
