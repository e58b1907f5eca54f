// What the present screen can be exported as: screens say it while they are shown, the header offers it.
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { notice } from './notice';
import { t } from '../words';

export interface Export {
  readonly name: string;
  /** Makes the file, or answers null when there is nothing in it. */
  readonly make: () => Promise<Blob | null> | Blob | null;
  /** Of the file, before its time. */
  readonly file: string;
  readonly extension: string;
}

let offered: readonly Export[] = [];
const listeners = new Set<() => void>();

function set(now: readonly Export[]): void {
  offered = now;
  for (const listener of listeners) listener();
}

/** Offers exports while the component is shown. The functions may change with each render; the names and files are what counts. */
export function useExports(exports: readonly Export[]): void {
  const latest = useRef(exports);
  useEffect(() => {
    latest.current = exports;
  });
  const key = exports.map(({ name, file }) => `${name}|${file}`).join('\n');
  useEffect(() => {
    const mine = latest.current.map((entry, index): Export => ({ ...entry, make: () => latest.current[index]?.make() ?? null }));
    set([...offered, ...mine]);
    return () => set(offered.filter((entry) => !mine.includes(entry)));
  }, [key]);
}

export function useOffered(): readonly Export[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offered,
  );
}

/** Hands a made file to the browser; an empty one is told of in the specification's words. */
export async function run({ make, file, extension }: Export, zone: string): Promise<void> {
  const blob = await make();
  if (!blob) return notice(t('ui.invalidData'));
  hand(blob, { name: '', file, extension }, zone);
}

/** Hands a file to the browser under its name; without one it is called after what it is, and the time. */
export function hand(blob: Blob, { name, file, extension }: { readonly name: string; readonly file: string; readonly extension: string }, zone: string): void {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(new Date()).replace(/[-:]/g, '').replace(' ', '_');
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name || `${file.replace(/[^\p{L}\p{N}._-]+/gu, '-')}_${parts}.${extension}`;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
