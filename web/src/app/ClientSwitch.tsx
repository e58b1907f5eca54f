// The dialog in which a super user changes to another utility (specification 2, sections 2.3 and 4).
import { useEffect, useState } from 'react';
import { session } from '../session/session';
import { Dialog } from '../ui/Dialog';
import { toast } from '../ui/toast';
import { get, type ClientRow, type Login, problemOf } from '../wire/rest';
import { t } from '../words';

/** How long the message is shown before the page reloads, ms (specification 2, section 9). */
const RELOAD_MS = 3_000;

export function ClientSwitch({ login, onClose }: { login: Login; onClose: () => void }) {
  const [clients, setClients] = useState<readonly ClientRow[] | null>(null);
  const [chosen, setChosen] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    get<ClientRow[]>(login.token, 'appsconfig/client').then(
      ({ result }) => setClients(result),
      (error: unknown) => setProblem(problemOf(error)),
    );
    // eslint-disable-next-line react-hooks/exhaustive-deps -- requested once for each opening
  }, []);
  const go = async () => {
    const name = clients?.find(({ clientId }) => String(clientId) === chosen)?.name ?? '';
    setBusy(true);
    setProblem('');
    try {
      await session.switchClient(Number(chosen));
      toast(t('app.youAreNowIn', { name }));
      setTimeout(() => window.location.assign('/dashboard'), RELOAD_MS);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={t('app.pleaseSelectClient')} onClose={() => busy || onClose()}>
      <label className="field">
        {t('app.client')}
        <select data-testid="client-select" value={chosen} disabled={!clients || busy} onChange={(event) => setChosen(event.target.value)}>
          <option value="">{t('app.selectClient')}</option>
          {clients?.map(({ clientId, name }) => (
            <option key={clientId} value={clientId}>
              {name}
              {clientId === login.clientId ? ' (now)' : ''}
            </option>
          ))}
        </select>
      </label>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="actions">
        <button type="button" onClick={onClose} disabled={busy}>
          {t('app.cancel')}
        </button>
        <button type="button" className="primary" data-testid="client-go" disabled={busy || chosen === '' || chosen === String(login.clientId)} onClick={() => void go()}>
          {busy && <span className="spinner" aria-hidden="true" />} {t('app.switch')}
        </button>
      </div>
    </Dialog>
  );
}
