// Tests of the texts of runs: state, days, end of the file, and the next run.
import { expect, test } from 'vitest';
import { monthAtFirst, monthChoices } from './monthly';
import { daysText, isOpen, isUnderWay, keptUntil, nextText, stateText, waitsUntil } from './run';

test.each([
  ['waiting', true, 'Waiting'],
  ['running', true, 'Being made'],
  ['empty', false, 'No data'],
  ['failed', false, 'Failed'],
  ['done', false, 'Done · 12 rows · 3 kB'],
] as const)('a run that is %s is under way: %s, and told "%s"', (state, underWay, text) => {
  const run = { state, due: '2026-11-22T18:30:00Z', ready: '2026-11-22T19:35:00Z' };
  const [before, after] = [Date.parse('2026-11-22T19:34:40Z'), Date.parse('2026-11-22T19:35:00Z')];
  expect([isOpen(run), isUnderWay(run, after), stateText({ state, rows: 12, bytes: 2_900 })]).toEqual([underWay, underWay, text]);
  // A run that waits for its data is not under way.
  expect([isUnderWay(run, before), waitsUntil(run, before), waitsUntil(run, after)]).toEqual([state === 'running', state === 'waiting' ? after : null, null]);
  expect(isUnderWay({ ...run, ready: null }, before)).toBe(underWay);
});

test('what is not known is left out', () => {
  expect(stateText({ state: 'done', rows: null, bytes: null })).toBe('Done');
});

test.each([
  ['2026-10-01,2026-10-31', '01 Oct 2026 to 31 Oct 2026'],
  ['2026-09-05,2026-09-05', '05 Sep 2026'],
  ['2026-09-05', '05 Sep 2026'],
  ['sometime', 'sometime'],
  ['', ''],
])('the days %s are told "%s"', (period, text) => {
  expect(daysText(period)).toBe(text);
});

test('a file is kept until the server says that it goes, and what has none is not', () => {
  const expires = '2026-12-01T00:00:00Z';
  expect([keptUntil({ expires, fileName: 'a.pdf' }), keptUntil({ expires, fileName: null }), keptUntil({ expires: null, fileName: 'a.pdf' })]).toEqual([Date.parse(expires), null, null]);
});

const DUE = '2026-11-23T00:30:00Z';
test.each([
  ['before it', true, DUE, -60_000, '23 Nov 2026 06:00', false],
  ['a little after it', true, DUE, 5 * 60_000, '23 Nov 2026 06:00', false],
  ['long after it', true, DUE, 5 * 60_000 + 1, 'Due since 23 Nov 2026 06:00', true],
  ['switched off', false, DUE, 3_600_000, 'Switched off', false],
  ['without a next time', true, null, 0, '–', false],
] as const)('the next run, %s, in the zone of the utility', (_, enabled, nextDue, after, text, isLate) => {
  expect(nextText({ enabled, nextDue }, Date.parse(DUE) + after, 'Asia/Kolkata')).toEqual({ text, isLate });
});

test('the months go back from the present one over new years, and begin with the last that is over', () => {
  const choices = monthChoices({ year: 2026, month: 1, day: 31 });
  expect([choices.length, ...choices.slice(0, 3), choices.at(-1)]).toEqual([25, ['2026-01', 'January 2026, so far'], ['2025-12', 'December 2025'], ['2025-11', 'November 2025'], ['2024-01', 'January 2024']]);
  expect(monthAtFirst({ year: 2026, month: 1, day: 31 })).toBe('2025-12');
});

test('a run that was just started is under way, also by a clock that is a little behind', () => {
  const now = Date.parse('2026-11-27T10:53:16.960Z');
  const run = { state: 'waiting' as const, due: '2026-11-27T10:53:16.970Z', ready: null };
  expect([isUnderWay(run, now), waitsUntil(run, now)]).toEqual([true, null]);
  expect(isUnderWay({ ...run, due: '2026-11-27T10:54:00.000Z' }, now)).toBe(false);
});
