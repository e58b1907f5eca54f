// Tests `step` and `lostTail` with each combination of place and delta.
import { expect, test } from 'vitest';
import { lostTail, step } from './continuity';

test.each([
  [null, { epoch: 'a', from: 1, offset: 2 }, 'ignore', 'before the answer'],
  [{ epoch: 'a', offset: 5 }, { epoch: 'a', from: 5, offset: 7 }, 'apply', 'continues'],
  [{ epoch: 'a', offset: 5 }, { epoch: 'a', from: 6, offset: 7 }, 'resubscribe', 'a gap'],
  [{ epoch: 'a', offset: 5 }, { epoch: 'b', from: 5, offset: 6 }, 'resubscribe', 'another epoch'],
  [{ epoch: 'a', offset: 5 }, { epoch: 'a', from: 3, offset: 5 }, 'ignore', 'known already'],
  [{ epoch: 'a', offset: 5 }, { epoch: 'a', from: 3, offset: 6 }, 'resubscribe', 'overlaps'],
] as const)('%o meets %o: %s (%s)', (...[place, delta, expected]) => {
  expect(step(place, delta)).toBe(expected);
});

test('a heartbeat shows a lost tail', () => {
  expect(lostTail({ epoch: 'a', offset: 5 }, 6)).toBe(true);
  expect(lostTail({ epoch: 'a', offset: 5 }, 5)).toBe(false);
  expect(lostTail(null, 6)).toBe(false);
});
