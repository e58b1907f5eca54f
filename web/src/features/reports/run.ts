// What is said of a run: how it stands, which days it is about, and until when its file is kept. Pure.
import { headerTime } from '../../ui/format';
import type { Run, Schedule } from '../../wire/reports-kept';
import { sizeOf } from './Progress';
import { t } from '../../words';

/** A run that is this late is waited for no more, ms: the service that makes them looks once a minute. */
const LATE_MS = 5 * 60_000;

/** Whether it has not ended. */
export const isOpen = ({ state }: Pick<Run, 'state'>) => state === 'waiting' || state === 'running';

/** What it waits for with its figures, or for its time, epoch ms; null where it waits for nothing but its turn. */
export function waitsUntil({ state, due, ready }: Pick<Run, 'state' | 'due' | 'ready'>, now: number): number | null {
  const until = Math.max(Date.parse(due), ready === null ? 0 : Date.parse(ready));
  return state === 'waiting' && until > now ? until : null;
}

/** Whether it is made, or is about to be. */
export const isUnderWay = (run: Pick<Run, 'state' | 'due' | 'ready'>, now: number) => isOpen(run) && waitsUntil(run, now) === null;

/** How it stands, in words. */
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
      return [t('reportskept.done'), rows === null ? '' : t('reportskept.rows', { rows }), bytes === null ? '' : sizeOf(bytes)].filter(Boolean).join(' · ');
  }
}

/** A day of the calendar as people read it; what is none stays as it is. */
function dayText(iso: string): string {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(iso) ? Date.parse(`${iso}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) ? iso : headerTime(ms, 'UTC').slice(0, -6);
}

/** The days that it is about: `1 Oct 2026 to 31 Oct 2026`, or one of them; empty when it does not say. */
export function daysText(period: string): string {
  const [first = '', last = ''] = period.split(',');
  if (!first) return '';
  return !last || last === first ? dayText(first) : t('ui.fromTo', { from: dayText(first), to: dayText(last) });
}

/** When its file goes, epoch ms; null where there is none, or the server does not say. */
export function keptUntil({ expires, fileName }: Pick<Run, 'expires' | 'fileName'>): number | null {
  return expires === null || fileName === null ? null : Date.parse(expires);
}

/** When it runs next, in the utility's zone: a time, that it is switched off, or that it should have run. */
export function nextText({ enabled, nextDue }: Pick<Schedule, 'enabled' | 'nextDue'>, now: number, zone: string): { readonly text: string; readonly isLate: boolean } {
  if (!enabled) return { text: t('reportskept.switchedOff'), isLate: false };
  if (nextDue === null) return { text: '–', isLate: false };
  const due = Date.parse(nextDue);
  const isLate = now - due > LATE_MS;
  return { text: isLate ? t('reportskept.dueSince', { time: headerTime(due, zone) }) : headerTime(due, zone), isLate };
}
