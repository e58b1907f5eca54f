// Tests of the conversion of answers to the charts of profiles.
import { expect, test, vi } from 'vitest';
import { checked, History, Reading, type Loading, type Phasors } from '../../wire/history';
import { Failure } from '../../wire/rest';
import { bucketFor, loadingChart, loadingSource, monthsFor, usedLife } from './permissible';
import { phasors } from './phasor';
import { bucketsFor, chartOf } from '../../charts/history';
import { Feed } from '../../live/feed';
import { readingSource } from './readings';

// uPlot calls `matchMedia` while it loads, and jsdom does not have it.
vi.hoisted(() => {
  globalThis.matchMedia = (() => ({
    matches: true,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  })) as unknown as typeof matchMedia;
});
const { heightFor } = await import('./Charts');

const series = (code: string, values: (number | null)[]) => ({
  code,
  name: code,
  phase: null,
  unit: 'MWh',
  decimals: 1,
  mean: values,
  min: values,
  max: values,
  quality: values.map(() => 0),
});
const history = (over: object) => ({
  assetId: 7,
  assetName: 'F2',
  measure: 'register',
  timeZone: 'UTC',
  from: 0,
  to: 1,
  bucketMs: 60_000,
  source: '1m',
  times: [0, 60_000],
  series: [series('EImp', [1, 2]), series('RImp', [3, null])],
  ...over,
});

test('a history that does not fit is none: columns as long as the times, sources that are known', () => {
  expect(checked(History, history({})).series).toHaveLength(2);
  for (const wrong of [{ times: [0] }, { source: '5m' }, { series: [{ ...series('EImp', [1, 2]), mean: [1, '2'] }] }, { times: null }])
    expect(() => checked(History, history(wrong))).toThrow(Failure);
});

test('only the wanted codes are drawn, and neither single values nor registers have an envelope', () => {
  const whole = chartOf(checked(History, history({})));
  expect([whole.bucketMs, whole.columns.map(({ code, min }) => [code, min.length])]).toEqual([
    60_000,
    [
      ['EImp', 2],
      ['RImp', 2],
    ],
  ]);
  expect(chartOf(checked(History, history({})), { codes: ['EImp'] }).columns.map(({ code }) => code)).toEqual(['EImp']);
  expect(chartOf(checked(History, history({})), { kind: 'last' }).columns.map(({ min, max }) => [...min, ...max])).toEqual([[], []]);
  const raw = chartOf(checked(History, history({ source: 'raw', bucketMs: null })));
  expect([raw.bucketMs, raw.columns[0]?.min]).toEqual([0, []]);
});

test('where there are phases, sums are not drawn beside them; where there are none, they are', () => {
  const phases = [{ ...series('Pr', [1, 2]), phase: 'R' }, series('P', [3, 6])];
  expect(chartOf(checked(History, history({ series: phases }))).columns.map(({ code }) => code)).toEqual(['Pr']);
  expect(chartOf(checked(History, history({ series: [series('P', [3, 6])] }))).columns.map(({ code }) => code)).toEqual(['P']);
});

const loading = (at: string, over: Partial<Loading> = {}): Loading => ({
  ReportedDateTime: at,
  OTI: 50,
  WTI: 60,
  AmbT: 30,
  LoadMult: 0.5,
  VApres: 4,
  VA2hr: 9,
  VAbase: 8,
  VAavl: 8.4,
  unit: 'MVA',
  UsedLifeInYears: 0.4,
  ...over,
});

test('permissible loads are six columns in the specification’s order, in the order of time, with gaps where rows are missing', () => {
  const rows = ['00:00', '00:10', '00:40', '00:20', '02:00', '02:10'].map((time) => loading(`2026-11-03T${time}:00Z`));
  const chart = loadingChart([...rows, loading('nonsense')]);
  expect(chart.columns.map(({ code, unit }) => `${code} ${unit}`)).toEqual([
    'OTI °C',
    'WTI °C',
    'VApres MVA',
    'VA2hr MVA',
    'VAavl MVA',
    'VAbase MVA',
  ]);
  expect(chart.times.map((time) => new Date(time).toISOString().slice(11, 16))).toEqual([
    '00:00',
    '00:10',
    '00:20',
    '00:40',
    '00:50',
    '02:00',
    '02:10',
  ]);
  expect([chart.bucketMs, chart.columns[0]?.mean]).toEqual([600_000, [50, 50, 50, 50, null, 50, 50]]);
});

test('drawn together, the rows of a day by the zone’s clock are a mean between extremes, and a day without rows is a gap', () => {
  const rows = [
    loading('2026-11-01T19:00:00Z', { WTI: 40 }),
    loading('2026-11-02T10:00:00Z', { WTI: 60 }),
    loading('2026-11-02T18:00:00Z', { OTI: null, WTI: null }),
    loading('2026-11-02T19:00:00Z', { WTI: 50 }),
    loading('2026-11-05T19:00:00Z', { WTI: 55 }),
  ];
  const { times, bucketMs, columns } = loadingChart(rows, 86_400_000, 'Asia/Kolkata');
  expect(times.map((time) => new Date(time).toISOString().slice(0, 16))).toEqual([
    '2026-11-01T18:30',
    '2026-11-02T18:30',
    '2026-11-03T18:30',
    '2026-11-05T18:30',
  ]);
  expect(columns[0]?.min).toEqual([]);
  expect([bucketMs, columns[1]?.mean, columns[1]?.min, columns[1]?.max]).toEqual([
    86_400_000,
    [50, 50, null, 55],
    [40, 50, null, 55],
    [60, 50, null, 55],
  ]);
});

test.each([
  [7, 1_200, 1_320_000, 0],
  [7, 1_200, 600_000, 3_600_000],
  [31, 1_200, 1_200_000, 7_200_000],
  [184, 1_200, 8_000_000, 86_400_000],
  [365, 1_200, 16_000_000, 86_400_000],
  [3_650, 1_200, 160_000_000, 604_800_000],
  [1, 1_200, 86_400_000, 0],
])('a span of %i days on %i px with rows every %i ms is drawn in buckets of %i ms', (days, width, usual, bucket) => {
  expect(bucketFor({ from: 0, to: days * 86_400_000 }, width, usual)).toBe(bucket);
});

test('long spans are requested day by day, others at the width', () => {
  const days = (count: number) => bucketsFor({ from: 0, to: count * 86_400_000 }, 1_200);
  expect([days(1), days(31), days(89), days(184), days(365), days(3_650)]).toEqual([1_200, 1_200, 1_200, 185, 366, 1_200]);
});

test('what is absent in a row stays absent', () => {
  expect(loadingChart([loading('2026-11-03T00:00:00Z', { WTI: null })]).columns.map(({ mean }) => mean[0])).toEqual([
    50,
    null,
    4,
    9,
    8.4,
    8,
  ]);
  expect(loadingChart([])).toMatchObject({ times: [] });
});

test('the used life is that of the newest row that says it', () => {
  expect(
    usedLife([
      loading('2026-11-03T00:00:00Z', { UsedLifeInYears: 0.41 }),
      loading('2026-11-02T00:00:00Z'),
      loading('2026-11-03T01:00:00Z', { UsedLifeInYears: null }),
    ]),
  ).toBe(0.41);
  expect(usedLife([])).toBeNull();
});

test.each([
  [1, 1],
  [31, 1],
  [32, 6],
  [184, 6],
  [185, 12],
  [366, 12],
  [367, 0],
])('to see %i days one asks for months: %i', (days, months) => {
  const now = Date.UTC(2026, 10, 3);
  expect(monthsFor({ from: now - days * 86_400_000 }, now)).toBe(months);
});

test('zooming within the months that are there asks nothing; after a minute it does', async () => {
  const asked: number[] = [];
  const told: number[] = [];
  let now = Date.UTC(2026, 10, 3);
  const source = loadingSource({
    token: 'token',
    assetId: 7,
    zone: 'UTC',
    now: () => now,
    told: (rows) => told.push(rows.length),
    ask: (_, __, months) => {
      asked.push(months);
      return Promise.resolve([loading('2026-11-02T00:00:00Z')]);
    },
  });
  const { signal } = new AbortController();
  const days = (count: number) => source.load({ from: now - count * 86_400_000, to: now }, 1_500, signal, false);
  await days(30);
  await days(1);
  await days(150);
  await days(180);
  now += 60_000;
  await days(180);
  expect([asked, told]).toEqual([
    [1, 6, 6],
    [1, 1, 1],
  ]);
});

const measured: Phasors = {
  vaph: 0,
  varms: 6.3,
  vbph: -120,
  vbrms: 6.3,
  vcph: 120,
  vcrms: 3.15,
  iaph: -30,
  iarms: 100,
  ibph: -150,
  ibrms: 50,
  icph: 90,
  icrms: 100,
  sequence: 'R-Y-B',
  vufPercent: 0.4,
  reportedDateTime: null,
  quality: 0,
  ageLimitMs: null,
};

test('phasors stand counter-clockwise from the right, each kind to its own longest', () => {
  const all = phasors(measured);
  expect(all.map(({ name }) => name)).toEqual(['VR', 'VY', 'VB', 'IR', 'IY', 'IB']);
  const [vr, vy, vb, ir, iy] = all;
  expect([vr?.x, vr?.y]).toEqual([0.84, -0]);
  // -120 degrees points to the lower left; down is positive.
  expect(vy?.x).toBeCloseTo(-0.42);
  expect(vy?.y).toBeCloseTo(0.84 * Math.sin(Math.PI / 1.5));
  expect(Math.hypot(vb?.x ?? 0, vb?.y ?? 0)).toBeCloseTo(0.42);
  expect([Math.hypot(ir?.x ?? 0, ir?.y ?? 0), Math.hypot(iy?.x ?? 0, iy?.y ?? 0)].map((length) => Number(length.toFixed(3)))).toEqual([
    0.56, 0.28,
  ]);
});

test('names stand inside of the ring and not upon one another, also when currents lie upon their voltages', () => {
  const all = phasors({ ...measured, iaph: 0, ibph: -120, icph: 120, vcrms: 6.3 });
  for (const [index, { nameX, nameY }] of all.entries()) {
    expect(Math.hypot(nameX, nameY)).toBeLessThan(1);
    for (const other of all.slice(index + 1)) expect(Math.hypot(nameX - other.nameX, nameY - other.nameY)).toBeGreaterThan(0.15);
  }
});

test('a phasor without a magnitude or an angle is not drawn, and none of those that are all 0', () => {
  expect(phasors({ ...measured, iarms: null, vbph: null }).map(({ name }) => name)).toEqual(['VR', 'VB', 'IY', 'IB']);
  expect(phasors({ ...measured, iarms: 0, ibrms: 0, icrms: 0 }).map(({ name }) => name)).toEqual(['VR', 'VY', 'VB']);
});

const reading = (parameter: string, r: number | null): Reading => ({
  parameter,
  unit: 'A',
  decimals: 0,
  r,
  y: null,
  b: null,
  total: null,
  dayMin: null,
  dayMax: null,
  quality: 0,
  reportedDateTime: null,
  ageLimitMs: null,
});

test('a reading takes the place of the one before it, a new one comes last, and what is no reading is not shown', () => {
  const feed = new Feed<Reading>(readingSource('', 1), () => undefined);
  feed.replace([reading('Voltage', 1), reading('Current', 2)]);
  const others = [{ parameter: 'Voltage' }, null, { ...reading('x', 1), r: '1' }] as unknown as Reading[];
  feed.add([reading('THD', 9), ...others, reading('Voltage', 3)]);
  expect(feed.rows().map(({ parameter, r }) => [parameter, r])).toEqual([
    ['Voltage', 3],
    ['Current', 2],
    ['THD', 9],
  ]);
});

test.each([
  [3, 1_000, 199],
  [3, 1_440, 346],
  [1, 2_160, 380],
  [4, 700, 150],
  [0, 1_000, 380],
])('%i charts on a screen of %i px are %i px high', (charts, screen, height) => {
  expect(heightFor(charts, screen)).toBe(height);
});
