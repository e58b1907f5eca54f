// Tests that presets are calendar spans in the utility's time zone, and that zooming and moving stay within the limits.
import { expect, test } from 'vitest';
import { kept, moved, presetRange, SHORTEST_MS, zoomed, type Preset } from './range';

const at = (text: string) => Date.parse(text);
const NOW = at('2026-11-03T08:33:12Z');
const DAY = 86_400_000;

test.each<[Preset, string, string, string]>([
  ['1d', '2026-11-03T08:33:12Z', 'Asia/Kolkata', '2026-11-02T08:33:12Z'],
  ['1w', '2026-11-03T08:33:12Z', 'Asia/Kolkata', '2026-10-27T08:33:12Z'],
  ['1m', '2026-11-03T08:33:12Z', 'Asia/Kolkata', '2026-10-03T08:33:12Z'],
  ['6m', '2026-11-03T08:33:12Z', 'Asia/Kolkata', '2026-05-03T08:33:12Z'],
  ['1y', '2026-11-03T08:33:12Z', 'Asia/Kolkata', '2025-11-03T08:33:12Z'],
  ['ytd', '2026-11-03T08:33:12Z', 'Asia/Kolkata', '2025-12-31T18:30:00Z'],
  // On the day with 25 hours, a span of one day has 25 hours.
  ['1d', '2026-10-25T12:00:00Z', 'Europe/London', '2026-10-24T11:00:00Z'],
  // One month before the 31st is the last day of the previous month.
  ['1m', '2026-03-31T12:00:00Z', 'UTC', '2026-02-28T12:00:00Z'],
  ['6m', '2024-08-31T12:00:00Z', 'UTC', '2024-02-29T12:00:00Z'],
])('%s up to %s in %s begins at %s', (preset, now, zone, from) => {
  const range = presetRange(preset, at(now), zone);
  expect(new Date(range.from).toISOString()).toBe(new Date(from).toISOString());
  expect(range.to).toBe(at(now));
});

test('all begins with what there is', () => {
  expect(presetRange('all', NOW, 'UTC', at('2024-02-03T00:00:00Z')).from).toBe(at('2024-02-03T00:00:00Z'));
  expect(presetRange('all', NOW, 'UTC').from).toBe(at('2021-11-03T08:33:12Z'));
});

test('in the first minute of a year the year to date still has a span', () => {
  const now = at('2026-01-01T00:00:20Z');
  expect(presetRange('ytd', now, 'UTC')).toEqual({ from: now - SHORTEST_MS, to: now });
});

test('zooming keeps what is under the pointer where it is', () => {
  const range = { from: NOW - 10 * DAY, to: NOW - 2 * DAY };
  const pointer = range.from + 6 * DAY;
  const near = zoomed(range, 0.5, pointer, NOW);
  expect(near).toEqual({ from: range.from + 3 * DAY, to: range.from + 7 * DAY });
  expect((pointer - near.from) / (near.to - near.from)).toBeCloseTo(0.75);
});

test('nothing is zoomed nearer than the shortest span, and nothing is shown beyond the present', () => {
  const range = { from: NOW - DAY, to: NOW };
  const near = zoomed(range, 1e-9, NOW - DAY / 2, NOW);
  expect(near.to - near.from).toBe(SHORTEST_MS);
  expect(zoomed(range, 3, NOW - DAY / 2, NOW)).toEqual({ from: NOW - 3 * DAY, to: NOW });
  expect(moved(range, 0.5, NOW)).toEqual(range);
  expect(moved(range, -0.5, NOW)).toEqual({ from: NOW - 1.5 * DAY, to: NOW - 0.5 * DAY });
});

test('spans are whole milliseconds', () => {
  const { from, to } = kept({ from: 0.4, to: 90_000.7 }, NOW);
  expect([from, to].every(Number.isInteger)).toBe(true);
});
