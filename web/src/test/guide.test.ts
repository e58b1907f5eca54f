// Tests that the PDF of the user guide was printed from the current text.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the printed guide is up to date: npm run guide', () => {
  const written = createHash('sha256').update(readFileSync('guide/guide.html')).digest('hex');
  expect(readFileSync('guide/printed.sha256', 'utf8').trim()).toBe(written);
  expect(readFileSync('public/user-guide.pdf').subarray(0, 5).toString()).toBe('%PDF-');
});
