// Tests of the choices for every level, report and frequency, of the enabled buttons, and of the request.
import { expect, test } from 'vitest';
import { INPUTS, type ReportDetails, type ReportInput } from '../../wire/reports';
import { assetOf, bodyOf, frequenciesOf, groupsOf, inputFault, inputsOf, levelName, missingIn, NOTHING, placesOf, settled, takesMany, typesOf, valueOf, withFrequency, withInput, withLevel, withPart, withReport, type Form, type Selection } from './rules';

const TODAY = { year: 2026, month: 11, day: 22 };
const input = (name: string): ReportInput => INPUTS[name] as ReportInput;
const SWITCH = input('excludeMomentary');
const QUANTITY = input('quantity');
const LIMIT = input('limit');
const SAMPLES = input('sampleMinutes');
const report = (ReportId: number, more: Partial<ReportDetails> = {}): ReportDetails => ({ ReportId, ReportName: `Report ${ReportId}`, ReportKey: 'EVENT_LOG', Historic: true, RealTime: false, ReportFrequencyListIds: '1,2,3,4,5,6,7,9', purpose: '', Multiple: true, inputs: [], columns: [], ...more });

const chosen: Selection = { ...NOTHING, level: 'division', nodes: [4], report: 2 };
const form = (selection: Partial<Selection> = {}, details: ReportDetails | null = report(2), showsGds = false): Form => ({ selection: { ...chosen, ...selection }, details, showsGds });

test.each([
  [null, []],
  ['client', []],
  ['circle', ['area']],
  ['division', ['area']],
  ['town', ['area']],
  ['subdivision', ['area']],
  ['section', ['area']],
  ['substation', ['area', 'location']],
  ['asset', ['area', 'location', 'feeder']],
] as const)('level %s has the lists %j', (level, lists) => {
  expect(placesOf(level)).toEqual(lists);
});

test.each([
  ['asset', true, false],
  ['division', true, true],
  ['substation', true, true],
  ['substation', false, false],
  [null, true, false],
] as const)('at level %s a report with Multiple %s takes many places: %s', (level, Multiple, many) => {
  expect(takesMany(level, { Multiple })).toBe(many);
});

test('a substation is a location in calls', () => {
  expect([levelName('substation'), levelName('asset'), levelName('division')]).toEqual(['location', 'asset', 'division']);
});

test('a level clears the places and keeps the report; a report clears what hung on the one before', () => {
  const before: Selection = { level: 'division', nodes: [4, 5], report: 2, type: 'Historic', frequency: 2, parts: { month: '3' }, inputs: { limit: '7' } };
  expect(withLevel(before, 'substation')).toEqual({ ...before, level: 'substation', nodes: [] });
  expect(withReport(before, 9)).toEqual({ ...before, report: 9, type: null, frequency: null, parts: {}, inputs: {} });
  expect(withFrequency(before, 7, TODAY)).toEqual({ ...before, frequency: 7, parts: { date: '2026-11-22' } });
  expect(withPart(before, 'year', '2026').parts).toEqual({ month: '3', year: '2026' });
  expect(withInput(before, 'limit', '9').inputs).toEqual({ limit: '9' });
});

test.each([
  [true, true, ['Historic', 'RealTime']],
  [true, false, ['Historic']],
  [false, true, ['RealTime']],
  [false, false, []],
])('Historic %s and RealTime %s are the types %j', (Historic, RealTime, types) => {
  expect(typesOf({ Historic, RealTime })).toEqual(types);
});

test.each([
  ['1,2,6', [1, 2, 6]],
  [' 9 , 1 ,1', [9, 1]],
  ['', []],
  ['2,x,8,99', [2]],
])('the list "%s" is the frequencies %j', (ReportFrequencyListIds, ids) => {
  expect(frequenciesOf({ ReportFrequencyListIds })).toEqual(ids);
});

test('a single type is chosen by itself, one of two is not', () => {
  expect(settled(form())).toEqual({ type: 'Historic', frequency: null });
  expect(settled(form({}, report(2, { Historic: false, RealTime: true })))).toEqual({ type: 'RealTime', frequency: null });
  const both = report(4, { RealTime: true });
  expect(settled(form({}, both)).type).toBeNull();
  expect(settled(form({ type: 'RealTime', frequency: 2 }, both))).toEqual({ type: 'RealTime', frequency: null });
});

test('a frequency that the report does not have is none', () => {
  expect(settled(form({ frequency: 2 }, report(2, { ReportFrequencyListIds: '1,6' }))).frequency).toBeNull();
});

const ALL_INPUTS = [SWITCH, QUANTITY, LIMIT, SAMPLES];
test.each([
  // Report, inputs, type, frequency, GDS, expected inputs.
  [1, [SWITCH], 'Historic', 2, false, ['excludeMomentary']],
  [4, [QUANTITY], 'Historic', 2, false, ['quantity']],
  [4, [QUANTITY], 'RealTime', null, false, []],
  [9, [LIMIT], 'Historic', 2, false, ['limit']],
  [31, [SAMPLES], 'Historic', 6, false, ['sampleMinutes']],
  [31, [SAMPLES], 'Historic', 7, false, ['sampleMinutes']],
  [31, [SAMPLES], 'Historic', 1, false, []],
  [31, [SAMPLES], 'RealTime', null, false, []],
  [32, [SAMPLES], 'Historic', 7, false, ['sampleMinutes']],
  [37, [SAMPLES], 'Historic', 7, false, []],
  [37, [SAMPLES], 'Historic', 7, true, ['sampleMinutes']],
  [37, [SAMPLES], 'Historic', 6, true, ['sampleMinutes']],
  [2, [], 'Historic', 6, true, []],
  [50, ALL_INPUTS, null, null, true, ['excludeMomentary', 'limit']],
  [50, ALL_INPUTS, 'RealTime', null, true, []],
] as const)('report %i with %j, %s, frequency %s, GDS %s', (ReportId, inputs, type, frequency, showsGds, names) => {
  expect(inputsOf({ ReportId, inputs: [...inputs] }, type, frequency, showsGds).map(({ name }) => name)).toEqual(names);
});

test('an input says its default until something is entered', () => {
  expect([valueOf(SWITCH, {}), valueOf(QUANTITY, {}), valueOf(LIMIT, {}), valueOf(SAMPLES, {})]).toEqual([true, '', '5', '15']);
  expect([valueOf(SWITCH, { excludeMomentary: false }), valueOf(LIMIT, { limit: '' }), valueOf(QUANTITY, { quantity: 'current' })]).toEqual([false, '', 'current']);
  // A value that is not in the list of choices is ignored.
  expect([valueOf(SAMPLES, { sampleMinutes: '7' }), valueOf(QUANTITY, { quantity: 'power' })]).toEqual(['15', '']);
});

test.each([
  ['5', true],
  ['1', true],
  ['1000000', true],
  ['1000001', false],
  ['0', false],
  ['-3', false],
  ['2.5', false],
  ['', false],
  ['1e3', false],
])('the limit %s is taken: %s', (limit, ok) => {
  expect(inputFault(LIMIT, { limit }) === '').toBe(ok);
});

const PERIODS: Readonly<Record<number, Selection['parts']>> = {
  1: { day: '9', month: '2', year: '2026' },
  2: { month: '2', year: '2026' },
  3: { quarter: '3', year: '2026' },
  4: { financialYear: '2025-2026' },
  5: {},
  6: { from: '2026-01-01', to: '2026-01-31' },
  7: { date: '2026-05-05' },
  9: { week: '7', year: '2026' },
};

test.each([
  ['nothing', { level: null, nodes: [] }, report(2), 'level'],
  ['no place', { nodes: [] }, report(2), 'node'],
  ['no report', {}, null, 'report'],
  ['no type of two', {}, report(2, { RealTime: true }), 'type'],
  ['no frequency', {}, report(2), 'frequency'],
  ['month without year', { frequency: 2, parts: { month: '2' } }, report(2), 'year'],
  ['no month', { frequency: 2, parts: { year: '2026' } }, report(2), 'month'],
  ['no quarter', { frequency: 3, parts: { year: '2026' } }, report(2), 'quarter'],
  ['quarter without year', { frequency: 3, parts: { quarter: '1' } }, report(2), 'year'],
  ['no financial year', { frequency: 4 }, report(2), 'financialYear'],
  ['no first day', { frequency: 6, parts: { to: '2026-01-01' } }, report(2), 'from'],
  ['no last day', { frequency: 6, parts: { from: '2026-01-01' } }, report(2), 'to'],
  ['last before first', { frequency: 6, parts: { from: '2026-01-02', to: '2026-01-01' } }, report(2), 'wrong'],
  ['no such day', { frequency: 1, parts: { day: '31', month: '4', year: '2026' } }, report(2), 'wrong'],
  ['a limit of 0', { frequency: 5, inputs: { limit: '0' } }, report(9, { inputs: [LIMIT] }), 'wrong'],
  ['two places of a report about one', { nodes: [1, 2], frequency: 5 }, report(2, { Multiple: false }), 'oneNode'],
  ['more places than one report takes', { nodes: Array.from({ length: 201 }, (_, id) => id), frequency: 5 }, report(2), 'fewerNodes'],
  ['as many places as one report takes', { nodes: Array.from({ length: 200 }, (_, id) => id), frequency: 5 }, report(2), null],
  ['two assets', { level: 'asset', nodes: [1, 2], frequency: 5 }, report(2), 'oneNode'],
  ['the present needs no frequency', {}, report(2, { Historic: false, RealTime: true }), null],
  ['two places', { nodes: [1, 2], frequency: 5 }, report(2), null],
] as const)('with %s', (_, selection, details, missing) => {
  const asked = form(selection as Partial<Selection>, details);
  expect(missingIn(asked)).toBe(missing);
  expect(bodyOf(asked) === null).toBe(missing !== null);
});

test.each([1, 2, 3, 4, 5, 6, 7, 9])('frequency %i is asked for with its parts alone', (frequency) => {
  const every = Object.assign({}, ...Object.values(PERIODS)) as Selection['parts'];
  const body = bodyOf(form({ frequency, parts: { ...every, ...PERIODS[frequency] } }));
  expect(body).toEqual({ reportId: 2, reportKey: 'EVENT_LOG', type: 'Historic', level: 'division', levelId: [4], frequency, frequencyValue: body?.frequencyValue, inputs: {} });
  expect(Object.keys(body?.frequencyValue ?? {})).toEqual(Object.keys(PERIODS[frequency] ?? {}));
});

test('every report of the specification sends its own inputs, numbers as numbers', () => {
  const body = (details: ReportDetails, selection: Partial<Selection>, gds = false) => bodyOf(form(selection, details, gds))?.inputs;
  const dates = { frequency: 6, parts: PERIODS[6] ?? {} };
  expect(body(report(1, { inputs: [SWITCH] }), { frequency: 5, inputs: { excludeMomentary: false } })).toEqual({ excludeMomentary: false });
  expect(body(report(4, { inputs: [QUANTITY], RealTime: true }), { type: 'Historic', frequency: 5, inputs: { quantity: 'current' } })).toEqual({ quantity: 'current' });
  expect(body(report(4, { inputs: [QUANTITY], RealTime: true }), { type: 'Historic', frequency: 5 })).toEqual({});
  expect(body(report(4, { inputs: [QUANTITY], RealTime: true }), { type: 'RealTime', inputs: { quantity: 'current' } })).toEqual({});
  expect(body(report(9, { inputs: [LIMIT] }), { frequency: 5 })).toEqual({ limit: 5 });
  expect(body(report(31, { inputs: [SAMPLES] }), { ...dates, inputs: { sampleMinutes: '30' } })).toEqual({ sampleMinutes: 30 });
  expect(body(report(32, { inputs: [SAMPLES] }), dates)).toEqual({ sampleMinutes: 15 });
  expect(body(report(37, { inputs: [SAMPLES] }), { ...dates, inputs: { sampleMinutes: '30' } })).toEqual({});
  expect(body(report(37, { inputs: [SAMPLES] }), { ...dates, inputs: { sampleMinutes: '30' } }, true)).toEqual({ sampleMinutes: 30 });
});

test('the present is asked for without frequency and period', () => {
  const asked = form({ level: 'substation', nodes: [7, 8], type: 'RealTime', frequency: 2, parts: { month: '2' } }, report(4, { RealTime: true }));
  expect(bodyOf(asked)).toEqual({ reportId: 4, reportKey: 'EVENT_LOG', type: 'RealTime', level: 'location', levelId: [7, 8], frequency: null, frequencyValue: {}, inputs: {} });
});

test('reports are grouped by purpose, in their order', () => {
  const rows = [report(1, { purpose: 'Reliability' }), report(2, { purpose: 'Operation' }), report(14, { purpose: 'Reliability' })];
  expect(groupsOf(rows).map(([purpose, of]) => [purpose, of.map(({ ReportId }) => ReportId)])).toEqual([
    ['Reliability', [1, 14]],
    ['Operation', [2]],
  ]);
});

test('only a selected asset limits the list of reports', () => {
  expect(assetOf({ ...NOTHING, level: 'asset', nodes: [5] })).toBe(5);
  expect(assetOf({ ...NOTHING, level: 'asset' })).toBeNull();
  expect(assetOf({ ...NOTHING, level: 'division', nodes: [5] })).toBeNull();
});
