// Tests that a spreadsheet reads the same cells from the CSV, and no formulas.
import { expect, test } from 'vitest';
import { csv } from './csv';

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@x', "'@x"],
  [-1.5, '-1.5'],
  [0, '0'],
  [null, ''],
  [undefined, ''],
] as const)('%o is written %s', (value, expected) => {
  expect(csv(['h'], [[value]])).toBe(`\uFEFFh\r\n${expected}\r\n`);
});
