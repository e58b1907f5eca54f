// The texts of a run: its state, its days, and how long its file is kept. Pure.
import { headerTime } from '../../ui/format';
import type { Run, Schedule } from '../../wire/reports-kept';
import { sizeOf } from './Progress';
import { t } from '../../words';

/** A run is shown as late after this delay, ms. The service checks for due runs once a minute. */
const LATE_MS = 5 * 60_000;

/** Whether the run has not ended. */
export const isOpen = ({ state }: Pick<Run, 'state'>) => state === 'waiting' || state === 'running';

/**
 * A run that may start within this time is about to start, ms. A run that a user has just started is due now by the clock of the server, of which the browser
 * knows only an estimate. It may be a few milliseconds behind.
 */
const SOON_MS = 10_000;

/** The time until which a run waits for its data or its due time, epoch ms. Null if it waits only for a free slot, or not at all. */
export function waitsUntil({ state, due, ready }: Pick<Run, 'state' | 'due' | 'ready'>, now: number): number | null {
  const until = Math.max(Date.parse(due), ready === null ? 0 : Date.parse(ready));
  return state === 'waiting' && until > now + SOON_MS ? until : null;
}

/** Whether the run is running or about to start. */
export const isUnderWay = (run: Pick<Run, 'state' | 'due' | 'ready'>, now: number) => isOpen(run) && waitsUntil(run, now) === null;

/** The state of a run as text. */
export function stateText({ state, rows, bytes }: Pick<Run, 'state' | 'rows' | 'bytes'>): string {
  switch (state) {
    case 'waiting':
      return t('reportskept.waiting');
    case 'running':
      return t('reportskept.beingMade');
    case 'empty':
      return t('reportskept.nothingInIt');
    case 'failed':
      return t('reportskept.failed');
    default:
      return [t('reportskept.done'), rows === null ? '' : t('reportskept.rows', { count: rows }), bytes === null ? '' : sizeOf(bytes)].filter(Boolean).join(' · ');
  }
}

/** Formats a date. An invalid text is unchanged. */
function dayText(iso: string): string {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(iso) ? Date.parse(`${iso}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) ? iso : headerTime(ms, 'UTC').slice(0, -6);
}

/** The days of a run, such as `1 Oct 2026 to 31 Oct 2026`, or one day; empty if unknown. */
export function daysText(period: string): string {
  const [first = '', last = ''] = period.split(',');
  if (!first) return '';
  return !last || last === first ? dayText(first) : t('ui.fromTo', { from: dayText(first), to: dayText(last) });
}

/** When the file is deleted, epoch ms; null if there is no file or the server does not report it. */
export function keptUntil({ expires, fileName }: Pick<Run, 'expires' | 'fileName'>): number | null {
  return expires === null || fileName === null ? null : Date.parse(expires);
}

/** The next run in the utility's zone: its time, that the schedule is switched off, or that the run is late. */
export function nextText({ enabled, nextDue }: Pick<Schedule, 'enabled' | 'nextDue'>, now: number, zone: string): { readonly text: string; readonly isLate: boolean } {
  if (!enabled) return { text: t('reportskept.switchedOff'), isLate: false };
  if (nextDue === null) return { text: '–', isLate: false };
  const due = Date.parse(nextDue);
  const isLate = now - due > LATE_MS;
  return { text: isLate ? t('reportskept.dueSince', { time: headerTime(due, zone) }) : headerTime(due, zone), isLate };
}
