// The exports of the current screen. Screens register them, and the header lists them.
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { notice } from './notice';
import { t } from '../words';

export interface Export {
  readonly name: string;
  /** Creates the file. Returns null if there are no data. */
  readonly make: () => Promise<Blob | null> | Blob | null;
  /** First part of the file name; the time follows. */
  readonly file: string;
  readonly extension: string;
}

let offered: readonly Export[] = [];
const listeners = new Set<() => void>();

function set(now: readonly Export[]): void {
  offered = now;
  for (const listener of listeners) listener();
}

/** Registers exports while the component is mounted. New functions at each render are fine; only names and files are compared. */
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

/** Creates a file and downloads it. Without data it shows the specification's message. */
export async function run({ make, file, extension }: Export, zone: string): Promise<void> {
  const blob = await make();
  if (!blob) return notice(t('ui.invalidData'));
  hand(blob, { name: '', file, extension }, zone);
}

/** Downloads a file. Without `name`, the file name consists of `file` and the time. */
export function hand(blob: Blob, { name, file, extension }: { readonly name: string; readonly file: string; readonly extension: string }, zone: string): void {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(new Date()).replace(/[-:]/g, '').replace(' ', '_');
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name || `${file.replace(/[^\p{L}\p{N}._-]+/gu, '-')}_${parts}.${extension}`;
  link.click();
  // The browser has started the download by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
