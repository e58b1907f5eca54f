// Tests of every frequency: parts, lists, initial values, validity, and the request.
import { expect, test } from 'vitest';
import { periodText } from '../../wire/reports';
import { choicesOf, dayOf, faultOf, isDate, partsAtFirst, partsIn, partsOf, periodBody, weekOf, type Part } from './period';

const TODAY = { year: 2026, month: 11, day: 22 };

test.each([
  [1, ['day', 'month', 'year']],
  [2, ['month', 'year']],
  [3, ['quarter', 'year']],
  [4, ['financialYear']],
  [5, []],
  [6, ['from', 'to']],
  [7, ['date']],
  [9, ['week', 'year']],
  [8, null],
])('frequency %i has the parts %j', (frequency, parts) => {
  expect(partsOf(frequency)).toEqual(parts);
});

test.each<[Part, number, string[], string[]]>([
  ['day', 31, ['01', '02'], ['1', '31']],
  ['month', 12, ['January', 'February'], ['1', '12']],
  ['year', 2, ['2025', '2026'], ['2025', '2026']],
  ['quarter', 4, ['Jan-Mar', 'Apr-Jun', 'Jul-Sep', 'Oct-Dec'], ['1', '4']],
  ['week', 53, ['1 (29 Dec - 4 Jan)', '2 (5 - 11 Jan)'], ['1', '53']],
  ['financialYear', 4, ['Apr 2024 - Mar 2025', 'Apr 2025 - Mar 2026', 'Apr 2026 - Mar 2027', 'Apr 2027 - Mar 2028'], ['2024-2025', '2027-2028']],
])('the list of %s has %i choices', (part, count, names, [first, last]) => {
  const choices = choicesOf(part, TODAY) ?? [];
  expect(choices).toHaveLength(count);
  expect(choices.slice(0, names.length).map(([, name]) => name)).toEqual(names);
  expect([choices[0]?.[0], choices.at(-1)?.[0]]).toEqual([first, last]);
});

test.each([
  ['2025', 52, '52 (22 - 28 Dec)'],
  ['2026', 53, '53 (28 Dec - 3 Jan)'],
])('%s has %i weeks', (year, count, last) => {
  const weeks = choicesOf('week', TODAY, { year }) ?? [];
  expect(weeks).toHaveLength(count);
  expect(weeks.at(-1)?.[1]).toBe(last);
});

test('dates are written, not chosen from a list', () => {
  expect((['from', 'to', 'date'] as const).map((part) => choicesOf(part, TODAY))).toEqual([null, null, null]);
});

test.each([
  ['2026-12-31T18:29:59Z', 'Asia/Kolkata', { year: 2026, month: 12, day: 31 }],
  ['2026-12-31T18:30:00Z', 'Asia/Kolkata', { year: 2027, month: 1, day: 1 }],
  ['2027-01-01T04:59:59Z', 'America/New_York', { year: 2026, month: 12, day: 31 }],
])('%s is a day of %s', (instant, zone, day) => {
  expect(dayOf(Date.parse(instant), zone)).toEqual(day);
});

test.each([
  [{ year: 2026, month: 1, day: 1 }, 1, 2026],
  [{ year: 2026, month: 1, day: 4 }, 1, 2026],
  [{ year: 2026, month: 1, day: 5 }, 2, 2026],
  [{ year: 2026, month: 11, day: 22 }, 47, 2026],
  [{ year: 2026, month: 12, day: 31 }, 53, 2026],
  [{ year: 2027, month: 1, day: 3 }, 53, 2026],
  [{ year: 2024, month: 12, day: 30 }, 1, 2025],
  [{ year: 2023, month: 1, day: 1 }, 52, 2022],
])('%j lies in week %i of %i', (day, week, year) => {
  expect(weekOf(day)).toEqual({ week, year });
});

test.each([
  [{ year: 2026, month: 12, day: 31 }, { week: '53', year: '2026' }],
  [{ year: 2027, month: 1, day: 3 }, { week: '53', year: '2026' }],
  [{ year: 2024, month: 12, day: 30 }, { week: '52', year: '2024' }],
])('a weekly report on %j begins with a week of the lists', (today, parts) => {
  expect(partsAtFirst(9, today)).toEqual(parts);
  const years = choicesOf('year', today)?.map(([value]) => value);
  expect(years).toContain(parts.year);
});

test.each([
  ['2024-02-29', true],
  ['2026-02-29', false],
  ['2026-04-31', false],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['', false],
])('%s is a date: %s', (text, is) => {
  expect(isDate(text)).toBe(is);
});

test.each([
  [1, { day: '22', month: '11', year: '2026' }],
  [2, {}],
  [3, {}],
  [4, {}],
  [5, {}],
  [6, {}],
  [7, { date: '2026-11-22' }],
  [9, { week: '47', year: '2026' }],
])('frequency %i begins with %j', (frequency, parts) => {
  expect(partsAtFirst(frequency, TODAY)).toEqual(parts);
});

test.each<[number, Partial<Record<Part, string>>, unknown]>([
  [1, { day: '22', month: '11', year: '2026' }, null],
  [1, { day: '22', month: '', year: '2026' }, { missing: 'month' }],
  [1, { day: '31', month: '2', year: '2026' }, { wrong: 'There is no 31 February 2026.', at: 'day' }],
  [1, { day: '29', month: '2', year: '2024' }, null],
  [2, { year: '2026' }, { missing: 'month' }],
  [2, { month: '2' }, { missing: 'year' }],
  [2, { month: '2', year: '2026' }, null],
  [3, { quarter: '2' }, { missing: 'year' }],
  [3, { year: '2026' }, { missing: 'quarter' }],
  [3, { quarter: '2', year: '2026' }, null],
  [4, {}, { missing: 'financialYear' }],
  [4, { financialYear: '2025-2026' }, null],
  [5, {}, null],
  [6, { from: '2026-11-01' }, { missing: 'to' }],
  [6, { to: '2026-11-01' }, { missing: 'from' }],
  [6, { from: '2026-11-01', to: '2026-11-01' }, null],
  [6, { from: '2026-11-02', to: '2026-11-01' }, { wrong: 'This is before the first day.', at: 'to' }],
  [6, { from: '2026-02-30', to: '2026-11-01' }, { wrong: 'Please enter a day of the calendar.', at: 'from' }],
  [7, {}, { missing: 'date' }],
  [7, { date: '2026-11-01' }, null],
  [9, { week: '3' }, { missing: 'year' }],
  [9, { week: '3', year: '2026' }, null],
  [9, { week: '53', year: '2025' }, { wrong: '2025 has 52 weeks.', at: 'week' }],
])('frequency %i with %j is a period but for %j', (frequency, parts, fault) => {
  expect(faultOf(frequency, parts)).toEqual(fault);
});

const ALL = { day: '9', month: '2', year: '2026', quarter: '3', week: '7', financialYear: '2025-2026', from: '2026-01-01', to: '2026-01-31', date: '2026-05-05' };

test.each([
  [1, { day: 9, month: 2, year: 2026 }],
  [2, { month: 2, year: 2026 }],
  [3, { quarter: 3, year: 2026 }],
  [4, { financialYear: '2025-2026' }],
  [5, {}],
  [6, { from: '2026-01-01', to: '2026-01-31' }],
  [7, { date: '2026-05-05' }],
  [9, { week: 7, year: 2026 }],
])('of frequency %i only %j is sent', (frequency, body) => {
  expect(periodBody(frequency, ALL)).toEqual(body);
});

test.each([
  [1, '2026-02-09', { day: '9', month: '2', year: '2026' }],
  [2, '2026-02', { month: '2', year: '2026' }],
  [3, '2026-Q3', { quarter: '3', year: '2026' }],
  [4, '2025-2026', { financialYear: '2025-2026' }],
  [5, '', {}],
  [6, '2026-01-01,2026-01-31', { from: '2026-01-01', to: '2026-01-31' }],
  [7, '2026-05-05', { date: '2026-05-05' }],
  [9, '2026-W07', { week: '7', year: '2026' }],
] as const)('of frequency %i the text "%s" is read back as %j', (frequency, text, parts) => {
  expect(partsIn(frequency, text)).toEqual(parts);
  expect(periodText(frequency, periodBody(frequency, parts))).toBe(text);
});

test.each([
  [1, 'yesterday', 'day'],
  [2, '2026', 'month'],
  [3, '2026-Q5', 'quarter'],
  [6, '2026-01-01', 'to'],
  [9, '2026-7', 'week'],
] as const)('of frequency %i the text "%s" has no %s', (frequency, text, part) => {
  expect(faultOf(frequency, partsIn(frequency, text))).toEqual({ missing: part });
});
