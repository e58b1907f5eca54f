// Links to a file of a schedule: creating a link, whose address is shown once, and withdrawing existing links.
import { useRef, useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { headerTime } from '../../ui/format';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import { getLinks, makeLink, withdrawLink, type Link, type NewLink, type Run } from '../../wire/reports-kept';
import { problemOf } from '../../wire/rest';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly zone: string;
  readonly run: Run;
  readonly readOnly: boolean;
  readonly onClose: () => void;
}

const DAYS_MAX = 30;
const DAYS = 7;

export function Links({ token, zone, run, readOnly, onClose }: Props) {
  const asked = useAsk(`links-${run.id}`, async (asking) => ({ result: await getLinks(token, run.id, asking) }));
  const [days, setDays] = useState(String(DAYS));
  const [made, setMade] = useState<NewLink | null>(null);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState<Link['id'] | null>(null);
  const isDays = /^[1-9]\d?$/.test(days) && Number(days) <= DAYS_MAX;
  const make = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    if (!isDays) return setProblem(t('reports.wholeNumber', { most: DAYS_MAX }));
    setBusy(true);
    setProblem('');
    try {
      setMade(await makeLink(token, run.id, Number(days)));
      asked.retry();
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  // The focused row disappears, so the focus moves to the close button.
  const closing = useRef<HTMLButtonElement>(null);
  const settle = () => {
    setAsking(null);
    closing.current?.focus();
  };
  const withdraw = async (id: Link['id']) => {
    settle();
    setProblem('');
    try {
      await withdrawLink(token, id);
      if (made?.id === id) setMade(null);
      asked.put((asked.data ?? []).filter((one) => one.id !== id));
      asked.retry();
      toast(t('reportskept.withdrawn'));
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  // A server behind another host name returns only the path.
  const address = made ? new URL(made.url, window.location.origin).href : '';
  const copy = () =>
    void navigator.clipboard.writeText(address).then(
      () => toast(t('reportskept.copied')),
      () => toast(t('tables.couldNotCopy'), 'error'),
    );
  return (
    <Dialog title={t('reportskept.linksTo', { name: run.fileName ?? '' })} onClose={onClose}>
      <p>{t('reportskept.linksMean')}</p>
      {!readOnly && (
        <form className="link-new" onSubmit={(event) => void make(event)} noValidate>
          <label className="field">
            {t('reportskept.daysOfLink')}
            <input data-testid="link-days" data-first="" autoFocus inputMode="numeric" maxLength={2} value={days} aria-invalid={!isDays} onChange={(event) => setDays(event.target.value)} />
          </label>
          <button type="submit" className="primary" data-testid="link-make" aria-disabled={busy}>
            {t('reportskept.makeLink')}
          </button>
        </form>
      )}
      {made && (
        <div className="link-made" role="status" data-testid="link-made">
          <label className="field">
            {t('reportskept.newLink', { time: headerTime(Date.parse(made.expires), zone) })}
            <input readOnly data-testid="link-url" value={address} onFocus={(event) => event.target.select()} />
          </label>
          <button type="button" data-testid="link-copy" onClick={copy}>
            {t('tables.copy')}
          </button>
        </div>
      )}
      <p className="problem" role="alert">
        {problem}
      </p>
      <h3>{t('reportskept.linksOut')}</h3>
      <Answered asked={asked}>
        {(links) =>
          links.length === 0 ? (
            <p className="quiet">{t('reportskept.noLinks')}</p>
          ) : (
            <ul className="saved-list">
              {links.map(({ id, expires, created }) => (
                <li key={id} data-testid={`link-${id}`}>
                  <span>
                    {t('reportskept.expires', { time: headerTime(Date.parse(expires), zone) })}
                    {created && <small>{t('reportskept.madeAt', { time: headerTime(Date.parse(created), zone) })}</small>}
                  </span>
                  {readOnly ? null : asking === id ? (
                    <span className="asked">
                      <button type="button" autoFocus onClick={settle}>
                        {t('reportskept.keep')}
                      </button>
                      <button type="button" className="danger" data-testid="link-withdraw-yes" onClick={() => void withdraw(id)}>
                        {t('reportskept.withdraw')}
                      </button>
                    </span>
                  ) : (
                    <button type="button" className="plain" data-testid="link-withdraw" onClick={() => setAsking(id)}>
                      {t('reportskept.withdrawDots')}
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
      <div className="actions">
        <button type="button" data-testid="links-close" ref={closing} onClick={onClose}>
          {t('reportskept.close')}
        </button>
      </div>
    </Dialog>
  );
}
