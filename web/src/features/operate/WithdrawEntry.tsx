// The dialog that withdraws an entered value, with a reason.
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { FormFoot } from '../../ui/FormFoot';
import { ReasonField } from '../../ui/ReasonField';
import { useSending } from '../../ui/useSending';
import { postCommand } from '../../wire/rest';
import { t } from '../../words';

interface Props {
  readonly token: string;
  /** Name of the device. */
  readonly name: string;
  readonly id: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function WithdrawEntry({ token, id, name, onClose, onDone }: Props) {
  const [reason, setReason] = useState('');
  const { problem, busy, setProblem, send } = useSending(onDone);
  const withdraw = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() === '') return setProblem(t('operate.reasonIsNeeded'));
    void send(() => postCommand(token, `network/entries/${id}/withdraw`, { reason: reason.trim() }), t('operate.positionIsWithdrawn'));
  };
  return (
    <Dialog title={t('operate.withdrawPositionOf', { name })} onClose={onClose}>
      <form className="fields" onSubmit={withdraw}>
        <ReasonField label={t('operate.reason')} testId="entry-reason" reason={reason} onChange={setReason} />
        <FormFoot problem={problem} busy={busy} back={t('operate.cancel')} onBack={onClose} submit={t('operate.withdrawValue')} testId="entry-withdraw" />
      </form>
    </Dialog>
  );
}
