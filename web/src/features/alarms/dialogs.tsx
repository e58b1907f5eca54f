// The dialogs for shelving an alarm and for its owner and note.
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { FormFoot } from '../../ui/FormFoot';
import type { AlarmRow } from '../../wire/monitoring';
import { problemOf } from '../../wire/rest';
import { note, shelve } from './calls';
import { whatOf } from './standing';
import { t } from '../../words';

interface Props {
  readonly row: AlarmRow;
  readonly token: string;
  readonly onClose: () => void;
}

const MINUTES = [15, 30, 60, 240, 480, 1_440];

function useSend(onClose: () => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const send = (event: FormEvent, call: () => Promise<unknown>) => {
    event.preventDefault();
    setBusy(true);
    call().then(onClose, (error: unknown) => {
      setProblem(problemOf(error));
      setBusy(false);
    });
  };
  return { busy, problem, send };
}

export function ShelveDialog({ row, token, onClose }: Props) {
  const [minutes, setMinutes] = useState(60);
  const [reason, setReason] = useState('');
  const { busy, problem, send } = useSend(onClose);
  return (
    <Dialog title={t('alarms.shelveQuestion')} onClose={onClose}>
      <form className="fields" onSubmit={(event) => send(event, () => shelve(token, row.id, minutes, reason.trim()))}>
        <p>
          {whatOf(row)}. {t('alarms.shelving')}
        </p>
        <label className="field">
          {t('alarms.forHowLong')}
          <select value={minutes} onChange={(event) => setMinutes(Number(event.target.value))} data-first="">
            {MINUTES.map((n) => (
              <option key={n} value={n}>
                {n < 60 ? t('alarms.minutes', { n }) : t('alarms.hours', { n: n / 60 })}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          {t('alarms.reason')}
          <input required maxLength={200} value={reason} onChange={(event) => setReason(event.target.value)} data-testid="shelve-reason" />
        </label>
        <FormFoot problem={problem} busy={busy} back={t('alarms.cancel')} onBack={onClose} submit={t('alarms.shelve')} testId="shelve-send" />
      </form>
    </Dialog>
  );
}

export function NoteDialog({ row, token, onClose }: Props) {
  const [owner, setOwner] = useState(row.owner ?? '');
  const [text, setText] = useState(row.note ?? '');
  const { busy, problem, send } = useSend(onClose);
  return (
    <Dialog title={t('alarms.noteOf')} onClose={onClose}>
      <form className="fields" onSubmit={(event) => send(event, () => note(token, row.id, owner.trim(), text.trim()))}>
        <p>
          {whatOf(row)}
        </p>
        <label className="field">
          {t('alarms.owner')}
          <input maxLength={100} value={owner} onChange={(event) => setOwner(event.target.value)} data-first="" />
        </label>
        <label className="field">
          {t('alarms.note')}
          <textarea rows={4} maxLength={1_000} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        <FormFoot problem={problem} busy={busy} back={t('alarms.cancel')} onBack={onClose} submit={t('alarms.save')} testId="note-send" />
      </form>
    </Dialog>
  );
}
