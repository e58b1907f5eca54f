// Tests of the formats of times and numbers.
import { expect, test } from 'vitest';
import { age, eventTime, headerTime, number } from './format';

const at = Date.UTC(2026, 10, 3, 8, 32, 51, 402);

test('times are in the utility zone', () => {
  expect(headerTime(at, 'Asia/Kolkata')).toBe('03 Nov 2026 14:02');
  expect(eventTime(at, at, 'Asia/Kolkata', true)).toBe('14:02:51.402');
  expect(eventTime(at, at + 86_400_000, 'Asia/Kolkata')).toBe('03 Nov 2026 14:02:51');
});

test('absence is a dash and never 0', () => {
  expect(number(null, 2)).toBe('–');
  expect(number(0, 2)).toBe('0.00');
  expect(number(-0.84, 1)).toBe('−0.8');
});

test('ages people can read', () => {
  expect([4_000, 240_000, 7_200_000, 432_000_000].map(age)).toEqual(['4 s', '4 min', '2 h', '5 d']);
});
