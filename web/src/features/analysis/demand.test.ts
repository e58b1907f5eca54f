// Tests of peaks and forecasts: exact labels, missing values, and errors within the visible span.
import { expect, test } from 'vitest';
import type { ForecastRow, PeakRow } from '../../wire/analysis-demand';
import { demandChart, forecastChart, intervalName, peakBars, precisionIn, readingTime, stepOf } from './demand';

const ZONE = 'Asia/Kolkata';
const HOUR = 3_600_000;
const START = Date.parse('2026-11-02T00:00:00+05:30');
const peak = (timeInterval: string, peakDemand: number | null, reportedDateTime: string | null = null): PeakRow => ({
  id: 1,
  name: 'F2 Autonagar',
  readingFrom: 'F2 Autonagar',
  timeInterval,
  peakDemand,
  reportedDateTime,
  blockMinutes: 15,
  coverage: 100,
  flags: [],
});

test('the bands have the words of the specification, also those without a reading', () => {
  const data = peakBars({ unit: 'kW', rows: [peak('evening', 812.5, '2026-11-02T13:30:00.000Z'), peak('night', null)] }, ZONE);
  expect(data.categories).toEqual(['Night 12AM-06AM', 'Morning 06AM-12PM', 'Day 12PM-06PM', 'Evening 06PM-12AM']);
  expect(data.series[0]?.values).toEqual([null, null, null, 812.5]);
  expect(data.titles?.[3]).toBe('Evening 06PM-12AM, 02 Nov 2026 19:00');
});

test.each([
  ['today', 'Today', '02 Nov 2026 19:00'],
  ['night', 'Night 12AM-06AM', '02 Nov 2026 19:00'],
  ['month', 'Month', '02 Nov 2026'],
  ['year', 'Year', '02 Nov 2026'],
])('the row %s is called %s, its time %s', (timeInterval, name, time) => {
  const row = peak(timeInterval, 1, '2026-11-02T13:30:00.000Z');
  expect([intervalName(row), readingTime(row, ZONE)]).toEqual([name, time]);
});

test('a peak that nobody has read has no time', () => expect(readingTime(peak('today', null), ZONE)).toBe('–'));

test('demand is a line of blocks with gaps', () => {
  const rows = [1, null, 3].map((demand, index) => ({ timeMs: START + index * 15 * 60_000, demand, lowest: null, highest: null, coverage: 100 }));
  const about = { unit: 'MW', blockMinutes: 15, timeZone: ZONE, coverage: 66.7, flags: ['partial'], missing: [] };
  const chart = demandChart({ ...about, byDay: false, rows });
  expect([chart.bucketMs, chart.columns[0]?.mean, chart.columns[0]?.unit]).toEqual([900_000, [1, null, 3], 'MW']);
  expect(chart.columns[0]?.max).toEqual([]);
});

test('demand of a long span is a line of days with the highest block of each', () => {
  const rows = [1, null].map((demand, index) => ({ timeMs: START + index * 86_400_000, demand, lowest: demand && 0.5, highest: demand && 4, coverage: 100 }));
  const chart = demandChart({ unit: 'MW', blockMinutes: 30, byDay: true, timeZone: ZONE, coverage: 50, flags: [], missing: [], rows });
  expect([chart.bucketMs, chart.columns[0]?.min, chart.columns[0]?.max]).toEqual([86_400_000, [0.5, null], [4, null]]);
});

const forecast = (hour: number, rest: Partial<ForecastRow> = {}): ForecastRow => ({
  timeMs: START + hour * HOUR,
  actual: 100,
  forecast: 110,
  q10: 90,
  q90: 130,
  naive: 120,
  mape: 10,
  type: 'actual',
  ...rest,
});

test('a forecast has its band, and what has yet to come has no actual value', () => {
  const { times, bucketMs, columns } = forecastChart({
    unit: 'kW',
    rows: [forecast(1, { actual: null, mape: null, type: 'forecast' }), forecast(0)],
  });
  expect([times, bucketMs]).toEqual([[START, START + HOUR], HOUR]);
  expect(columns.map(({ mean, min, max }) => [mean, min, max])).toEqual([
    [[100, null], [], []],
    [
      [110, 110],
      [90, 90],
      [130, 130],
    ],
  ]);
});

test('the errors are those of the rows that are seen', () => {
  const rows = [
    forecast(0),
    forecast(1, { actual: 200, forecast: 190, naive: 200, mape: 5 }),
    forecast(2, { forecast: 150, mape: 50 }),
    forecast(3, { actual: null, mape: null }),
  ];
  const all = precisionIn(rows, { from: START, to: START + 4 * HOUR });
  expect(all.mape).toBeCloseTo((10 + 5 + 50) / 3);
  expect(all.wape).toBeCloseTo((70 / 400) * 100);
  expect(all.skill).toBeCloseTo(1 - 70 / 40);
  expect([all.used, all.skipped]).toEqual([3, 0]);
  const near = precisionIn(rows, { from: START + HOUR, to: START + HOUR });
  expect([near.mape, near.wape, near.used]).toEqual([5, 5, 1]);
});

test('near no load the percentage is left out, the sums are not', () => {
  const { mape, wape, used, skipped } = precisionIn([forecast(0), forecast(1, { actual: 0.2, forecast: 5, mape: null })], {
    from: START,
    to: START + 2 * HOUR,
  });
  expect([mape, used, skipped]).toEqual([10, 1, 1]);
  expect(wape).toBeCloseTo((14.8 / 100.2) * 100);
});

test('where nothing can be compared there is no error, which is not an error of 0', () => {
  const none = { mape: null, wape: null, skill: null, used: 0, skipped: 0 };
  expect(precisionIn([], { from: START, to: START + HOUR })).toEqual(none);
  expect(precisionIn([forecast(0, { actual: 0, mape: null, naive: null })], { from: START, to: START })).toEqual({ ...none, skipped: 1 });
});

test('a forecast that equals last week has no skill, and a perfect one has all of it', () => {
  const skill = (own: number) => precisionIn([forecast(0, { forecast: own })], { from: START, to: START }).skill;
  expect([skill(120), skill(100), skill(140)]).toEqual([0, 1, -1]);
});

test('the usual distance of times is that of a row', () => {
  expect([stepOf([]), stepOf([5]), stepOf([0, HOUR, 2 * HOUR, 9 * HOUR])]).toEqual([0, 0, HOUR]);
});
