// Tests that a stale value never looks live.
import { expect, test } from 'vitest';
import { looksLive, Quality, reporting, shownQuality } from './freshness';

const point = { v: 1, q: Quality.good, t: 1_000 };

test.each([
  [point, 30_000, 31_000, true, Quality.good, 'fresh'],
  [point, 30_000, 31_001, true, Quality.stale, 'too old'],
  [point, null, 9e12, true, Quality.good, 'reported by exception'],
  [point, 30_000, 1_000, false, Quality.commLost, 'no link'],
  [point, null, -1_000, true, Quality.good, 'clocks differ by so much'],
  [point, null, -1_001, true, Quality.questionable, 'of the future'],
  [point, null, -1_001, false, Quality.commLost, 'of the future, no link'],
  [undefined, null, 0, true, Quality.never, 'never received'],
  [{ ...point, q: Quality.invalid }, 30_000, 99_000, true, Quality.invalid, 'invalid beats stale'],
] as const)('%o, limit %o, at %o, link %o → %o (%s)', (...[value, limit, now, link, expected]) => {
  expect(shownQuality(value, limit, now, link)).toBe(expected);
});

test('only what is believed looks live', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map(looksLive)).toEqual([true, true, true, false, false, false, false]);
});

test.each([
  [[], 'never', 'a station without points'],
  [[Quality.never, Quality.never], 'never', 'nothing received yet'],
  [[Quality.commLost, Quality.never], 'lost', 'all links lost'],
  [[Quality.commLost, Quality.good], 'now', 'one value that is live'],
  [[Quality.invalid], 'now', 'a device that reports an invalid value'],
] as const)('points of the qualities %o report: %s (%s)', (...[qualities, expected]) => {
  expect(reporting(qualities.map((q) => ({ v: 1, q, t: 0 })))).toBe(expected);
});
