// Tests of the optimiser's form, of files before and after sending, and of the charts of a day.
import { expect, test } from 'vitest';
import { stacked } from '../../charts/bars';
import { clockOf, clockOfText, halfHour, readRow, typedSlot, windowWords } from '../../ui/halfhours';
import { FIELDS, FILE_MAX_BYTES, FileRefused, readUpload, type Compared, type Optimised, type Parameters, type Slots } from '../../wire/lowcarbon';
import { Failure } from '../../wire/rest';
import { comparedGrid, comparedStorage, energyBars, energyOf, powerLines, sharesPie, storageLines, storedChange, takenSolar } from './figures';
import { draftOf, fieldsIn, fileProblem, isSameRun, isTime, NAMES, readDraft, typed } from './form';

const DEFAULTS: Parameters = {
  BatteryCapacityMaxKwh: 100,
  BatteryCapacityMinKwh: 0,
  BatteryChargeRateKw: 50,
  BatteryDischargeRateKw: 25,
  ChargingStartTimeHours: 0,
  ChargingEndTimeHours: 24,
  DischargingStartTimeHours: 26,
  DischargingEndTimeHours: 46,
  SolarCapacityKwp: 100,
  lat: 0,
  lon: 0,
  Objective: 'cost_with_solar',
  deviceId: 12_193,
};

/** The content of a time field after typing the characters one by one. */
const keyed = (text: string) => [...text].reduce((held, key) => typedSlot(held, held + key), '');

test.each([
  ['26', '26'],
  ['0', '0'],
  ['007', '0'],
  ['026', '0'],
  ['-5', '5'],
  ['1.5', '15'],
  ['1e3', '13'],
  ['a b', ''],
  ['١٢', ''],
])('typing %s into a time field leaves %j', (text, left) => {
  expect(keyed(text)).toBe(left);
});

test('a time field may be emptied, and what is pasted is taken whole or not at all', () => {
  expect([typedSlot('26', ''), typedSlot('26', '46'), typedSlot('26', '046'), typedSlot('26', ' 46'), typedSlot('26', '4.6')]).toEqual(['', '46', '26', '26', '26']);
});

test('four fields are times; the others take any text', () => {
  expect(FIELDS.filter(isTime)).toEqual(['ChargingStartTimeHours', 'ChargingEndTimeHours', 'DischargingStartTimeHours', 'DischargingEndTimeHours']);
  expect(typed('BatteryChargeRateKw', '5', '5 kW')).toBe('5 kW');
  expect(typed('ChargingEndTimeHours', '24', '24x')).toBe('24');
});

test('the form begins with the site’s own, and sends numbers under the names of the specification', () => {
  const draft = draftOf(DEFAULTS);
  expect(Object.keys(draft)).toEqual([...FIELDS]);
  expect(readDraft(draft)).toEqual({ body: DEFAULTS });
  expect(Object.keys(NAMES)).toHaveLength(13);
});

test('what is left out is asked for as the site’s own; another number or another day is another run', () => {
  expect(isSameRun({ ...DEFAULTS, day: 'today' }, { day: 'today' }, DEFAULTS)).toBe(true);
  expect(isSameRun({ ...DEFAULTS, day: 'today' }, { day: 'tomorrow' }, DEFAULTS)).toBe(false);
  expect(isSameRun({ day: 'today' }, { BatteryCapacityMinKwh: 1, day: 'today' }, DEFAULTS)).toBe(false);
});

test('numbers are parsed to floats, and what is empty is left out: it is the site’s own', () => {
  const read = readDraft({ BatteryCapacityMaxKwh: ' 250.50 ', BatteryCapacityMinKwh: '', ChargingStartTimeHours: '', lat: '-.5', lon: '1e1' });
  expect(read).toEqual({ body: { BatteryCapacityMaxKwh: 250.5, lat: -0.5, lon: 10 } });
});

test.each(['12,5', '12 kW', 'twelve', 'Infinity', '1e999', '0x10', '--1', 'NaN'])('%s is no number, and nothing is sent', (text) => {
  expect(readDraft({ BatteryChargeRateKw: text, lat: '1' })).toEqual({ faults: { BatteryChargeRateKw: 'Please enter a number, such as 12.5.' } });
});

test('a half hour beyond the day is told before anything is sent', () => {
  expect(readDraft({ DischargingEndTimeHours: '49' })).toEqual({ faults: { DischargingEndTimeHours: 'Half hours of a day, from 0 to 48' } });
  expect(readDraft({ DischargingEndTimeHours: '48' })).toEqual({ body: { DischargingEndTimeHours: 48 } });
});

test('half hours are clock times', () => {
  expect([0, 1, 26, 47, 48].map(clockOf)).toEqual(['00:00', '00:30', '13:00', '23:30', '24:00']);
  expect([halfHour(26), halfHour(47)]).toEqual(['13:00 to 13:30', '23:30 to 24:00']);
  expect(['', '46', '48', '49'].map(clockOfText)).toEqual([null, '23:00', '24:00', null]);
});

test.each([
  [0, 24, '00:00 to 12:00'],
  [26, 46, '13:00 to 23:00'],
  [44, 4, '22:00 to 02:00, over midnight'],
  [0, 48, '00:00 to 24:00'],
  [26, 26, 'There is no half hour in it: 0 and 48 are all day.'],
  [48, 0, 'There is no half hour in it: 0 and 48 are all day.'],
  [0, 49, 'Half hours of a day, from 0 to 48'],
])('a window from %i to %i is %j', (start, end, words) => {
  expect(windowWords(start, end)).toBe(words);
});

test('a sentence of the server marks the fields that it names, and no others', () => {
  expect(fieldsIn('BatteryCapacityMinKwh: is 101, above BatteryCapacityMaxKwh, which is 100')).toEqual(['BatteryCapacityMinKwh']);
  expect(fieldsIn('lat: is 95; from -90 to 90; lon: is 500; from -180 to 180')).toEqual(['lat', 'lon']);
  expect(fieldsIn('the battery may not discharge then (DischargingStartTimeHours, DischargingEndTimeHours)')).toEqual(['DischargingStartTimeHours', 'DischargingEndTimeHours']);
  expect(fieldsIn('There is no demand for this site: choose a demand file.')).toEqual([]);
});

test.each([
  ['day.csv', 100, 'text/csv', ''],
  ['DAY.CSV', FILE_MAX_BYTES, 'application/vnd.ms-excel', ''],
  ['day.txt', 1, 'text/plain', ''],
  ['day.xlsx', 100, 'application/octet-stream', 'day.xlsx is no CSV file. Save it as CSV first.'],
  ['day.csv', 0, 'text/csv', 'day.csv is empty.'],
  ['day.csv', FILE_MAX_BYTES + 100_000, 'text/csv', 'day.csv has 5.1 MiB; up to 5 MiB.'],
])('%s of %i bytes and type %s: %j', (name, size, type, problem) => {
  expect(fileProblem({ name, size, type }, FILE_MAX_BYTES)).toBe(problem);
});

test('a file that was taken has its handle; one that was refused says why, line by line', () => {
  const taken = { handle: 'ab12', days: null, values: 48, expires: '2026-11-23T08:00:00Z' };
  expect(readUpload(200, JSON.stringify({ statusCode: 200, result: taken, message: '' }))).toEqual(taken);
  const faults = [{ line: 3, column: 'kW', what: 'is "x"; a number' }, { line: 9, column: '', what: 'there is no time' }];
  const refused = caught(() => readUpload(400, JSON.stringify({ statusCode: 400, message: 'line 3, column kW: is "x"; a number', faults })));
  expect(refused).toBeInstanceOf(FileRefused);
  expect([refused.message, (refused as FileRefused).faults]).toEqual(['line 3, column kW: is "x"; a number', faults]);
});

test.each([
  [413, '<html>too large</html>'],
  [502, ''],
  [400, '{"message":7,"faults":[{"line":"x"}]}'],
  [200, '{"result":{"handle":5}}'],
  [400, 'null'],
])('an answer %i of %j is a failure in words, and no crash', (status, text) => {
  const failure = caught(() => readUpload(status, text));
  expect(failure).toBeInstanceOf(Failure);
  expect(failure.message).toBe('Something went wrong...');
});

function caught(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

const row = (of: (slot: number) => number | null) => Array.from({ length: 48 }, (_, slot) => of(slot));
/** At noon solar power charges the battery and is exported; in the evening the battery supplies the site; slot 5 was not measured. */
const DAY: Slots = {
  hour_of_day: row((slot) => slot / 2) as number[],
  slot_hours: row(() => 0.5) as number[],
  Base_Demand_Kw: row((slot) => (slot === 5 ? null : 40)),
  Battery_Charge_Discharge_Kw: row((slot) => (slot === 5 ? null : slot === 24 ? 30 : slot === 38 ? -25 : 0)),
  Battery_Storage_Kwh: row((slot) => (slot === 5 ? null : 10)),
  NetDemand_Kw: row((slot) => (slot === 5 ? null : slot === 24 ? -20 : slot === 38 ? 15 : 40)),
  PV_Generation_Kw: row((slot) => (slot === 5 ? null : slot === 24 ? 95 : 0)),
};
const CURTAILED = row((slot) => (slot === 24 ? 5 : 0));

test('the energy of a half hour is its power times as long as it lasts: a half, nothing, or an hour where the clock shows it twice', () => {
  expect(energyOf([40, -25, null, 0], [0.5, 0.5, 0, 0.5])).toEqual([20, -12.5, null, 0]);
  expect(energyOf([40, null], [1, 0])).toEqual([40, null]);
});

test('what the columns of a half hour come to, up and down, is what the site used', () => {
  const { series, left } = energyBars(DAY, CURTAILED, false);
  expect(left.name).toBe('Energy Kwh');
  expect(series.map(({ name, as = 'column' }) => `${name} ${as}`)).toEqual(['Grid column', 'Battery column', 'Solar column', 'Site line']);
  expect([24, 38, 5].map((slot) => series.map(({ values }) => values[slot]))).toEqual([
    [-10, -15, 45, 20],
    [7.5, 12.5, 0, 20],
    [null, null, null, null],
  ]);
  const spans = stacked(series.slice(0, 3), 48);
  expect(spans.map((own) => own[24])).toEqual([
    [0, -10],
    [-10, -25],
    [0, 45],
  ]);
  series[3]?.values.forEach((site, slot) => {
    if (site !== null) expect(series.slice(0, 3).reduce((sum, { values }) => sum + (values[slot] ?? 0), 0)).toBeCloseTo(site, 9);
  });
});

test('a battery at rest is 0 and not −0', () => {
  expect(energyBars(DAY, null, true).series[1]?.values.some((value) => Object.is(value, -0))).toBe(false);
});

test('power flows keep their signs and have no value where none was measured', () => {
  const { series, left } = powerLines(DAY, CURTAILED, true);
  expect(left.name).toBe('Power Kw');
  expect(series.map(({ name }) => name)).toEqual(['Grid', 'Battery', 'Site', 'Solar']);
  expect([24, 5].map((slot) => series.map(({ values }) => values[slot]))).toEqual([
    [-20, 30, 40, 90],
    [null, null, null, null],
  ]);
  expect(powerLines(null, null, false).series).toEqual([]);
  expect(takenSolar([null, 3], [1, null])).toEqual([null, 3]);
});

test('the same thing has the same colour in energy, power and shares', () => {
  const of = (name: string) => [
    ...energyBars(DAY, null, true).series.filter((own) => own.name === name).map(({ colour }) => colour),
    ...powerLines(DAY, null, true).series.filter((own) => own.name === name).map(({ colour }) => colour),
    ...sharesPie({ solar: 1, battery: 1, grid: 98 }, null).slices.filter((own) => own.name === name).map(({ colour }) => colour),
  ];
  for (const name of ['Grid', 'Battery', 'Solar']) expect(new Set(of(name)).size).toBe(1);
  expect(new Set(['Grid', 'Battery', 'Solar', 'Site'].map((name) => of(name)[0])).size).toBe(4);
});

const plan = (storageKwh: readonly number[], net: number): Optimised => ({ storageKwh, storagePercent: storageKwh, results: { ...DAY, NetDemand_Kw: row(() => net) } }) as unknown as Optimised;
const RISING = Array.from({ length: 49 }, (_, at) => at);

test('the battery is shown at 49 moments, yesterday beside it only where it was measured', () => {
  const shown = storageLines(plan(RISING, 0), { results: DAY });
  expect(shown.categories.at(-1)).toBe('24:00');
  expect(shown.titles?.[26]).toBe('13:00, 26 %');
  expect(shown.series.map(({ name, values }) => [name, values.length])).toEqual([
    ['Reported yesterday', 49],
    ['Plan', 49],
  ]);
  expect(storageLines(plan(RISING, 0), { results: { ...DAY, Battery_Storage_Kwh: row(() => null) } }).series).toHaveLength(1);
  expect(storageLines({ storageKwh: RISING, storagePercent: null }, null).titles?.[26]).toBe('13:00');
  expect(storedChange(RISING)).toBe(48);
  expect(storedChange([null, null, ...RISING.slice(2)])).toBe(46);
});

test('two plans stand beside one another, the changed one dotted', () => {
  const compared = { base: plan(RISING, 10), changed: plan(RISING, 5) } as Compared;
  expect(comparedGrid(compared).series.map(({ values, isForecast = false }) => [values[0], isForecast])).toEqual([
    [10, false],
    [5, true],
  ]);
  expect(comparedStorage(compared).series.map(({ values }) => values.length)).toEqual([49, 49]);
});

test('shares that nobody knows are no zeros', () => {
  expect(sharesPie(null, null).slices.map(({ value }) => value)).toEqual([null, null, null]);
  expect(sharesPie({ solar: 34, battery: 9, grid: 57 }, 812.44).centre).toEqual(['812', 'kWh']);
});

test('a row of 48 figures is read out of a text, or what is wrong with it is told', () => {
  const text = RISING.slice(0, 48).join(' ; ');
  expect(readRow(text)).toEqual({ values: RISING.slice(0, 48) });
  expect(readRow(' \n')).toEqual({ values: null });
  expect(readRow('1 2 3')).toEqual({ count: 3, wrong: null });
  expect(readRow('1 2,5 3')).toEqual({ count: 3, wrong: '2,5' });
});
