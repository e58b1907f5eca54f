// The sign-in's rules.
import { expect, test } from 'vitest';
import { missingCredential, safeRedirect } from './session';

test('only the first missing thing is told, in the specified words', () => {
  expect(missingCredential(' ', '')).toBe('Please enter username');
  expect(missingCredential('a', '')).toBe('Please enter password');
  expect(missingCredential('a', 'b')).toBeNull();
});

test.each([
  ['/dashboard?location=4', '/dashboard?location=4'],
  ['//evil.example', '/dashboard'],
  ['/\\evil.example', '/dashboard'],
  ['https://evil.example', '/dashboard'],
  [null, '/dashboard'],
])('%o leads to %s', (target, expected) => {
  expect(safeRedirect(target)).toBe(expected);
});
