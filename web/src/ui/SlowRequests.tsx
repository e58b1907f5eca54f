// Shows that the server is still working on a request that takes long, since when, and a button to cancel it.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { running } from '../wire/running';
import { t } from '../words';

/** How long a request may take before it is shown, ms. */
const SLOW_MS = 5_000;

export function SlowRequests() {
  const all = useSyncExternalStore(running.subscribe, running.all);
  const [now, setNow] = useState(() => performance.now());
  const isWaiting = all.length > 0;
  useEffect(() => {
    if (!isWaiting) return;
    setNow(performance.now());
    const timer = setInterval(() => setNow(performance.now()), 1_000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  const slow = all.filter(({ since }) => now - since >= SLOW_MS);
  const seconds = Math.floor((now - Math.min(...slow.map(({ since }) => since))) / 1_000);
  const text = slow.length === 1 ? t('wire.stillWorking', { seconds }) : t('wire.stillWorkingOn', { count: slow.length, seconds });
  // The live region stays in the page, so that a screen reader announces the first message. The seconds are not announced.
  return (
    <div role="status">
      {slow.length > 0 && (
        <div className="slow" data-testid="slow-requests">
          <span className="spinner" aria-hidden="true" />
          <span aria-live="off">{text}</span>
          <button type="button" data-testid="slow-cancel" onClick={() => slow.forEach(({ cancel }) => cancel())}>
            {t('wire.cancel')}
          </button>
        </div>
      )}
    </div>
  );
}
