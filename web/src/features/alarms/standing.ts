// Summary of the current alarms: order, numbers, and detection of an alarm flood. Pure.
import type { AlarmRow } from '../../wire/monitoring';

export const isShelved = ({ shelvedUntil }: AlarmRow, now: number) => shelvedUntil !== null && Date.parse(shelvedUntil) > now;
export const isUnacknowledged = ({ state }: AlarmRow) => state === 'active_unacked' || state === 'cleared_unacked';
const isActive = ({ state }: AlarmRow) => state === 'active_unacked' || state === 'active_acked';

/** When the alarm was raised, epoch ms; 0 without a time, which sorts it last. */
export const raisedAt = ({ raised }: AlarmRow) => (raised === null ? 0 : Date.parse(raised));

/** Place and text of an alarm in one line. */
export const whatOf = ({ locationName, assetName, text }: AlarmRow) => [locationName, assetName, text].filter(Boolean).join(', ');

/** Sorts by priority, then unacknowledged before acknowledged, then newest first. */
export function byImportance(a: AlarmRow, b: AlarmRow): number {
  return a.priority - b.priority || Number(isUnacknowledged(b)) - Number(isUnacknowledged(a)) || raisedAt(b) - raisedAt(a) || b.id - a.id;
}

export interface Standing {
  /** The most important unacknowledged alarm. */
  readonly first: AlarmRow | null;
  readonly unacknowledged: number;
  /** Number of active alarms of priority 1, 2 and 3. */
  readonly active: readonly [number, number, number];
  readonly shelved: number;
  /** Number of alarms raised in the last ten minutes. */
  readonly recent: number;
  /** Highest priority of the unacknowledged alarms, for the sound; null if there are none. */
  readonly highest: number | null;
}

/** More new alarms than this in ten minutes are a flood, in which an operator cannot handle each alarm. The usual limit of alarm management. */
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
