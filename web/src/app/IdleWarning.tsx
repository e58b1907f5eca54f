// Who has been away for long is warned and may stay (specification 1, section 4).
import { useEffect, useState } from 'react';
import { session } from '../session/session';
import { Dialog } from '../ui/Dialog';

export function IdleWarning() {
  const [warned, setWarned] = useState(false);
  useEffect(() => session.onIdle((state) => setWarned(state === 'warned')), []);
  if (!warned) return null;
  // Any sign of the person keeps the session; the button is there to be found.
  return (
    <Dialog title="you will be logged out soon" onClose={() => setWarned(false)}>
      <p>Nobody has used this screen for nearly three hours. Live values go on until then.</p>
      <div className="actions">
        <button type="button" className="primary" autoFocus data-testid="idle-stay" onClick={() => setWarned(false)}>
          Stay signed in
        </button>
      </div>
    </Dialog>
  );
}
