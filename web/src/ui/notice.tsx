// A message that the user must close. Unlike the browser's `alert`, it does not block the updates of live values.
import { useSyncExternalStore } from 'react';
import { Dialog } from './Dialog';
import { t } from '../words';

let waiting: readonly string[] = [];
const listeners = new Set<() => void>();

function set(now: readonly string[]): void {
  waiting = now;
  for (const listener of listeners) listener();
}

export function notice(text: string): void {
  if (!waiting.includes(text)) set([...waiting, text]);
}

export function Notices() {
  const [text] = useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => waiting,
  );
  if (text === undefined) return null;
  const close = () => set(waiting.slice(1));
  return (
    <Dialog key={text} title={text} onClose={close}>
      <div className="actions">
        <button type="button" className="primary" data-first="" autoFocus data-testid="notice-ok" onClick={close}>
          {t('ui.ok')}
        </button>
      </div>
    </Dialog>
  );
}
