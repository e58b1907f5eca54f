// Warns an idle user before the session ends (specification 1, section 4).
import { useEffect, useState } from 'react';
import { session } from '../session/session';
import { Dialog } from '../ui/Dialog';
import { t } from '../words';

export function IdleWarning() {
  const [warned, setWarned] = useState(false);
  // Any activity of the user already keeps the session. The warning remains until the user closes it.
  useEffect(() => session.onIdle((state) => state === 'warned' && setWarned(true)), []);
  if (!warned) return null;
  return (
    <Dialog title={t('app.youWillBeLoggedOut')} onClose={() => setWarned(false)}>
      <p>{t('app.nobodyHasUsedThisScreen')}</p>
      <div className="actions">
        <button type="button" className="primary" data-first="" autoFocus data-testid="idle-stay" onClick={() => setWarned(false)}>
          {t('app.staySignedIn')}
        </button>
      </div>
    </Dialog>
  );
}
