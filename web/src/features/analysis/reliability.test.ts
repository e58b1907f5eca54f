// Tests of months, indices, and the request of a correction.
import { expect, test } from 'vitest';
import type { Profile } from '../../wire/analysis-reliability';
import {
  computedForm,
  countsText,
  correctionOf,
  FURTHER,
  fieldTime,
  formOf,
  indexText,
  instantIn,
  MAIN,
  MONTHS,
  monthOf,
  profileBars,
  rangeOfDay,
  rangeOfMonth,
  yearsUntil,
  yyyymm,
} from './reliability';

const ZONE = 'Asia/Kolkata';
const NOW = Date.parse('2026-11-03T14:03:00+05:30');

test('months have names, years go from 2019 to the next one', () => {
  expect([MONTHS[0], MONTHS[10], MONTHS.length]).toEqual(['January', 'November', 12]);
  expect(yearsUntil(NOW, ZONE)).toEqual([2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027]);
});

test('the month is that of the utility, also in its first hours', () => {
  expect(monthOf(Date.parse('2026-10-31T20:00:00Z'), ZONE)).toEqual({ year: 2026, month: 11 });
  expect([yyyymm({ year: 2026, month: 3 }), yyyymm({ year: 2026, month: 12 })]).toEqual(['202603', '202612']);
});

test('a month and a day reach from midnight to midnight, over a change of the clock too', () => {
  expect(rangeOfMonth({ year: 2026, month: 12 }, ZONE)).toEqual({
    from: Date.parse('2026-12-01T00:00:00+05:30'),
    to: Date.parse('2027-01-01T00:00:00+05:30'),
  });
  const day = rangeOfDay('2026-10-25', 'Europe/Berlin');
  expect(day && (day.to - day.from) / 3_600_000).toBe(25);
  expect(rangeOfDay('soon', ZONE)).toBeNull();
});

test('the four indices of the specification come first, each with unit and definition', () => {
  expect(MAIN.map(({ name }) => name)).toEqual(['SAIDI', 'SAIFI', 'CAIDI', 'CAIFI']);
  expect([...MAIN, ...FURTHER].every(({ unit, definition }) => unit.length > 0 && definition.length > 20)).toBe(true);
});

test('two decimals, and a dash for what is not defined', () => {
  const [saidi] = MAIN;
  const asai = FURTHER.find(({ key }) => key === 'asai');
  if (!saidi || !asai) throw new Error('there is no such index');
  expect([
    indexText(saidi, 4.2149),
    indexText(saidi, 0),
    indexText(saidi, null),
    indexText(saidi, undefined),
    indexText(asai, 0.999871),
  ]).toEqual(['4.21', '0.00', '–', '–', '99.9871']);
});

test('the days of a month: interruptions as columns, minutes as a line, days to come as nothing', () => {
  const day = (dt: string, interruptions: number | null, duration: number | null, majorEventDay = false): Profile['rows'][number] => ({
    dt,
    date: null,
    mon: null,
    interruptions,
    duration,
    customerMinutes: null,
    saidi: null,
    majorEventDay,
  });
  const data = profileBars({ rows: [day('01/11', 2, 46.5), day('02/11', 0, 0, true), day('03/11', null, null)] });
  expect(data.categories).toEqual(['01/11', '02/11', '03/11']);
  expect(data.series.map(({ as, axis, values }) => [as, axis, values])).toEqual([
    [undefined, undefined, [2, 0, null]],
    ['line', 'right', [46.5, 0, null]],
  ]);
  expect(data.notes).toEqual([null, 'major event day', null]);
});

test('a time goes into the form and back', () => {
  expect(fieldTime('2026-11-03T08:32:51.250Z', ZONE)).toBe('2026-11-03T14:02:51');
  expect(instantIn('2026-11-03T14:02:51', ZONE)).toBe('2026-11-03T08:32:51.000Z');
  expect([fieldTime(null, ZONE), instantIn('', ZONE), instantIn('today', ZONE)]).toEqual(['', null, null]);
});

const COMPUTED = { started: '2026-11-03T04:42:02.250Z', ended: '2026-11-03T05:28:40.000Z', cause: 'fault' };
const OUTAGE = { ...COMPUTED, excludedBecause: null, computed: COMPUTED };
const sent = (outage: Parameters<typeof correctionOf>[0], rest: object) =>
  correctionOf(outage, { ...formOf(outage, ZONE), note: ' seen in the field ', ...rest }, NOW, ZONE);
const bare = { note: 'seen in the field', exclude: false };

test('what is as it was worked out is not sent, everything else is', () => {
  expect(sent(OUTAGE, {})).toEqual(bare);
  expect(sent(OUTAGE, { cause: 'planned', exclude: true })).toEqual({ ...bare, cause: 'planned', exclude: true });
  expect(sent(OUTAGE, { ended: '2026-11-03T11:00:00' })).toEqual({ ...bare, ended: '2026-11-03T05:30:00.000Z' });
});

test('a second correction keeps the first one, since it replaces it, with its milliseconds', () => {
  const corrected = { ...OUTAGE, started: '2026-11-03T04:40:00.125Z', cause: 'upstream' };
  expect(sent(corrected, { ended: '2026-11-03T11:00:00' })).toEqual({
    ...bare,
    started: '2026-11-03T04:40:00.125Z',
    ended: '2026-11-03T05:30:00.000Z',
    cause: 'upstream',
  });
});

test('what was computed is put in to take a correction back', () => {
  const corrected = { ...OUTAGE, started: '2026-11-03T04:40:00.000Z', cause: 'upstream', excludedBecause: 'by_hand' };
  expect(formOf(corrected, ZONE).exclude).toBe(true);
  expect(sent(corrected, { ...computedForm(corrected, ZONE) })).toEqual(bare);
});

test('what does not count for another reason than a person’s word is not made one', () => {
  expect(sent({ ...OUTAGE, excludedBecause: 'major_event_day' }, {})).toEqual(bare);
});

test.each([
  [{ note: '  ' }, /why/],
  [{ ended: '2026-11-03T09:00:00' }, /after/],
  [{ ended: '2026-11-03T14:04:00' }, /future/],
])('%j cannot be sent, and it says why', (rest, words) => expect(sent(OUTAGE, rest)).toMatch(words));

test('where the events tell nothing any more, the start has to be said', () => {
  const lost = { ...OUTAGE, computed: null };
  expect([sent(lost, { started: '' }), computedForm(lost, ZONE)]).toEqual(['Enter when it began.', null]);
  expect(sent(lost, {})).toEqual({ ...bare, started: OUTAGE.started, ended: OUTAGE.ended, cause: 'fault' });
});

test('an outage that lasts may be corrected without an end, or given one', () => {
  const open = { ...OUTAGE, ended: null, computed: { ...COMPUTED, ended: null } };
  expect(sent(open, { cause: 'upstream' })).toEqual({ ...bare, cause: 'upstream' });
  expect(sent(open, { ended: '2026-11-03T12:00:00' })).toEqual({ ...bare, ended: '2026-11-03T06:30:00.000Z' });
});

test('whether it counts is said with the reason', () => {
  expect(countsText({ countsIn: true, excludedBecause: null })).toBe('yes');
  expect(countsText({ countsIn: null, excludedBecause: null })).toBe('–');
  expect(countsText({ countsIn: false, excludedBecause: 'by_hand' })).toBe('no: left out by a person');
  expect(countsText({ countsIn: false, excludedBecause: 'before_sustained' })).toBe('no: reclosings before a sustained outage');
  expect(countsText({ countsIn: false, excludedBecause: 'no_customers' })).toBe('no: the feeder supplies no customers');
  expect(countsText({ countsIn: false, excludedBecause: 'some_other' })).toBe('no: some other');
});
