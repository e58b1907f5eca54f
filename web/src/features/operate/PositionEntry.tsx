// Confirming the position of a switch that nothing reports, with a reason, and withdrawing an entered position.
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { FormFoot } from '../../ui/FormFoot';
import { ReasonField } from '../../ui/ReasonField';
import { postCommand } from '../../wire/rest';
import type { Confirmed } from '../../wire/sld';
import { t } from '../../words';
import { useSending } from '../../ui/useSending';
import { WithdrawEntry } from './WithdrawEntry';

interface Props {
  readonly token: string;
  /** The selected device; nothing is shown for one whose position telemetry reports. */
  readonly device: { readonly name: string; readonly equipment: string | null; readonly assumed: 'open' | 'closed' | null; readonly confirmed: Confirmed | null } | null;
  /** Whether the user may enter positions. */
  readonly mayEnter: boolean;
  /** Why the own desk may not enter the position of the device; empty if it may. */
  readonly outside: string;
  /** Reads the entries again. */
  readonly onChanged: () => void;
}

export function PositionEntry({ token, device, mayEnter, outside, onChanged }: Props) {
  const [asking, setAsking] = useState<'confirm' | 'withdraw' | null>(null);
  if (!device || (!device.assumed && !device.confirmed)) return null;
  const { equipment, name, confirmed } = device;
  const close = () => setAsking(null);
  const changed = () => {
    close();
    onChanged();
  };
  const tip = (mayEnter ? outside : t('operate.noRightToConfirm')) || undefined;
  return (
    <>
      <div className="device-actions">
        {equipment !== null && (
          <button type="button" data-testid="action-confirm-position" disabled={tip !== undefined} data-tip={tip} onClick={() => setAsking('confirm')}>
            {confirmed ? t('operate.confirmAnother') : t('operate.confirmPosition')}
          </button>
        )}
        {confirmed && (
          <button type="button" data-testid="action-withdraw-position" disabled={tip !== undefined} data-tip={tip} onClick={() => setAsking('withdraw')}>
            {t('operate.withdrawPosition')}
          </button>
        )}
      </div>
      {asking === 'confirm' && equipment !== null && <Confirm {...{ token, equipment, name }} onClose={close} onDone={changed} />}
      {asking === 'withdraw' && confirmed && <WithdrawEntry {...{ token, name }} id={confirmed.id} onClose={close} onDone={changed} />}
    </>
  );
}

interface DialogProps {
  readonly token: string;
  readonly name: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Confirm({ token, equipment, name, onClose, onDone }: DialogProps & { readonly equipment: string }) {
  const [position, setPosition] = useState<'open' | 'closed' | null>(null);
  const [reason, setReason] = useState('');
  const { problem, busy, setProblem, send } = useSending(onDone);
  const confirm = (event: FormEvent) => {
    event.preventDefault();
    if (position === null) return setProblem(t('operate.choosePosition'));
    if (reason.trim() === '') return setProblem(t('operate.reasonIsNeeded'));
    void send(() => postCommand(token, 'network/entries', { equipment, position, reason: reason.trim() }), t('operate.positionIsConfirmed'));
  };
  return (
    <Dialog title={t('operate.confirmPositionOf', { name })} onClose={onClose}>
      <form className="fields" onSubmit={confirm}>
        <p>{t('operate.confirmAbout')}</p>
        <fieldset>
          <legend>{t('operate.positionOnSite')}</legend>
          {(['open', 'closed'] as const).map((of) => (
            <label key={of} className="check">
              <input type="radio" name="position" data-testid={`entry-${of}`} checked={position === of} onChange={() => setPosition(of)} /> {of === 'open' ? t('station.open') : t('station.closed')}
            </label>
          ))}
        </fieldset>
        <ReasonField label={t('operate.reason')} testId="entry-reason" reason={reason} onChange={setReason} />
        <FormFoot problem={problem} busy={busy} back={t('operate.cancel')} onBack={onClose} submit={t('operate.confirmPosition')} testId="entry-save" />
      </form>
    </Dialog>
  );
}
