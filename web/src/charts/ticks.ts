// Marks and labels of the time axis: round local times of the zone, also across clock changes. Pure.
import { instantOf, wallOf } from './zone';

export interface Step {
  readonly unit: 'second' | 'day' | 'month';
  readonly count: number;
}

const DAY = 86_400_000;
const seconds = [1, 5, 10, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 14_400, 21_600, 43_200];
const STEPS: readonly Step[] = [
  ...seconds.map((count): Step => ({ unit: 'second', count })),
  ...[1, 2, 7, 14].map((count): Step => ({ unit: 'day', count })),
  ...[1, 2, 3, 6, 12, 24, 60].map((count): Step => ({ unit: 'month', count })),
];
/** Days from 1 January 1970, a Thursday, to the first Monday. Weeks start on Mondays. */
const FIRST_MONDAY = 4;

function lengthOf({ unit, count }: Step): number {
  return count * { second: 1_000, day: DAY, month: 30 * DAY }[unit];
}

/** The smallest step whose marks are at least `apart` pixels apart. */
export function stepFor(span: number, width: number, apart: number): Step {
  return STEPS.find((step) => (lengthOf(step) / span) * width >= apart) ?? { unit: 'month', count: 120 };
}

/** The marks from `from` to `to`, epoch ms, ascending. */
export function ticks(from: number, to: number, step: Step, zone: string): number[] {
  const found: number[] = [];
  const add = (wall: number) => {
    const at = instantOf(wall, zone);
    if (at >= from && at <= to && at > (found.at(-1) ?? -Infinity)) found.push(at);
    return at <= to;
  };
  const wall = wallOf(from, zone);
  if (step.unit === 'month') {
    const date = new Date(wall);
    let month = Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / step.count) * step.count;
    while (add(Date.UTC(Math.floor(month / 12), month % 12, 1))) month += step.count;
    return found;
  }
  const length = lengthOf(step);
  const origin = step.unit === 'day' && step.count % 7 === 0 ? FIRST_MONDAY * DAY : 0;
  let at = Math.floor((wall - origin) / length) * length + origin;
  while (add(at)) at += length;
  return found;
}

const two = (value: number) => String(value).padStart(2, '0');
const monthName = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'short' });
const month = (wall: Date) => monthName.format(wall).slice(0, 3);

/** Labels of the marks: the time, with the date below it at the start of a day; or the date, with the year below it. */
export function labels(marks: readonly number[], step: Step, zone: string): string[] {
  let before: Date | null = null;
  return marks.map((mark) => {
    const wall = new Date(wallOf(mark, zone));
    const isNewDay = before === null || wall.getUTCDate() !== before.getUTCDate() || wall.getUTCMonth() !== before.getUTCMonth();
    const isNewYear = before === null || wall.getUTCFullYear() !== before.getUTCFullYear();
    before = wall;
    if (step.unit === 'month')
      return step.count >= 12 ? String(wall.getUTCFullYear()) : month(wall) + (isNewYear ? `\n${wall.getUTCFullYear()}` : '');
    const date = `${two(wall.getUTCDate())} ${month(wall)}`;
    if (step.unit === 'day') return date + (isNewYear ? `\n${wall.getUTCFullYear()}` : '');
    const time = `${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}${step.count < 60 ? `:${two(wall.getUTCSeconds())}` : ''}`;
    return time + (isNewDay ? `\n${date}` : '');
  });
}

/** A complete time such as `03 Nov 2026 19:26`, with seconds if the buckets are shorter than a minute. */
export function fullTime(ms: number, bucketMs: number, zone: string): string {
  const wall = new Date(wallOf(ms, zone));
  const time = `${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}${bucketMs < 60_000 ? `:${two(wall.getUTCSeconds())}` : ''}`;
  return `${two(wall.getUTCDate())} ${month(wall)} ${wall.getUTCFullYear()}${bucketMs >= DAY ? '' : ` ${time}`}`;
}

/** A local time for files: YYYY-MM-DD HH:mm:ss. */
export function fileTime(ms: number, zone: string): string {
  return new Date(wallOf(ms, zone)).toISOString().slice(0, 19).replace('T', ' ');
}

/** The offset of local time from UTC at an instant, such as `+05:30`. */
export function offsetOf(ms: number, zone: string): string {
  const minutes = Math.round((wallOf(ms, zone) - ms) / 60_000);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}
