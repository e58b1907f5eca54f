// Tests of the checks of a new password before it is sent.
import { expect, test } from 'vitest';
import { passwordProblem } from './reset';

test.each([
  ['short', 'short', 'A password has at least 15 characters; this one has 5'],
  ['ⓐ'.repeat(14), 'ⓐ'.repeat(14), 'A password has at least 15 characters; this one has 14'],
  ['x'.repeat(129), 'x'.repeat(129), 'A password has at most 128 characters; this one has 129'],
  ['a long enough sentence', 'a long enough sentenc', 'The two are not the same'],
  ['a long enough sentence', 'a long enough sentence', null],
])('%o and %o: %o', (first, second, expected) => {
  expect(passwordProblem(first, second)).toBe(expected);
});
