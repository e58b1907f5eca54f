// Saved selections of a user: apply, save, rename, delete. One button on the screen of reports.
import { useRef, useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { FormFoot } from '../../ui/FormFoot';
import { Menu, type Item } from '../../ui/Menu';
import { toast } from '../../ui/toast';
import { useAsk } from '../../ui/useAsk';
import { getAllReports, type Format, type ReportBody } from '../../wire/reports';
import { addKept, asSent, changeKept, getKept, removeKept, type Kept, type KeptBody } from '../../wire/reports-kept';
import { problemOf, type Login } from '../../wire/rest';
import type { Selection } from './rules';
import { bodyToSave, byName, nameFault, NAME_MAX, SAVED_MAX, takenUp } from './saved';
import { t } from '../../words';

interface Props {
  readonly login: Login;
  /** Whether saved selections can be applied but not changed. */
  readonly readOnly: boolean;
  /** The current selection; null while it is incomplete. */
  readonly body: ReportBody | null;
  readonly format: Format;
  /** The message of an incomplete selection. */
  readonly please: string;
  readonly onTake: (selection: Selection, saved: Kept) => void;
  readonly onSchedule: () => void;
}

export function SavedSelections({ login, readOnly, body, format, please, onTake, onSchedule }: Props) {
  const { token, clientId } = login;
  const saved = useAsk(`selections-${clientId}`, async (asking) => ({ result: await getKept(token, asking) }));
  const reports = useAsk(`reports-${clientId}`, async (asking) => ({ result: await getAllReports(token, asking) }));
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const [current, setCurrent] = useState<number | null>(null);
  // The menu disappears with its item, so the focus returns to its button.
  const place = useRef<HTMLSpanElement>(null);
  const home = () => place.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus();
  const close = () => {
    setOpen(null);
    home();
  };
  const rows = byName(saved.data ?? []);
  const own = rows.find(({ id }) => id === current);
  const problem = saved.problem || reports.problem;
  const retry = () => {
    saved.retry();
    reports.retry();
  };
  const take = (one: Kept) => {
    const selection = takenUp(one.question, reports.data ?? []);
    if (!selection) return toast(t('reportskept.reportGone', { name: one.name }), 'error');
    setCurrent(one.id);
    onTake(selection, one);
  };
  const overwrite = async (one: Kept, to: ReportBody) => {
    try {
      await changeKept(token, one.id, bodyToSave(one.name, to, format));
      toast(t('reportskept.savedAs', { name: one.name }));
      saved.retry();
    } catch (error) {
      toast(problemOf(error), 'error');
    }
  };
  const isFull = rows.length >= SAVED_MAX ? t('reportskept.savedFull', { most: SAVED_MAX }) : '';
  const chosen: Item[] = [
    ...(problem ? [{ name: t('ui.tryAgain'), testId: 'saved-retry', onChoose: retry }] : []),
    ...(problem || (saved.data && reports.data) ? [] : [{ name: t('ui.loading'), disabled: ' ', onChoose: () => undefined }]),
    ...rows.map((one) => ({ name: one.name, testId: `saved-${one.id}`, disabled: reports.data ? '' : t('ui.loading'), onChoose: () => take(one) })),
  ];
  const changing: Item[] = [
    { name: t('reportskept.saveAs'), testId: 'saved-save', disabled: please || problem || isFull, onChoose: () => setOpen('save') },
    ...(own ? [{ name: t('reportskept.saveChanges', { name: own.name }), testId: 'saved-overwrite', disabled: please, onChoose: () => body && void overwrite(own, body) }] : []),
    { name: t('reportskept.scheduleThis'), testId: 'saved-schedule', disabled: please, onChoose: onSchedule },
    ...(rows.length > 0 ? [{ name: t('reportskept.manage'), testId: 'saved-manage', onChoose: () => setOpen('manage') }] : []),
  ];
  const nothing: Item[] = chosen.length > 0 ? [] : [{ name: t('reportskept.noneSaved'), testId: 'saved-none', disabled: ' ', onChoose: () => undefined }];
  const items = [...chosen, ...(readOnly ? nothing : changing)].map((item) => ({
    ...item,
    onChoose: () => {
      home();
      item.onChoose();
    },
  }));
  return (
    <span className="saved" ref={place}>
      {problem && <small role="alert">{saved.data ? t('ui.notUpToDate', { problem }) : t('reportskept.savedUnknown', { problem })}</small>}
      <Menu label={t('reportskept.savedSelections')} testId="saved-selections" items={items}>
        {t('reportskept.savedSelections')} <span aria-hidden="true">▾</span>
      </Menu>
      {open === 'save' && body && (
        <NameDialog
          title={t('reportskept.saveQuestion')}
          first=""
          saved={rows}
          own={null}
          onClose={close}
          save={async (name) => {
            await addKept(token, bodyToSave(name, body, format));
            close();
            toast(t('reportskept.savedAs', { name }));
            saved.retry();
          }}
        />
      )}
      {open === 'manage' && (
        <Manage
          rows={rows}
          nameOf={(key) => reports.data?.find(({ ReportKey }) => ReportKey === key)?.ReportName ?? key}
          onClose={close}
          rename={async (one, name) => {
            const sent: KeptBody = { name, question: asSent(one.question), format: one.format };
            await changeKept(token, one.id, sent);
            saved.retry();
          }}
          drop={async (one) => {
            await removeKept(token, one.id);
            // It is not offered any more, also before the list is read again.
            saved.put(rows.filter(({ id }) => id !== one.id));
            toast(t('reportskept.deleted', { name: one.name }));
            saved.retry();
          }}
        />
      )}
    </span>
  );
}

interface NameProps {
  readonly title: string;
  readonly first: string;
  readonly saved: readonly Kept[];
  readonly own: number | null;
  readonly onClose: () => void;
  readonly save: (name: string) => Promise<void>;
}

function NameDialog({ title, onClose, ...form }: NameProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <NameForm {...form} onClose={onClose} />
    </Dialog>
  );
}

/** The field of a name. Errors are shown after the first attempt to save. */
function NameForm({ first, saved, own, onClose, save }: Omit<NameProps, 'title'>) {
  const [name, setName] = useState(first);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = nameFault(name, saved, own);
    setProblem(wrong);
    if (wrong || busy) return;
    setBusy(true);
    try {
      await save(name.trim());
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form className="fields" onSubmit={(event) => void send(event)} noValidate>
      <label className="field">
        {t('reportskept.name')}
        <input data-testid="saved-name" data-first="" autoFocus maxLength={NAME_MAX} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <FormFoot problem={problem} busy={busy} back={t('reports.cancel')} onBack={onClose} submit={t('reportskept.save')} testId="saved-name-save" />
    </form>
  );
}

interface ManageProps {
  readonly rows: readonly Kept[];
  readonly nameOf: (key: string) => string;
  readonly onClose: () => void;
  readonly rename: (one: Kept, name: string) => Promise<void>;
  readonly drop: (one: Kept) => Promise<void>;
}

function Manage({ rows, nameOf, onClose, rename, drop }: ManageProps) {
  const [doing, setDoing] = useState<{ readonly id: number; readonly what: 'rename' | 'delete' } | null>(null);
  const [problem, setProblem] = useState('');
  // The focused row disappears, so the focus moves to the close button.
  const closing = useRef<HTMLButtonElement>(null);
  const done = () => {
    setDoing(null);
    closing.current?.focus();
  };
  const dropped = async (one: Kept) => {
    setProblem('');
    done();
    try {
      await drop(one);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <Dialog title={t('reportskept.savedSelections')} onClose={onClose}>
      {rows.length === 0 && <p>{t('reportskept.noneSaved')}</p>}
      <ul className="saved-list">
        {rows.map((one) => {
          const what = doing?.id === one.id ? doing.what : null;
          return (
            <li key={one.id} data-testid={`manage-${one.id}`}>
              {what === 'rename' ? (
                <NameForm
                  first={one.name}
                  saved={rows}
                  own={one.id}
                  onClose={done}
                  save={async (name) => {
                    await rename(one, name);
                    done();
                  }}
                />
              ) : (
                <>
                  <span>
                    <b>{one.name}</b>
                    <small>
                      {nameOf(one.question.report)} · {one.format.toUpperCase()}
                    </small>
                  </span>
                  {what === 'delete' ? (
                    <span className="asked" role="group" aria-label={t('reportskept.deleteQuestion', { name: one.name })}>
                      <span>{t('reportskept.deleteThis')}</span>
                      <button type="button" autoFocus onClick={done}>
                        {t('reportskept.keep')}
                      </button>
                      <button type="button" className="danger" data-testid="saved-delete" onClick={() => void dropped(one)}>
                        {t('reportskept.delete')}
                      </button>
                    </span>
                  ) : (
                    <span>
                      <button type="button" className="plain" aria-label={t('reportskept.renameOf', { name: one.name })} onClick={() => setDoing({ id: one.id, what: 'rename' })}>
                        {t('reportskept.rename')}
                      </button>
                      <button type="button" className="plain" aria-label={t('reportskept.deleteOf', { name: one.name })} onClick={() => setDoing({ id: one.id, what: 'delete' })}>
                        {t('reportskept.delete')}
                      </button>
                    </span>
                  )}
                </>
              )}
            </li>
          );
        })}
      </ul>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="actions">
        <button type="button" data-first="" data-testid="manage-close" ref={closing} onClick={onClose}>
          {t('reportskept.close')}
        </button>
      </div>
    </Dialog>
  );
}
