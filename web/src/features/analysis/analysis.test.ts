// Tests of the analytics: gaps remain gaps, a missing value is never 0, and doubtful figures have notes.
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { xy } from '../../charts/xy';
import { PRINT } from '../../charts/palette';
import { DcProfile, EnergyOverTime, TransformerReading } from '../../wire/analysis-energy';
import { FeederCurves, QualityCheck, type CheckRow } from '../../wire/analysis-check';
import { EnergyBudget, type BudgetDay } from '../../wire/analysis-forecast';
import { DC_LOOK, dcChart, dcMonths, dcSource } from './battery';
import { basisWords, budgetCurves, methodWords, overrunText, varianceText } from './budget';
import { kindWords, measureOf, remarkOf, spansOf, worstFirst } from './check';
import { curveWords, dayCurve, durationCurve, loadChart, protectionCurves, voltageCurve } from './curves';
import { doubtLine, doubtsOf } from './doubts';
import { bucketsFor, efficiencyScale, energyChart } from './energy';
import { oilLook, standingOf, standingsOf, temperatures } from './transformer';
import { shared } from './useSpanned';
import { scopeOf } from './view';

const DAY = 86_400_000;
const T0 = Date.parse('2026-11-20T00:00:00Z');

test('calls name a substation a location', () => {
  expect([
    scopeOf({ level: 'substation', id: 7, name: '' }),
    scopeOf({ level: 'client', id: 1, name: '' }),
    scopeOf({ level: 'asset', id: 9, name: '' }),
  ]).toEqual(['location/7', 'client/1', 'asset/9']);
});

test('doubts are sentences; what nobody has words for is said as it is', () => {
  expect(doubtsOf({ coverage: 97.25, flags: ['partial', 'negative_loss'] })).toEqual([
    'Readings cover 97.3 % of the span.',
    'More energy went out than came in: a meter or its ratio is wrong.',
  ]);
  expect(doubtLine({ coverage: null, flags: ['partial', 'moon_phase'] })).toBe('Readings are missing. moon phase');
  expect(doubtsOf({ coverage: 100, flags: ['not_metered'], missing: ['A', 'B', 'C', 'D', 'E'] })).toEqual([
    'Not metered at A, B, C and 2 more.',
  ]);
  expect(doubtsOf({ coverage: 100, flags: ['not_metered'], missing: ['A'] })).toEqual(['Not metered at A.']);
  expect(doubtsOf({ coverage: 100, flags: [] })).toEqual([]);
});

const hour = (index: number, efficiency: number | null, loss: number | null) => ({
  timeMs: T0 + index * 3_600_000,
  efficiency,
  loss,
  energyIn_KWh: 1,
  energyOut_KWh: 1,
  coverage: 100,
  flags: [],
});
const over = (rows: unknown[]) =>
  v.parse(EnergyOverTime, { bucketMs: 3_600_000, timeZone: 'Asia/Kolkata', coverage: 100, flags: [], missing: [], rows });

test('energy over time: in order, a gap where a bucket is missing, losses of either sign', () => {
  const chart = energyChart(over([hour(1, 97, 3), hour(0, 98, 2), hour(4, null, -1)]));
  expect(chart.times.map((time) => (time - T0) / 3_600_000)).toEqual([0, 1, 2, 4]);
  expect(chart.columns.map(({ code, unit, mean }) => [code, unit, mean])).toEqual([
    ['loss', 'kWh', [2, 3, null, -1]],
    ['efficiency', '%', [98, 97, null, null]],
  ]);
  expect(energyChart(over([])).times).toEqual([]);
});

test('an answer that leaves fields out has nothing there, and no 0', () => {
  const [row] = v.parse(EnergyOverTime, { bucketMs: 1, timeZone: 'UTC', rows: [{ timeMs: 1 }] }).rows;
  expect(row).toEqual({ timeMs: 1, energyIn_KWh: null, energyOut_KWh: null, loss: null, efficiency: null, coverage: null, flags: [] });
  expect(v.safeParse(EnergyOverTime, { rows: [{ timeMs: 'now' }] }).success).toBe(false);
});

test.each([
  [1, 1_200, 24],
  [7, 1_200, 168],
  [31, 1_200, 300],
  [0.01, 1_200, 2],
])('%f days on %i px are asked for in %i buckets', (days, width, buckets) => {
  expect(bucketsFor({ from: T0, to: T0 + days * DAY }, width)).toBe(buckets);
});

test.each([
  [null, 80, 100],
  [97.3, 80, 100],
  [104.2, 80, 110],
  [61, 60, 100],
])('an efficiency of %s lies on a bar from %i to %i', (efficiency, from, to) => {
  expect(efficiencyScale(efficiency)).toEqual({ from, to });
});

const reading = (over: Record<string, unknown> = {}) =>
  v.parse(TransformerReading, {
    WTI: 61.5,
    OTI: 55,
    AmbientTemp: 31,
    OilLevel: 'NORMAL',
    oilLevelPercent: 72,
    TapPosition: 5,
    ExpectedVoltage: '33/11',
    ActualVoltage: 11_020,
    ReportedDateTime: new Date(T0).toISOString(),
    quality: 0,
    ageLimitMs: 60_000,
    ...over,
  });

test('a gauge without a value has none, and never 0', () => {
  expect(temperatures(reading({ OTI: null }), {}).map(({ value }) => value)).toEqual([61.5, null, 31]);
  expect(temperatures(null, {}).map(({ value }) => value)).toEqual([null, null, null]);
  expect(temperatures(reading({ AmbientTemp: -22, WTI: 151 }), {}).map(({ from, to }) => [from, to])).toEqual([
    [0, 151],
    [0, 120],
    [-22, 60],
  ]);
});

const stood = (over: Record<string, unknown> = {}) => ({
  quality: 0,
  reportedDateTime: new Date(T0).toISOString() as string | null,
  ageLimitMs: 60_000,
  highLimit: null,
  highHighLimit: null,
  ...over,
});

test('gauges have the limits that alarms use', () => {
  const limits = (highLimit: number | null, highHighLimit: number | null) => ({
    quality: 0,
    reportedDateTime: null,
    ageLimitMs: null,
    highLimit,
    highHighLimit,
  });
  const limited = reading({ readings: { WTI: limits(95, 150), OTI: limits(null, 90), AmbientTemp: null } });
  expect(temperatures(limited, {}).map(({ warn, alarm, to }) => [warn, alarm, to])).toEqual([
    [95, 150, 150],
    [null, 90, 120],
    [null, null, 60],
  ]);
});

test('a sensor that has stopped is not live because another one reports', () => {
  const stopped = stood({ reportedDateTime: new Date(T0 - 3 * 3_600_000).toISOString() });
  const own = reading({ readings: { WTI: stopped, OTI: stood(), AmbientTemp: stood(), TapPosition: null } });
  const standings = standingsOf(own, T0 + 1_000, true);
  expect([standings.WTI.isLive, standings.OTI.isLive, standings.AmbientTemp.isLive]).toEqual([false, true, true]);
  expect(standings.TapPosition.doubt).toBe('never received');
  const doubts = { WTI: standings.WTI.doubt, OTI: standings.OTI.doubt };
  expect(temperatures(own, doubts).map(({ doubt }) => doubt)).toEqual([standings.WTI.doubt, null, null]);
});

test.each([
  ['fresh', stood(), T0 + 1_000, true, null],
  ['old', stood(), T0 + 61_000, true, 'stale, 61 s old'],
  ['the link is lost', stood(), T0 + 1_000, false, 'communication lost, 1 s old'],
  ['never reported', stood({ reportedDateTime: null }), T0, true, 'never received'],
  ['not measured', null, T0, true, 'never received'],
  ['of bad quality', stood({ quality: 4 }), T0, true, 'invalid, 0 s old'],
] as const)('readings: %s', (_, own, now, linkUp, doubt) => {
  expect(standingOf(own, now, linkUp).doubt).toBe(doubt);
});

test.each([
  ['NORMAL', 72, 'NORMAL 72 %', '#54a75b'],
  ['low', null, 'LOW', '#943b2f'],
  ['HIGH', 99.6, 'HIGH 100 %', '#943b2f'],
  ['between', null, 'between', '#87CEEB'],
  [null, null, 'NA', '#87CEEB'],
])('an oil level %s is said and coloured', (level, percent, words, ground) => {
  expect(oilLook(level, percent)).toMatchObject({ words, ground });
});

/** Relative luminance of a colour `#rrggbb` (WCAG 2.2). */
const luminance = (colour: string) => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

test.each(['NORMAL', 'LOW', null])('the letters of the oil level %s can be read on its ground, whatever the theme', (level) => {
  const { ground, letters } = oilLook(level, null);
  const [high = 0, low = 0] = [luminance(ground), luminance(letters)].sort((a, b) => b - a);
  expect((high + 0.05) / (low + 0.05)).toBeGreaterThan(4.5);
});

const dc = (minutes: number, vdc: number | null, adc: number | null) => ({
  ReportedDateTime: new Date(T0 + minutes * 60_000).toISOString(),
  Battery_VDC: vdc,
  Battery_ADC: adc,
});

test('the DC profile has volts left in green and amperes right in red, and gaps where rows are missing', () => {
  const chart = dcChart(
    v.parse(DcProfile, [[{ IUnit: 'A', VolUnit: 'V' }], [dc(20, 110.1, -2), dc(0, 110.4, 1.2), dc(10, null, 1.1), dc(90, 109, 0)]]),
  );
  expect(chart.times.map((time) => (time - T0) / 60_000)).toEqual([0, 10, 20, 30, 90]);
  expect(chart.columns.map(({ code, unit, mean }) => [code, unit, mean])).toEqual([
    ['vdc', 'V', [110.4, null, 110.1, null, 109]],
    ['adc', 'A', [1.2, 1.1, -2, null, 0]],
  ]);
  expect([DC_LOOK.styles?.adc, DC_LOOK.styles?.vdc].map((style) => [style?.axis, style?.colour])).toEqual([
    ['right', 'R'],
    [undefined, 5],
  ]);
  expect(dcChart([[], []]).times).toEqual([]);
});

test.each([
  [1, 0],
  [7, 1],
  [31, 1],
  [180, 6],
  [366, 12],
  [900, 120],
])('to see %i days of a battery one asks for months: %i', (days, months) => {
  expect(dcMonths({ from: T0 - days * DAY }, T0)).toBe(months);
});

test('zooming within the months that are there asks nothing; after a minute it does', async () => {
  const asked: number[] = [];
  let now = T0;
  const source = dcSource(
    'token',
    7,
    () => now,
    {
      ask: (_, __, months) => {
        asked.push(months);
        return Promise.resolve<DcProfile>([[], []]);
      },
    },
  );
  const load = (days: number) => source.load({ from: now - days * DAY, to: now }, 1_000, new AbortController().signal, false);
  await load(30);
  await load(3);
  await load(1);
  now += 60_000;
  await load(1);
  expect(asked).toEqual([1, 0, 0]);
});

test('the preset for all data of a battery learns when its data start', async () => {
  const firsts: number[] = [];
  const row = { ReportedDateTime: '2025-01-02T03:04:05.000Z', Battery_VDC: 110, Battery_ADC: 2 };
  const ask = () => Promise.resolve<DcProfile>([[], [row]]);
  const source = dcSource('token', 7, () => T0, { ask, onFirst: (at) => firsts.push(at) });
  const load = (days: number) => source.load({ from: T0 - days * DAY, to: T0 }, 1_000, new AbortController().signal, false);
  await load(30);
  await load(5 * 366);
  expect(firsts).toEqual([Date.parse(row.ReportedDateTime)]);
});

const budgetDay = (day: number, over: Partial<BudgetDay>): BudgetDay => ({
  day,
  month: 11,
  year: 2026,
  timeMs: T0,
  EnergyBudgetKwh: day * 10,
  EnergyConsumptionKwh: null,
  type: 'actual',
  q10: null,
  q90: null,
  ...over,
});

test('a budget: what was is a line, what is foreseen goes on from it, dotted, within its band', () => {
  const { series, x } = budgetCurves({
    forecastValues: [
      budgetDay(3, { type: 'forecast', EnergyConsumptionKwh: 33, q10: 31, q90: 36 }),
      budgetDay(1, { EnergyConsumptionKwh: 11 }),
      budgetDay(2, { EnergyConsumptionKwh: 22 }),
      budgetDay(30, { type: 'forecast', EnergyConsumptionKwh: 330, q10: 300, q90: 360 }),
    ],
  });
  const of = (name: string) => series.find((own) => own.name === name);
  expect(of('Energy consumption')?.points).toEqual([
    { x: 1, y: 11 },
    { x: 2, y: 22 },
  ]);
  expect(of('Energy consumption, forecast')).toMatchObject({
    points: [
      { x: 2, y: 22 },
      { x: 3, y: 33 },
      { x: 30, y: 330 },
    ],
  });
  expect(of('Energy consumption, forecast')?.dash).toBeDefined();
  expect(of('Energy consumption')?.dash).toBeUndefined();
  expect(of('Consumption, 10 % to 90 %')?.points.filter(Boolean)).toEqual([
    { x: 3, y: 36, low: 31 },
    { x: 30, y: 360, low: 300 },
  ]);
  expect([x.from, x.to]).toEqual([1, 30]);
});

test('a variance and an overrun say by how much, above or below', () => {
  expect(varianceText({ varianceKwh: 1_420.4, variancePercent: 8.04 })).toBe('1,420 kWh above the budget (+8.0 %)');
  expect(varianceText({ varianceKwh: -20, variancePercent: -0.5 })).toBe('20 kWh below the budget (−0.5 %)');
  expect(varianceText({ varianceKwh: null, variancePercent: null })).toBe('–');
  expect(overrunText({ overrunKwh: 200, overrunLowKwh: -50, overrunHighKwh: 450 })).toBe('200 kWh above the budget, from 50 kWh below to 450 kWh above');
  expect(overrunText({ overrunKwh: -300, overrunLowKwh: null, overrunHighKwh: null })).toBe('300 kWh below the budget');
  expect(overrunText({ overrunKwh: null, overrunLowKwh: null, overrunHighKwh: null })).toBe('–');
});

test('a budget without a forecast, and nothing at all', () => {
  const { series } = budgetCurves({
    forecastValues: [budgetDay(1, { EnergyBudgetKwh: null, EnergyConsumptionKwh: 5 }), budgetDay(2, { EnergyBudgetKwh: null })],
  });
  expect(series.map(({ name, points }) => [name, points])).toEqual([['Energy consumption', [{ x: 1, y: 5 }, null]]]);
  expect(xy(budgetCurves({ forecastValues: [] })).isEmpty).toBe(true);
  expect(v.parse(EnergyBudget, { forecastValues: [] })).toEqual({
    forecastValues: [],
    budgetKwh: null,
    method: null,
    issuedAt: null,
    basis: null,
    varianceKwh: null,
    variancePercent: null,
    expectedKwh: null,
    overrunKwh: null,
    overrunLowKwh: null,
    overrunHighKwh: null,
    coverage: null,
    flags: [],
    missing: [],
  });
  expect([methodWords(null), methodWords('last_week'), methodWords('oracle')]).toEqual([
    'none: there is too little history',
    'the same hours a week before',
    'oracle',
  ]);
});

const row = (name: string, score: number | null, kinds: CheckRow['stretches'][number]['kind'][] = []): CheckRow => ({
  pointId: 1,
  code: 'Ir',
  name,
  unit: 'A',
  expectedMs: 2_000,
  completeness: 99,
  values: 1,
  gaps: 0,
  longestGapMs: null,
  flatLines: 0,
  outliers: 0,
  badQuality: 0,
  clockErrors: 0,
  late: 0,
  outOfLimits: 0,
  cut: 0,
  score,
  stretches: kinds.map((kind, index) => ({ kind, fromMs: index, toMs: index + 1, note: '' })),
});

test('points: the worst first, those that could not be judged last, each with what is wrong said once', () => {
  expect(worstFirst([row('P10', 80), row('P9', 80), row('X', null), row('Y', 12)]).map(({ name }) => name)).toEqual([
    'Y',
    'P9',
    'P10',
    'X',
  ]);
  expect(remarkOf(row('a', 1, ['gap', 'gap', 'clock']))).toBe('gap, clock error');
  expect(remarkOf(row('a', 100))).toBe('');
  expect(spansOf(row('a', 1, ['flat']))).toEqual([{ from: 0, to: 1, name: kindWords('flat') }]);
});

test.each([
  ['Ir', 'current'],
  ['EImp', 'register'],
  ['WTI', 'temperature'],
  ['BatA', 'dc'],
  ['Tap', null],
])('the history of %s is %s', (code, measure) => {
  expect(measureOf(code)).toBe(measure);
});

test('a check that leaves counts out has none, and an unknown kind of stretch is none of ours', () => {
  const rows = (stretches: unknown[]) => ({ from: '', to: '', rows: [{ pointId: 1, code: 'P', name: 'P', unit: 'MW', stretches }] });
  expect(v.parse(QualityCheck, rows([{ kind: 'gap', fromMs: 1, toMs: 2 }])).rows[0]).toMatchObject({
    gaps: null,
    score: null,
    completeness: null,
    stretches: [{ note: '' }],
  });
  expect(v.safeParse(QualityCheck, rows([{ kind: 'ghost', fromMs: 1, toMs: 2 }])).success).toBe(false);
});

const curves = v.parse(FeederCurves, {
  bucketMs: 600_000,
  load: [
    { timeMs: 1, demand: 2, min: 1, max: 3 },
    { timeMs: 600_001, demand: null, min: null, max: null },
  ],
  duration: [
    { percentOfTime: 0, demand: 4 },
    { percentOfTime: 100, demand: 1 },
  ],
  voltage: [{ percentOfTime: 50, vr: 6.3, vy: null, vb: 6.4 }],
  byHour: [
    { hour: 1, min: 1, mean: 2, max: 3 },
    { hour: 0, min: null, mean: null, max: null },
  ],
  protection: {
    settings: [{ element: '51', pickupA: 400 }],
    curves: [
      {
        element: '51',
        points: [
          [440, 9],
          [4_400, 0.9],
        ],
      },
      {
        element: '51N',
        points: [
          [60, 5],
          [0, 1],
        ],
      },
    ],
  },
  faults: [
    { id: 1, amps: 3_000, breakerOpeningS: 0.06, expectedS: 0.4, type: 'LG', time: '2026-11-20T04:00:00Z', element: '51' },
    { id: 2, amps: 900, breakerOpeningS: 0.06, type: 'LL', time: '2026-11-20T05:00:00Z', element: null },
    { id: 3, amps: null, breakerOpeningS: 0.2, type: 'Not known', time: '2026-11-20T06:00:00Z', element: null },
  ],
  unit: 'MW',
  flags: [],
});

test('curves of a feeder: stops where values are, and none where there are none', () => {
  expect(durationCurve(curves).stops).toBe(2);
  expect(
    voltageCurve(curves)
      .keys(PRINT)
      .map(({ label, colour }) => [label, colour]),
  ).toEqual([
    ['R', '#da532c'],
    ['Y', '#b8a800'],
    ['B', '#2d89ef'],
  ]);
  expect(voltageCurve(curves).stops).toBe(2);
  expect(dayCurve(curves).stops).toBe(1);
  expect(durationCurve({ ...curves, duration: [] }).isEmpty).toBe(true);
});

test('the load has its extremes where its values are means, and gaps stay gaps', () => {
  const [own] = loadChart(curves).columns;
  expect([own?.mean, own?.min, own?.max]).toEqual([
    [2, null],
    [1, null],
    [3, null],
  ]);
  expect(loadChart({ ...curves, bucketMs: null }).columns[0]?.max).toEqual([]);
});

test('what several ask about the same span is asked once; another span, and what failed, anew', async () => {
  const asked: number[] = [];
  const ask = shared((span: { from: number; to: number }) => {
    asked.push(span.from);
    return span.from === 2 ? Promise.reject(new Error('no')) : Promise.resolve(span.from);
  });
  expect(await Promise.all([ask({ from: 1, to: 9 }, {}), ask({ from: 1, to: 9 }, {})])).toEqual([1, 1]);
  await expect(ask({ from: 2, to: 9 }, {})).rejects.toThrow('no');
  await expect(ask({ from: 2, to: 9 }, {})).rejects.toThrow('no');
  expect(asked).toEqual([1, 2, 2]);
});

test('what a budget and a curve were made from is said in words', () => {
  expect([basisWords(null), basisWords('four_weeks'), basisWords('the moon')]).toEqual([
    'not known: there is too little history',
    'by the four weeks before the month',
    'the moon',
  ]);
  expect([curveWords('iec_very_inverse'), curveWords(null), curveWords('of our own')]).toEqual(['IEC very inverse', '–', 'of our own']);
});

test('an element without a delay is drawn at the foot of the axis, and says 0 s', () => {
  const instant = { settings: [], curves: [{ element: '50', points: [[1_500, 0] as [number, number], [3_000, 0] as [number, number]] }] };
  const figure = protectionCurves({ ...curves, protection: instant, faults: [] }, 0, 'UTC');
  expect(figure.keys(PRINT).map(({ label }) => label)).toEqual(['50 (0 s)']);
  expect([figure.stops, figure.told(0, PRINT).said[0]?.text, figure.table?.cells(0)]).toEqual([2, '0.00 s', ['50 (0 s)', 1_500, 0]]);
});

test('on protection curves stand the faults at the times of the settings, and never at what the breaker took', () => {
  const figure = protectionCurves(curves, Date.parse('2026-11-20T12:00:00Z'), 'Asia/Kolkata');
  expect(figure.keys(PRINT).map(({ label, mark }) => [label, mark])).toEqual([
    ['51', 'line'],
    ['51N', 'dashed'],
    ['Faults, by the settings', 'point'],
  ]);
  const told = Array.from({ length: figure.stops }, (_, stop) => figure.told(stop, PRINT)).filter(({ note }) => note);
  expect(told.map(({ title, note }) => [title, note])).toEqual([['Current 3000 A', '09:30:00, LG, 51']]);
  expect(protectionCurves({ ...curves, protection: { settings: [], curves: [] }, faults: [] }, 0, 'UTC').isEmpty).toBe(true);
});
