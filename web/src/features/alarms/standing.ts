// What follows from the alarms there are: which come first, how many of each, whether too many come at once. Pure.
import type { AlarmRow } from '../../wire/monitoring';

export const isShelved = ({ shelvedUntil }: AlarmRow, now: number) => shelvedUntil !== null && Date.parse(shelvedUntil) > now;
export const isUnacknowledged = ({ state }: AlarmRow) => state === 'active_unacked' || state === 'cleared_unacked';
const isActive = ({ state }: AlarmRow) => state === 'active_unacked' || state === 'active_acked';

/** When it came, epoch ms; one without a time stands last. */
export const raisedAt = ({ raised }: AlarmRow) => (raised === null ? 0 : Date.parse(raised));

/** Where and what, in one line. */
export const whatOf = ({ locationName, assetName, text }: AlarmRow) => [locationName, assetName, text].filter(Boolean).join(', ');

/** Highest priority first, unacknowledged before acknowledged, newest first. */
export function byImportance(a: AlarmRow, b: AlarmRow): number {
  return a.priority - b.priority || Number(isUnacknowledged(b)) - Number(isUnacknowledged(a)) || raisedAt(b) - raisedAt(a) || b.id - a.id;
}

export interface Standing {
  /** The one line to show. */
  readonly first: AlarmRow | null;
  readonly unacknowledged: number;
  /** Active ones by priority 1, 2, 3. */
  readonly active: readonly [number, number, number];
  readonly shelved: number;
  /** Raised within the last ten minutes. */
  readonly recent: number;
  /** The newest unacknowledged alarm of each priority, for the sound. */
  readonly highest: number | null;
}

/** More new alarms than this in ten minutes are a flood: nobody can follow them one by one (the usual figure of alarm management, ten in ten minutes). */
export const FLOOD = 10;

export function standing(rows: readonly AlarmRow[], now: number): Standing {
  const active: [number, number, number] = [0, 0, 0];
  let [unacknowledged, shelved, recent] = [0, 0, 0];
  let first: AlarmRow | null = null;
  for (const row of rows) {
    if (isShelved(row, now)) {
      shelved += 1;
      continue;
    }
    if (isActive(row)) active[Math.min(3, Math.max(1, row.priority)) - 1]! += 1;
    if (now - raisedAt(row) <= 600_000) recent += 1;
    if (!isUnacknowledged(row)) continue;
    unacknowledged += 1;
    if (!first || byImportance(row, first) < 0) first = row;
  }
  return { first, unacknowledged, active, shelved, recent, highest: first?.priority ?? null };
}
