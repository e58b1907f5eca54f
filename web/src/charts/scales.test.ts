// Tests that axes start, end and are marked at round values.
import { expect, test } from 'vitest';
import { between, linear, logarithmic, round, roomFor } from './scales';

test.each([
  [0.3, 0.5],
  [1, 1],
  [1.2, 2],
  [3, 5],
  [7, 10],
  [230, 500],
  [0, 1],
])('the round step for %d is %d', (value, step) => expect(round(value)).toBe(step));

const words = ({ marks }: ReturnType<typeof linear>) => marks.map((mark) => mark.words);

test('an axis from 0 reaches over its values in equal steps', () => {
  const scale = linear(3, 47, { fromZero: true });
  expect([scale.from, scale.to, words(scale)]).toEqual([0, 50, ['0', '10', '20', '30', '40', '50']]);
  expect([scale.share(0), scale.share(25), scale.share(50)]).toEqual([0, 0.5, 1]);
});

test('counts have whole steps, and no value at all has an axis too', () => {
  expect(words(linear(0, 2, { fromZero: true, isWhole: true }))).toEqual(['0', '1', '2']);
  expect(words(linear(0, 0, { fromZero: true, isWhole: true }))[0]).toBe('0');
});

test('an axis that shares the lines of another has exactly as many', () => {
  for (const high of [1, 7, 39, 41, 99.5, 1_234]) {
    const scale = linear(0, high, { fromZero: true, parts: 4, exactly: true });
    expect(scale.marks).toHaveLength(5);
    expect(scale.to).toBeGreaterThanOrEqual(high);
  }
});

test('values on both sides of 0 have 0 among the marks, with a true minus', () => {
  expect(words(linear(-12, 30, { fromZero: true }))).toEqual(['−20', '−10', '0', '10', '20', '30']);
});

test('an axis with given ends begins and ends there', () => {
  const hours = between(0, 24, { step: 6 });
  expect([hours.from, hours.to, words(hours)]).toEqual([0, 24, ['0', '6', '12', '18', '24']]);
  const odd = between(3, 98);
  expect([odd.from, odd.to, words(odd)]).toEqual([3, 98, ['20', '40', '60', '80']]);
  expect(between(0, 1e9, { step: 1 }).marks.length).toBeLessThanOrEqual(100);
  expect(between(5, 5).share(5)).toBe(0);
});

test('a logarithmic axis goes by decades, and what is not above 0 has no place on it', () => {
  const scale = logarithmic(30, 12_000);
  expect([scale.from, scale.to]).toEqual([10, 100_000]);
  expect(words(scale).filter(Boolean)).toEqual(['10', '100', '1000', '10000', '100000']);
  expect(scale.share(1_000)).toBeCloseTo(0.5);
  expect([scale.share(0), scale.share(-3)]).toEqual([null, null]);
});

test('over little more than a decade it is marked at 1, 2 and 5, from the nearest of them', () => {
  const scale = logarithmic(0.3, 4);
  expect([scale.from, scale.to, words(scale).filter(Boolean)]).toEqual([0.2, 5, ['0.2', '0.5', '1', '2', '5']]);
});

test.each([
  [0, 0],
  [5, 5],
  [1e-9, 1e9],
])('a logarithmic axis for %d to %d has two ends and bounded marks', (low, high) => {
  const { from, to, marks } = logarithmic(low, high);
  expect(from).toBeGreaterThan(0);
  expect(to).toBeGreaterThan(from);
  expect(marks.length).toBeLessThan(120);
});

test('long figures get more room', () => expect(roomFor(linear(0, 5_000_000))).toBeGreaterThan(roomFor(linear(0, 5))));
