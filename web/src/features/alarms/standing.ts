// Summary of the current alarms: order, numbers, and detection of an alarm flood. Pure.
import type { AlarmRow } from '../../wire/monitoring';

export const isShelved = ({ shelvedUntil }: AlarmRow, now: number) => shelvedUntil !== null && Date.parse(shelvedUntil) > now;
export const isUnacknowledged = ({ state }: AlarmRow) => state === 'active_unacked' || state === 'cleared_unacked';
const isActive = ({ state }: AlarmRow) => state === 'active_unacked' || state === 'active_acked';
/** Whether the alarm is a consequence of another one. Such an alarm needs no separate attention and is in none of the numbers. */
export const isConsequence = ({ state }: AlarmRow) => state === 'suppressed';

/** When the alarm was last raised, epoch ms; 0 without a time, which sorts it last. */
export const raisedAt = ({ raised }: AlarmRow) => (raised === null ? 0 : Date.parse(raised));

/** Place and text of an alarm in one line. */
export const whatOf = ({ locationName, assetName, text }: AlarmRow) => [locationName, assetName, text].filter(Boolean).join(', ');

/** Identifies an occurrence of an alarm. An alarm that is raised again is another occurrence. */
export const occurrenceOf = ({ id, count, raised }: AlarmRow) => `${id} ${count} ${raised}`;

// A failed command has no condition that ends. It counts as active until it is acknowledged, because its device may be in a doubtful position.
const rankOf = (row: AlarmRow) => (isActive(row) || row.kind === 'command' ? 0 : isConsequence(row) ? 2 : 1);

/** Sorts active alarms before cleared ones, then by priority, then unacknowledged before acknowledged, then newest first. Consequences come last. */
export function byImportance(a: AlarmRow, b: AlarmRow): number {
  return rankOf(a) - rankOf(b) || a.priority - b.priority || Number(isUnacknowledged(b)) - Number(isUnacknowledged(a)) || raisedAt(b) - raisedAt(a) || b.id - a.id;
}

/** Returns the consequences of each alarm that is shown, and an order in which they follow their cause. */
export function consequences(rows: readonly AlarmRow[]): { readonly of: ReadonlyMap<number, readonly AlarmRow[]>; readonly order: (a: AlarmRow, b: AlarmRow) => number } {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const of = new Map<number, AlarmRow[]>();
  const causeOf = (row: AlarmRow) => (isConsequence(row) && row.causeId !== null ? byId.get(row.causeId) : undefined);
  for (const row of rows) {
    const cause = causeOf(row);
    if (!cause) continue;
    const known = of.get(cause.id);
    if (known) known.push(row);
    else of.set(cause.id, [row]);
  }
  const order = (a: AlarmRow, b: AlarmRow) => {
    const [first, second] = [causeOf(a) ?? a, causeOf(b) ?? b];
    if (first.id !== second.id) return byImportance(first, second);
    return Number(first.id !== a.id) - Number(second.id !== b.id) || byImportance(a, b);
  };
  return { of, order };
}

export interface Standing {
  /** The most important unacknowledged alarm; an active one before a cleared one. */
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
    if (isConsequence(row)) continue;
    if (isActive(row)) active[Math.min(3, Math.max(1, row.priority)) - 1]! += 1;
    if (now - raisedAt(row) <= 600_000) recent += 1;
    if (!isUnacknowledged(row)) continue;
    unacknowledged += 1;
    if (!first || byImportance(row, first) < 0) first = row;
  }
  return { first, unacknowledged, active, shelved, recent, highest: first?.priority ?? null };
}
