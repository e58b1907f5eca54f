// Tests of dates as the screens write them, and of what a user may type.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parsed, written } from './dates';

test('a value is written in the format of the screens', () => {
  expect([written('2026-11-07'), written('2026-11-07T08:05'), written('2026-11-07T08:05:09'), written(''), written('2026-13-01')]).toEqual(['07 Nov 2026', '07 Nov 2026 08:05', '07 Nov 2026 08:05:09', '', '']);
});

test.each([
  ['07 Nov 2026', '2026-11-07'],
  ['7-nov-26', '2026-11-07'],
  ['7/11/2026', '2026-11-07'],
  ['07.11.2026', '2026-11-07'],
  ['7 september 2026', '2026-09-07'],
  ['2026-11-07', '2026-11-07'],
  ['31 Jun 2026', null],
  ['11/27/2026', null],
  ['yesterday', null],
  ['', null],
  ['07 Nov 2026 08:05', null],
])('%s is %s', (text, value) => {
  expect(parsed(text, false)).toBe(value);
});

test.each([
  ['07 Nov 2026 08:05', '2026-11-07T08:05'],
  ['07 Nov 2026 8:05:09', '2026-11-07T08:05:09'],
  ['2026-11-07T08:05', '2026-11-07T08:05'],
  ['7/11/2026', '2026-11-07T00:00'],
  ['07 Nov 2026 24:00', null],
])('with a time %s is %s', (text, value) => {
  expect(parsed(text, true)).toBe(value);
});

test('no screen has a date field of the browser, whose format is that of the computer', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.tsx'));
  const native = sources.filter((path) => /type=(["'{ ]|\{')*(date|time|datetime-local|month|week)\b/.test(readFileSync(join('src', path), 'utf8')));
  expect([sources.length > 100, native]).toEqual([true, []]);
});
