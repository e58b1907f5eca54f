// Short messages at the bottom right: information disappears after two seconds, errors stay until the user closes them.
import { useSyncExternalStore } from 'react';

interface Toast {
  id: number;
  kind: 'info' | 'error';
  text: string;
}

let toasts: readonly Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function set(changed: readonly Toast[]): void {
  toasts = changed;
  for (const listener of listeners) listener();
}

export function toast(text: string, kind: Toast['kind'] = 'info'): void {
  const id = next++;
  set([...toasts.slice(-3), { id, kind, text }]);
  setTimeout(() => dismiss(id), kind === 'info' ? 2_000 : 8_000);
}

function dismiss(id: number): void {
  set(toasts.filter((shown) => shown.id !== id));
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, kind, text }) => (
        <div key={id} data-kind={kind} onClick={() => dismiss(id)}>
          {text}
        </div>
      ))}
    </div>
  );
}
