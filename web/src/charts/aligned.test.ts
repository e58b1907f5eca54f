// Tests of data in uPlot's form: gaps remain, envelopes follow their lines, and axes include the limits nearby.
import { expect, test } from 'vitest';
import { aligned, alone, decimalsOf, hasEnvelope, placeOf, spaced, valueRange } from './aligned';
import { isEmpty, type ChartData, type Column } from './model';

const column = (code: string, mean: Column['mean'], min: Column['min'] = [], max: Column['max'] = []): Column => ({
  code,
  name: code,
  phase: null,
  unit: 'A',
  decimals: 1,
  mean,
  min,
  max,
  quality: [],
});
const chart = (...columns: Column[]): ChartData => ({ times: [0, 60_000, 120_000], bucketMs: 60_000, columns });

test('without an envelope each column is one array, and null stays null', () => {
  const data = chart(column('Ir', [1, null, 3]), column('Iy', [4, 5, null]));
  expect(hasEnvelope(data)).toBe(false);
  expect(aligned(data)).toEqual([
    [0, 60_000, 120_000],
    [1, null, 3],
    [4, 5, null],
  ]);
});

test('with an envelope each column is line, highest, lowest; one that has none gets gaps', () => {
  const data = chart(column('Ir', [2, null, 4], [1, null, 3], [3, null, 5]), column('Iy', [7, 8, 9]));
  expect(aligned(data)).toEqual([
    [0, 60_000, 120_000],
    [2, null, 4],
    [3, null, 5],
    [1, null, 3],
    [7, 8, 9],
    [null, null, null],
    [null, null, null],
  ]);
});

test('values alone between gaps are found, at the ends too', () => {
  expect(alone([1, null, 2, 3, null, 4, null, null, 5], 0, 8)).toEqual([0, 5, 8]);
  expect(alone([1, null, 2, 3, null, 4, null, null, 5], 3, 6)).toEqual([5]);
  expect(alone([], 0, -1)).toEqual([]);
});

test('nothing but gaps is nothing', () => {
  expect(isEmpty(chart(column('Ir', [null, null, null])))).toBe(true);
  expect(isEmpty(chart(column('Ir', [null, 0, null])))).toBe(false);
  expect(isEmpty(chart())).toBe(true);
});

test.each([
  [60_000, -1, null],
  [60_000, 0, 0],
  [60_000, 59_999, 0],
  [60_000, 60_000, 1],
  [60_000, 179_999, 2],
  [60_000, 180_000, null],
  // A single value is valid until the next one.
  [0, -5, null],
  [0, 59_000, 0],
  [0, 60_000, 1],
  [0, 999_999, 2],
])('with buckets of %i ms the value at %i is number %s', (bucketMs, time, place) => {
  expect(placeOf([0, 60_000, 120_000], bucketMs, time)).toBe(place);
});

test('there is no value among none', () => {
  expect(placeOf([], 60_000, 5)).toBeNull();
});

test('the axis has air, reaches limits that are near, and leaves those that are far', () => {
  const near = valueRange(6.2, 6.4, [{ name: 'high', value: 6.48 }], false);
  expect(near[0]).toBeLessThan(6.2);
  expect(near[1]).toBeGreaterThan(6.48);
  const far = valueRange(6.2, 6.4, [{ name: 'high', value: 9 }], false);
  expect(far[1]).toBeLessThan(6.5);
});

test('an axis from 0 begins there, also for what is exported', () => {
  expect(valueRange(60, 120, [], true)[0]).toBe(0);
  expect(valueRange(-5, -2, [], true)[1]).toBe(0);
});

test('a flat line and no values at all have an axis too', () => {
  const [low, high] = valueRange(50, 50, [], false);
  expect(low).toBeLessThan(50);
  expect(high).toBeGreaterThan(50);
  expect(valueRange(null, null, [], false)).toEqual([0, 1]);
  expect(valueRange(Infinity, -Infinity, [], true)).toEqual([0, 1]);
});

test.each([
  [20, 0],
  [0.5, 1],
  [0.25, 2],
  [0.05, 2],
  [0.002, 3],
  [2.5, 1],
  [0, 0],
])('marks %d apart need %i decimals', (distance, decimals) => {
  expect(decimalsOf(distance)).toBe(decimals);
});

test('labels that would touch are moved apart, in their order and inside', () => {
  expect(spaced([50, 20, 80], 12, 0, 100)).toEqual([50, 20, 80]);
  const close = spaced([50, 49, 51], 12, 0, 100);
  expect(close[1]).toBeLessThanOrEqual(close[0]! - 12);
  expect(close[0]).toBeLessThanOrEqual(close[2]! - 12);
  const low = spaced([99, 98, 97], 12, 0, 100);
  expect(Math.max(...low)).toBeLessThanOrEqual(100);
  expect(low[2]).toBeLessThanOrEqual(low[1]! - 12);
});
