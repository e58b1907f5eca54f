// Tests that the marks of the time axis are at round local times, also on days when the clock changes.
import { describe, expect, test } from 'vitest';
import { fileTime, fullTime, labels, offsetOf, stepFor, ticks } from './ticks';
import { instantOf, wallOf } from './zone';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(text);
const iso = (marks: readonly number[]) => marks.map((mark) => new Date(mark).toISOString().slice(0, 16));

describe('the wall clock', () => {
  test.each([
    ['2026-11-03T14:03:12Z', 'Asia/Kolkata', '2026-11-03T19:33:12Z'],
    ['2026-03-29T00:59:59Z', 'Europe/London', '2026-03-29T00:59:59Z'],
    ['2026-03-29T01:00:00Z', 'Europe/London', '2026-03-29T02:00:00Z'],
    ['2026-10-25T00:30:00Z', 'Europe/London', '2026-10-25T01:30:00Z'],
    ['2026-10-25T01:30:00Z', 'Europe/London', '2026-10-25T01:30:00Z'],
    ['2026-06-30T20:00:00.250Z', 'Asia/Kathmandu', '2026-07-01T01:45:00.250Z'],
  ])('%s in %s shows %s', (instant, zone, wall) => {
    expect(wallOf(at(instant), zone)).toBe(at(wall));
  });

  test.each([
    ['2026-03-29T00:30:00Z', 'Europe/London', '2026-03-29T00:30:00Z'],
    ['2026-03-29T05:00:00Z', 'Europe/London', '2026-03-29T04:00:00Z'],
    // A repeated local time is the first of the two. A skipped local time is as long after the change.
    ['2026-10-25T01:30:00Z', 'Europe/London', '2026-10-25T00:30:00Z'],
    ['2026-03-29T01:30:00Z', 'Europe/London', '2026-03-29T01:30:00Z'],
    ['2026-11-03T00:00:00Z', 'Asia/Kolkata', '2026-11-02T18:30:00Z'],
    ['2026-11-01T01:30:00Z', 'America/New_York', '2026-11-01T05:30:00Z'],
  ])('%s of %s is at %s', (wall, zone, instant) => {
    expect(new Date(instantOf(at(wall), zone)).toISOString()).toBe(new Date(instant).toISOString());
  });
});

test('on the day of 23 hours no time is marked twice, and midnights stay midnights', () => {
  const marks = ticks(at('2026-03-29T00:00:00Z'), at('2026-03-29T08:00:00Z'), { unit: 'second', count: 3_600 }, 'Europe/London');
  expect(labels(marks, { unit: 'second', count: 3_600 }, 'Europe/London')).toEqual([
    '00:00\n29 Mar',
    '02:00',
    '03:00',
    '04:00',
    '05:00',
    '06:00',
    '07:00',
    '08:00',
    '09:00',
  ]);
  expect(new Set(marks).size).toBe(marks.length);
});

test('on the day of 25 hours the marks go on by the wall clock', () => {
  const step = { unit: 'second', count: 3_600 } as const;
  const marks = ticks(at('2026-10-24T23:00:00Z'), at('2026-10-25T04:00:00Z'), step, 'Europe/London');
  expect(iso(marks)).toEqual(['2026-10-24T23:00', '2026-10-25T00:00', '2026-10-25T02:00', '2026-10-25T03:00', '2026-10-25T04:00']);
  expect(labels(marks, step, 'Europe/London')).toEqual(['00:00\n25 Oct', '01:00', '02:00', '03:00', '04:00']);
});

test('days over a change of the offset begin at midnight, each of them', () => {
  const step = { unit: 'day', count: 1 } as const;
  const marks = ticks(at('2026-10-23T12:00:00Z'), at('2026-10-27T12:00:00Z'), step, 'Europe/London');
  expect(iso(marks)).toEqual(['2026-10-23T23:00', '2026-10-24T23:00', '2026-10-26T00:00', '2026-10-27T00:00']);
  expect(labels(marks, step, 'Europe/London')).toEqual(['24 Oct\n2026', '25 Oct', '26 Oct', '27 Oct']);
});

test('a zone of half hours has its own round times', () => {
  const step = { unit: 'second', count: 14_400 } as const;
  const marks = ticks(at('2026-11-02T08:33:00Z'), at('2026-11-03T08:33:00Z'), step, 'Asia/Kolkata');
  expect(labels(marks, step, 'Asia/Kolkata')).toEqual(['16:00\n02 Nov', '20:00', '00:00\n03 Nov', '04:00', '08:00', '12:00']);
});

test('months are marked at their first, and years are said where they begin', () => {
  const step = { unit: 'month', count: 1 } as const;
  const marks = ticks(at('2025-11-15T00:00:00Z'), at('2026-02-15T00:00:00Z'), step, 'Asia/Kolkata');
  expect(iso(marks)).toEqual(['2025-11-30T18:30', '2025-12-31T18:30', '2026-01-31T18:30']);
  expect(labels(marks, step, 'Asia/Kolkata')).toEqual(['Dec\n2025', 'Jan\n2026', 'Feb']);
  expect(labels(ticks(at('2025-08-15T00:00:00Z'), at('2025-10-15T00:00:00Z'), step, 'UTC'), step, 'UTC')).toEqual(['Sep\n2025', 'Oct']);
});

test('weeks are marked on Mondays', () => {
  const marks = ticks(at('2026-10-01T00:00:00Z'), at('2026-11-01T00:00:00Z'), { unit: 'day', count: 7 }, 'UTC');
  expect(marks.map((mark) => new Date(mark).getUTCDay())).toEqual([1, 1, 1, 1]);
});

test.each([
  [60_000, 1_000, { unit: 'second', count: 10 }],
  [DAY, 1_000, { unit: 'second', count: 10_800 }],
  [31 * DAY, 1_500, { unit: 'day', count: 2 }],
  [184 * DAY, 1_500, { unit: 'day', count: 14 }],
  [365 * DAY, 600, { unit: 'month', count: 2 }],
  [20 * 365 * DAY, 1_500, { unit: 'month', count: 24 }],
])('a span of %i ms on %i px has marks %o', (span, width, step) => {
  expect(stepFor(span, width, 84)).toEqual(step);
});

test('every span has some marks and never more than fit', () => {
  const from = at('2026-03-20T03:17:00Z');
  for (let span = 60_000; span < 20 * 365 * DAY; span *= 1.7) {
    const step = stepFor(span, 1_200, 84);
    const marks = ticks(from, from + span, step, 'Europe/London');
    expect(marks.length).toBeGreaterThan(0);
    expect(marks.length).toBeLessThanOrEqual(Math.ceil(1_200 / 84) + 2);
    expect(marks).toEqual([...marks].sort((a, b) => a - b));
  }
});

test('times in full, in files, and the offset', () => {
  const time = at('2026-11-03T13:56:07Z');
  expect(fullTime(time, 60_000, 'Asia/Kolkata')).toBe('03 Nov 2026 19:26');
  expect(fullTime(time, 1, 'Asia/Kolkata')).toBe('03 Nov 2026 19:26:07');
  expect(fullTime(time, DAY, 'Asia/Kolkata')).toBe('03 Nov 2026');
  expect(fileTime(time, 'Asia/Kolkata')).toBe('2026-11-03 19:26:07');
  expect([offsetOf(time, 'Asia/Kolkata'), offsetOf(time, 'America/St_Johns'), offsetOf(time, 'UTC')]).toEqual([
    '+05:30',
    '-03:30',
    '+00:00',
  ]);
});
