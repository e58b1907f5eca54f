// @vitest-environment jsdom
// Tests that forbidden markup is removed.
import { expect, test } from 'vitest';
import { clean } from './Html';

test.each([
  ['<b>Utility</b> <a href="https://x.example" rel="noopener">x</a>', '<b>Utility</b> <a href="https://x.example" rel="noopener">x</a>'],
  ['<img src=x onerror=alert(1)>a', 'a'],
  ['<a href="javascript:alert(1)">a</a>', '<a>a</a>'],
  ['<svg><script>alert(1)</script></svg>b', 'b'],
  ['<p style="position:fixed" id="root" class="x" onclick="x()">c</p>', '<p>c</p>'],
  ['<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>d', 'd'],
])('%s', (html, expected) => {
  expect(clean(html)).toBe(expected);
});
