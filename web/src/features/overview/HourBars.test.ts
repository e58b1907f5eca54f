// Tests of faults by hour in the zone.
import { expect, test } from 'vitest';
import { byHour, ticks } from './HourBars';

test('faults are counted in the hour of their beginning, and what is older than a day is not', () => {
  const now = Date.parse('2026-11-01T12:30:00Z');
  const fault = (StartTime: string, momentary = false) => ({ StartTime, momentary });
  const hours = byHour([fault('2026-11-01T12:00:00Z'), fault('2026-11-01T11:59:59Z', true), fault('2026-10-31T13:00:00Z'), fault('2026-10-31T12:59:59Z')], now, 'UTC');
  expect(hours).toHaveLength(24);
  expect(hours.at(-1)).toMatchObject({ sustained: 1, momentary: 0 });
  expect(hours.at(-2)).toMatchObject({ sustained: 0, momentary: 1 });
  expect(hours[0]).toMatchObject({ sustained: 1 });
  expect(hours.reduce((sum, hour) => sum + hour.sustained + hour.momentary, 0)).toBe(3);
});

test('the axis counts in whole numbers', () => {
  expect(ticks(1)).toEqual([0, 1]);
  expect(ticks(4)).toEqual([0, 1, 2, 3, 4]);
  expect(ticks(23)).toEqual([0, 5, 10, 15, 20]);
});

test('the hours are those of the zone', () => {
  expect(byHour([], Date.parse('2026-11-01T12:50:00Z'), 'Asia/Kolkata').at(-1)?.at).toBe(Date.parse('2026-11-01T12:30:00Z'));
  expect(byHour([], Date.parse('2026-11-01T12:10:00Z'), 'Asia/Kolkata').at(-1)?.at).toBe(Date.parse('2026-11-01T11:30:00Z'));
});
