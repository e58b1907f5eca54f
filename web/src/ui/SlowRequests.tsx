// Shows that the server is still working on a long read, with the time of its start and a button to cancel it.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { running } from '../wire/running';
import { t } from '../words';
import { openDialogs } from './openDialogs';

/** How long a request may take before it is shown, ms. */
const SLOW_MS = 5_000;

/** The bar of the page, or of a modal dialog. Only the bar of the last opened dialog is shown, because everything else is inert. */
export function SlowRequests({ dialog = null }: { readonly dialog?: symbol | null }) {
  const isOwn = useSyncExternalStore(openDialogs.subscribe, openDialogs.last) === dialog;
  const all = useSyncExternalStore(running.subscribe, running.all);
  const [now, setNow] = useState(() => performance.now());
  const isWaiting = isOwn && all.length > 0;
  useEffect(() => {
    if (!isWaiting) return;
    setNow(performance.now());
    const timer = setInterval(() => setNow(performance.now()), 1_000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  const slow = isOwn ? all.filter(({ since }) => now - since >= SLOW_MS) : [];
  const isShown = slow.length > 0;
  const seconds = Math.floor((now - Math.min(...slow.map(({ since }) => since))) / 1_000);
  const text = t('wire.stillWorking', { count: slow.length });
  // The live region stays in the page, so that a screen reader announces the message. The seconds are outside of it: they are not announced.
  return (
    <div className={isShown ? 'slow' : undefined} data-testid={isShown ? 'slow-requests' : undefined}>
      {isShown && <span className="spinner" aria-hidden="true" />}
      <span>
        <span role="status">{isShown && text}</span>
        {isShown && t('wire.forSeconds', { seconds })}
      </span>
      {isShown && (
        <button type="button" data-testid="slow-cancel" onClick={() => slow.forEach(({ cancel }) => cancel())}>
          {t('wire.cancel')}
        </button>
      )}
    </div>
  );
}
