// Tests of schedules: the choices of each report, completeness, the request, and the sentence about the time.
import { expect, test } from 'vitest';
import { INPUTS, type ReportDetails, type ReportInput } from '../../wire/reports';
import type { Schedule } from '../../wire/reports-kept';
import { NOTHING } from './rules';
import { fitted, formatsOf, formOf, isAddress, isTime, missingInSchedule, MONTHLY_REPORT, NEW_SCHEDULE, periodsOf, scheduleBody, timeTyped, whenText, withEvery, withTyped, type ScheduleForm } from './schedule';

const report = (more: Partial<ReportDetails> = {}): ReportDetails => ({ ReportId: 2, ReportName: 'Event Log', ReportKey: 'EVENT_LOG', Historic: true, RealTime: false, ReportFrequencyListIds: '1,2,3,4,6,9', purpose: '', Multiple: true, inputs: [], columns: [], ...more });
const form = (more: Partial<ScheduleForm> = {}): ScheduleForm => ({ ...NEW_SCHEDULE, name: 'Morning', selection: { ...NOTHING, level: 'substation', nodes: [7], report: 2 }, ...more });

test.each([
  ['1', ['day']],
  ['7', ['day']],
  ['9', ['week']],
  ['2', ['month']],
  ['3', ['quarter']],
  ['4', ['financialYear']],
  ['6', ['day', 'week', 'month', 'quarter', 'financialYear']],
  ['5', []],
])('frequencies %s can say the periods %j', (ReportFrequencyListIds, periods) => {
  expect(periodsOf({ ReportFrequencyListIds })).toEqual(periods);
});

test('what a report does not allow gives way to what it does', () => {
  const monthly = report({ ReportFrequencyListIds: '2,3' });
  expect(fitted(form({ period: 'day' }), monthly).period).toBe('month');
  expect(fitted(form({ period: 'quarter' }), monthly).period).toBe('quarter');
  expect(fitted(form({ format: 'csv' }), MONTHLY_REPORT)).toMatchObject({ format: 'pdf', period: 'month' });
  expect(formatsOf(report())).toEqual(['pdf', 'xlsx', 'xls', 'csv']);
  const unknown = form({ period: 'week' });
  expect(fitted(unknown, null)).toBe(unknown);
});

test.each([
  ['day', null],
  ['week', null],
  ['month', 9],
  ['quarter', 9],
  ['financialYear', 9],
] as const)('rhythm %s is sent with the day of the month %o', (every, dayOfMonth) => {
  expect(scheduleBody(form({ every, dayOfMonth: 9 }), report(), false)?.dayOfMonth).toBe(dayOfMonth);
});

test('with another rhythm comes its period', () => {
  expect(withEvery(form({ period: 'day' }), 'month')).toMatchObject({ every: 'month', period: 'month' });
});

test.each([
  ['6:00', '06:00', true],
  ['0630', '06:30', true],
  [' 23.59 ', '23:59', true],
  ['24:00', '24:00', false],
  ['6', '6', false],
  ['', '', false],
])('the time "%s" is kept as "%s"', (typed, kept, ok) => {
  expect([timeTyped(typed), isTime(timeTyped(typed))]).toEqual([kept, ok]);
});

test.each([
  ['a.b@c.example', true],
  ['a@b', false],
  ['a b@c.example', false],
  ['a@c.example,d@c.example', false],
  ['', false],
])('"%s" is an address: %s', (text, ok) => {
  expect(isAddress(text)).toBe(ok);
});

test.each([
  ['', ['a@b.example'], null],
  [' A@B.example ', ['a@b.example'], null],
  ['c@d.example', ['a@b.example', 'c@d.example'], null],
  ['c@d', ['a@b.example', 'c@d'], 'mailTo'],
])('"%s" that is typed beside an address is not dropped', (typed, mailTo, missing) => {
  const entered = form({ mailTo: withTyped(['a@b.example'], typed) });
  expect([entered.mailTo, missingInSchedule(entered, report(), false), scheduleBody(entered, report(), false)?.mailTo]).toEqual([mailTo, missing, missing ? undefined : mailTo]);
});

const LIMIT = INPUTS.limit as ReportInput;
test.each([
  ['no name', { name: '  ' }, report(), 'name'],
  ['no level', { selection: NOTHING }, report(), 'level'],
  ['no place', { selection: { ...NOTHING, level: 'division' } }, report(), 'node'],
  ['no report', {}, null, 'report'],
  ['two places of a report about one', { selection: { ...NOTHING, level: 'division', nodes: [1, 2] } }, report({ Multiple: false }), 'oneNode'],
  ['ten places of the performance of a month', { selection: { ...NOTHING, level: 'division', nodes: Array.from({ length: 10 }, (_, index) => index + 1) } }, MONTHLY_REPORT, null],
  ['eleven of them', { selection: { ...NOTHING, level: 'division', nodes: Array.from({ length: 11 }, (_, index) => index + 1) } }, MONTHLY_REPORT, 'fewerOfMonthly'],
  ['no type of two', {}, report({ RealTime: true }), 'type'],
  ['a limit of 0', { selection: { ...NOTHING, level: 'client', nodes: [1], inputs: { limit: '0' } } }, report({ inputs: [LIMIT] }), 'wrong'],
  ['no time of day', { time: '25:00' }, report(), 'time'],
  ['no days', { keepDays: '0' }, report(), 'keepDays'],
  ['days of two years', { keepDays: '730' }, report(), 'keepDays'],
  ['an address that is none', { mailTo: ['nobody'] }, report(), 'mailTo'],
  ['more addresses than a mail has', { mailTo: Array.from({ length: 21 }, (_, index) => `a${index}@b.example`) }, report(), 'mailTo'],
  ['everything', {}, report(), null],
  ['the present', {}, report({ Historic: false, RealTime: true, ReportFrequencyListIds: '' }), null],
] as const)('with %s', (_, more, details, missing) => {
  const entered = form(more as Partial<ScheduleForm>);
  expect(missingInSchedule(entered, details, false)).toBe(missing);
  expect(scheduleBody(entered, details, false) === null).toBe(missing !== null);
});

test('what is sent says one rhythm alone, and inputs as numbers', () => {
  const sent = scheduleBody(form({ every: 'week', weekday: 3, time: '7:05', mailTo: ['a@b.example'], selection: { ...NOTHING, level: 'substation', nodes: [7], report: 9, inputs: { limit: '8' } } }), report({ ReportKey: 'HIGH_ACTIVITY_BREAKER', inputs: [LIMIT] }), false);
  expect(sent).toEqual({
    name: 'Morning',
    question: { report: 'HIGH_ACTIVITY_BREAKER', level: 'location', levelId: [7], reportType: 'historic', limit: 8 },
    period: 'day',
    format: 'pdf',
    every: 'week',
    weekday: 3,
    dayOfMonth: null,
    time: '07:05',
    mailTo: ['a@b.example'],
    keepDays: 90,
    enabled: true,
  });
  expect(scheduleBody(form({ every: 'month', dayOfMonth: 28 }), report(), false)).toMatchObject({ weekday: null, dayOfMonth: 28 });
});

test('sample minutes of report 37 are for who has the data of GDS', () => {
  const gds = report({ ReportId: 37, inputs: [INPUTS.sampleMinutes as ReportInput] });
  const sent = (showsGds: boolean) => scheduleBody(form(), gds, showsGds)?.question;
  expect([sent(false), sent(true)]).toEqual([expect.not.objectContaining({ sampleMinutes: 15 }), expect.objectContaining({ sampleMinutes: 15 })]);
});

test('a schedule that is there stands in the form as it is', () => {
  const schedule: Schedule = { id: 1, name: 'Board', question: { report: 'EVENT_LOG', reportType: 'historic', level: 'client', levelId: [1], excludeMomentary: null, limit: null, quantity: null, sampleMinutes: null }, period: 'month', format: 'xls', every: 'month', weekday: null, dayOfMonth: 5, time: '07:00', mailTo: [], keepDays: 30, enabled: false, createdBy: 'A', mine: true, nextDue: null, lastRun: null };
  expect(formOf(schedule, null)).toEqual({ name: 'Board', selection: { ...NOTHING, level: 'client', nodes: [1] }, period: 'month', format: 'xls', every: 'month', weekday: 1, dayOfMonth: 5, time: '07:00', mailTo: [], keepDays: '30', enabled: false });
});

test.each([
  [{ every: 'day', period: 'day' }, false, 'Every day at 06:00, of the day before'],
  [{ every: 'week', weekday: 1, period: 'week' }, false, 'Every Monday at 06:00, of the week before'],
  [{ every: 'week', weekday: 7, period: 'quarter' }, false, 'Every Sunday at 06:00, of the quarter before'],
  [{ every: 'month', dayOfMonth: 28, period: 'financialYear' }, false, 'On day 28 of every month at 06:00, of the last financial year'],
  [{ every: 'quarter', dayOfMonth: 5, period: 'quarter' }, false, 'On day 5 of every quarter at 06:00, of the quarter before'],
  [{ every: 'financialYear', dayOfMonth: 10, period: 'financialYear' }, false, 'On day 10 of April every year at 06:00, of the last financial year'],
  [{ every: 'month', dayOfMonth: 1, period: 'month' }, true, 'On day 1 of every month at 06:00, as it stands then'],
] as const)('%j, realtime %s, is told "%s"', (rhythm, isRealtime, sentence) => {
  expect(whenText({ weekday: null, dayOfMonth: null, time: '06:00', ...rhythm }, isRealtime)).toBe(sentence);
});
