// Tests of the analytics screens with simulated answers: figures, missing values, the outages of a figure, corrections, and failing
// requests.
// @vitest-environment jsdom
import { act, createElement, type ComponentType } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServerClock } from '../../live/clock';
import type { Connection } from '../../live/connection';
import { Feeds } from '../../live/feed';
import { LiveContext } from '../../live/live';
import { LiveStore } from '../../live/store';
import type { FaultTrends as Faults } from '../../wire/analysis-faults';
import type { OutageRow, Scores, Yearly } from '../../wire/analysis-reliability';
import type { ViewProps } from './view';

// uPlot calls `matchMedia` while it loads, and jsdom does not have it.
vi.hoisted(() => {
  globalThis.matchMedia = (() => ({
    matches: true,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  })) as unknown as typeof matchMedia;
});
const { Demand } = await import('./Demand');
const { Energy } = await import('./Energy');
const { FeederCurves } = await import('./FeederCurves');
const { QualityCheck } = await import('./QualityCheck');
const { FaultTrends } = await import('./FaultTrends');
const { Reliability } = await import('./Reliability');

const NOW = Date.parse('2026-11-22T14:03:00+05:30');
const INDICES = { saidi: 4.2149, saifi: 0.083, caidi: null, caifi: null, maifi: 0.21, ctaidi: null, asai: 0.9999 };
const SCORES: Scores = {
  ...INDICES,
  customersServed: 48_210,
  customerInterruptions: 4_001,
  customerMinutes: 203_200,
  customersInterrupted: 3_030,
  momentaryInterruptions: 5,
  sustainedOutages: 3,
  momentaryOutages: 55,
  openOutages: 0,
  majorEventDays: [{ day: '2026-11-08', saidi: 2.61 }],
  tMed: 1.92,
  withoutMajorEventDays: { ...INDICES, saidi: 1.6 },
  weighting: 'customers',
  momentaryThresholdMin: 5,
  from: '2026-10-31T18:30:00.000Z',
  to: '2026-11-30T18:30:00.000Z',
  flags: [],
};
const YEARLY: Yearly = {
  year: 2026,
  rows: Array.from({ length: 12 }, (_, index) => ({
    month: index + 1,
    yyyymm: String(202_601 + index),
    SAIDI: index < 11 ? index + 0.5 : null,
    SAIFI: null,
    CAIDI: null,
    CAIFI: null,
    MAIFI: null,
    flags: [],
  })),
  total: null,
  flags: [],
};
const OUTAGE: OutageRow = {
  id: 9,
  incidentId: 9,
  assetId: 7,
  assetName: 'F2 Autonagar',
  locationId: 3,
  locationName: 'Autonagar',
  breadCrumbName: null,
  customers: 1_860,
  started: '2026-11-21T10:00:00.000Z',
  ended: '2026-11-21T10:46:30.000Z',
  minutes: 46.5,
  class: 'sustained',
  cause: 'fault',
  countsIn: true,
  excludedBecause: null,
  corrected: false,
  correctedBy: null,
  note: null,
  majorEventDay: false,
  flags: [],
};
const EVENTS = [
  {
    offset: 1,
    pointId: 5,
    assetName: 'F2 Autonagar',
    signal: 'CB position',
    value: 0,
    changeTo: 'OPEN',
    source: '2026-11-21T10:00:00.062Z',
  },
];
const FAULTS: Faults = {
  rows: ['01', '02'].map((day) => ({
    Dt: `2026-11-${day}`,
    dt: `${day}/11`,
    FaultType: 'LG',
    assetId: 7,
    assetName: 'F2 Autonagar',
    locationId: 3,
    locationName: 'Autonagar',
    NoOfTimes: 2,
    Duration: 12.5,
    open: 0,
  })),
  open: 0,
  cut: false,
  keptFrom: null,
  from: null,
  to: null,
  timeZone: null,
  flags: [],
};
const HOUR = 3_600_000;
const forecastRow = (at: number, actual: number | null) => ({
  timeMs: at,
  actual,
  forecast: 110,
  q10: 90,
  q90: 130,
  naive: 120,
  mape: actual && 10,
  type: 'actual',
});
/** The doubts of a figure or of a whole answer. */
const doubtful = (...flags: string[]) => ({ coverage: 100, flags });
const ANSWERS: Readonly<Record<string, unknown>> = {
  getreliabilityscores: SCORES,
  getreliabilityscoresyearly: YEARLY,
  reliabilityprofile: { rows: [], flags: [] },
  outages: { rows: [OUTAGE], cut: false },
  outage: { ...OUTAGE, computed: null, events: EVENTS },
  peakdemandprofiledatabyid: { unit: 'kW', blockMinutes: 15, coverage: 100, flags: [], missing: [], rows: [] },
  getpeakdemandtable: {
    ...{ unit: 'kW', blockMinutes: 15, coverage: 100, flags: [], missing: [] },
    rows: [
      { id: 7, name: 'F2', readingFrom: 'F2', timeInterval: 'today', peakDemand: 812.456, reportedDateTime: '2026-11-22T03:30:00.000Z' },
    ],
  },
  peakdemandforecastvsactual: {
    ...{ unit: 'kW', method: 'mstl_ets', issuedAt: '2026-11-22T08:00:00.000Z', flags: [] },
    rows: [forecastRow(NOW - 2 * HOUR, 100), forecastRow(NOW + HOUR, null)],
  },
  faulttypesovertime: FAULTS,
  getenergyovertime: { bucketMs: HOUR, timeZone: 'Asia/Kolkata', ...doubtful('partial'), rows: [{ timeMs: NOW - HOUR, energyIn_KWh: 4, energyOut_KWh: 3, ...doubtful() }] },
  realtimeefficiency: { energyIn_KWh: 4, energyOut_KWh: 3, loss: 1, efficiency: 75, from: null, to: null, ...doubtful(), reportedDateTime: null },
  getaccumulatedlosses: { ...doubtful(), rows: [] },
  getefficiencychange: {
    ...doubtful('coarse'),
    rows: ['1 day', '1 week', '1 month'].map((interval) => ({ interval, from: null, to: null, efficiency: 75, changePercent: 0, ...doubtful('coarse', 'late') })),
  },
  feedercurves: { from: '2026-11-15T00:00:00Z', to: '2026-11-22T00:00:00Z', ...doubtful('coarse'), load: [], duration: [], voltage: [], byHour: [], protection: { settings: [], curves: [] }, faults: [], unit: 'MW' },
  qualitycheck: { from: '2026-11-15T00:00:00Z', to: '2026-11-22T00:00:00Z', rows: [], ...doubtful('coarse') },
};

let root: Root;
let box: HTMLElement;
let questions: { path: string; method: string; body: unknown }[];
/** The error with which the server refuses a change, and whether the server is down. */
let refusal: string | null;
let isDown: boolean;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  HTMLCanvasElement.prototype.getContext = (() => null) as unknown as typeof HTMLCanvasElement.prototype.getContext;
  HTMLDialogElement.prototype.showModal = function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = () => undefined;
  // The table renders the visible rows. A height of 600 px makes all of them visible.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  [questions, refusal, isDown] = [[], null, false];
  vi.stubGlobal('fetch', (input: string, { method = 'GET', body }: RequestInit = {}) => {
    questions.push({ path: input, method, body: typeof body === 'string' ? JSON.parse(body) : null });
    if (isDown) return Promise.reject(new TypeError('no'));
    if (method === 'PUT' && refusal)
      return Promise.resolve(Response.json({ statusCode: 409, message: refusal, result: null }, { status: 409 }));
    const result = ANSWERS[input.replace('/api/analytics/', '').split(/[/?]/)[0] ?? ''];
    return Promise.resolve(Response.json({ statusCode: 200, message: '', result: result ?? null }));
  });
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});
afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const clock = new ServerClock();
clock.beat(NOW);
const up = { up: true, since: null };
const connection = { clock, link: () => up, onLink: () => () => undefined, subscribe: () => () => undefined } as unknown as Connection;
const live = { connection, points: new LiveStore(), feeds: new Feeds(connection) };

/** Waits until the condition is true, for at most five seconds. */
async function settled(isThere: () => unknown): Promise<void> {
  for (let turn = 0; turn < 250 && !isThere(); turn += 1) await act(() => new Promise((next) => setTimeout(next, 20)));
  expect(isThere()).toBeTruthy();
}
async function show(view: ComponentType<ViewProps>, level = 'asset', canOperate = true) {
  const node = { level, id: 7, name: 'F2 Autonagar', assetType: 1, location: 3 };
  const props = { token: 'none', zone: 'Asia/Kolkata', node, login: { canOperate }, now: () => NOW } as unknown as ViewProps;
  await act(async () => root.render(createElement(LiveContext, { value: live }, createElement(view, props))));
}
const one = (testId: string) => box.querySelector<HTMLElement>(`[data-testid="${testId}"]`);
const text = (testId: string) => one(testId)?.textContent ?? null;
const click = (testId: string) => act(async () => one(testId)?.click());
const asked = (call: string) => questions.filter(({ path }) => path.startsWith(`/api/analytics/${call}/`));
const fill = (testId: string, value: string) =>
  act(async () => {
    const field = one(testId) as HTMLTextAreaElement;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });

test('indices have two decimals, those that are not defined a dash, each its definition', async () => {
  await show(Reliability);
  await settled(() => one('index-saidi'));
  expect(['saidi', 'saifi', 'caidi', 'caifi'].map((key) => text(`index-${key}`))).toEqual(['4.21', '0.08', '–', '–']);
  expect(asked('getreliabilityscores')[0]?.path).toBe('/api/analytics/getreliabilityscores/asset/7/202611');
  expect(box.textContent).toContain('customer minutes of sustained interruptions over all customers served');
  await click('without-major');
  expect(text('index-saidi')).toBe('1.60');
  expect([text('open-outages'), text('momentary-outages')]).toEqual(['3', '55']);
  expect(box.textContent).toMatch(/Sustained outages.*Momentary outages/);
});

test('a month and a year are chosen by their names, and asked for', async () => {
  await show(Reliability, 'substation');
  await settled(() => one('yearly'));
  const select = one('reliability-month') as HTMLSelectElement;
  expect([select.selectedOptions[0]?.textContent, select.options.length]).toEqual(['November', 12]);
  await act(async () => {
    select.value = '3';
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await settled(() => questions.some(({ path }) => path === '/api/analytics/getreliabilityscores/location/7/202603'));
  expect(asked('getreliabilityscoresyearly')).toHaveLength(1);
});

test('a figure opens the outages of its month, an outage its events', async () => {
  await show(Reliability);
  await settled(() => one('index-saidi'));
  await click('index-saidi');
  await settled(() => one('outage-row'));
  const path = asked('outages')[0]?.path ?? '';
  expect(new URLSearchParams(path.split('?')[1]).get('from')).toBe('2026-10-31T18:30:00.000Z');
  expect(one('outage-row')?.textContent).toContain('F2 Autonagar');
  await click('outage-row');
  await settled(() => one('outage-events'));
  expect(text('outage-events')).toContain('21 Nov 2026 15:30:00.062');
});

test('who may not operate is offered no correction', async () => {
  await show(Reliability, 'asset', false);
  await settled(() => one('index-saidi'));
  await click('index-saidi');
  await settled(() => one('outage-row'));
  await click('outage-row');
  await settled(() => one('outage-events'));
  expect(one('outage-correct')).toBeNull();
});

test('a correction needs a reason, says what the server says, and brings other figures', async () => {
  await show(Reliability);
  await settled(() => one('index-saidi'));
  await click('index-saidi');
  await settled(() => one('outage-row'));
  await click('outage-row');
  await settled(() => one('outage-correct'));
  await click('outage-correct');
  const problem = () => one('outage-one')?.querySelector('.problem')?.textContent;
  await click('outage-save');
  expect([problem(), questions.some(({ method }) => method === 'PUT')]).toEqual(['Say why it is corrected.', false]);
  await fill('outage-note', 'Seen in the field.');
  refusal = 'The end lies before an event.';
  await click('outage-save');
  await settled(() => problem() === refusal);
  refusal = null;
  const before = asked('getreliabilityscores').length;
  await click('outage-save');
  await settled(() => asked('getreliabilityscores').length > before);
  expect(questions.filter(({ method }) => method === 'PUT').at(-1)).toEqual({
    path: '/api/analytics/outage/9',
    method: 'PUT',
    body: { note: 'Seen in the field.', exclude: false, started: OUTAGE.started, ended: OUTAGE.ended, cause: 'fault' },
  });
  expect(one('outage-save')).toBeNull();
});

test('a month that cannot be had shows no figures of another one, and the year stays', async () => {
  await show(Reliability);
  await settled(() => one('index-saidi'));
  isDown = true;
  const select = one('reliability-month') as HTMLSelectElement;
  await act(async () => {
    select.value = '3';
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await settled(() => one('indices')?.querySelector('[role=alert]'));
  expect([one('index-saidi'), one('yearly') === null]).toEqual([null, false]);
});

test('what was there stays when the server does not answer any more, and is marked', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    await show(Reliability);
    await settled(() => one('index-saidi'));
    isDown = true;
    act(() => void vi.advanceTimersByTime(60_000));
    await settled(() => one('indices')?.querySelector('[role=alert]'));
    expect(text('index-saidi')).toBe('4.21');
    expect(one('indices')?.querySelector('.indices')?.getAttribute('data-stale')).toBe('true');
    isDown = false;
    await act(async () => one('indices')?.querySelector<HTMLButtonElement>('[role=alert] button')?.click());
    await settled(() => one('indices')?.querySelector('[role=alert]') === null);
  } finally {
    vi.useRealTimers();
  }
});

test('an asset has its forecast with the error of what is seen, a place has none', async () => {
  await show(Demand, 'division');
  await settled(() => one('peaks'));
  expect([one('forecast'), text('peaks')]).toEqual([null, expect.stringContaining('812.46')]);
  expect(text('peaks')).toContain('Today');
  await show(Demand);
  await settled(() => one('precision'));
  expect(text('forecast')).toContain('Actual vs Forecast, mean MAPE 10.00 %');
  expect(text('precision')).toContain('10.00 %');
});

test('the forecast has all presets of the specification, and a month requests its days', async () => {
  await show(Demand);
  await settled(() => one('precision'));
  const presets = [...(one('forecast')?.querySelectorAll('[data-testid^=preset-]') ?? [])].map(({ textContent }) => textContent);
  expect(presets).toEqual(['1d', '1w', '1m', 'All']);
  await act(async () => one('forecast')?.querySelector<HTMLElement>('[data-testid=preset-1m]')?.click());
  await settled(() => questions.some(({ path }) => path.endsWith('/peakdemandforecastvsactual/asset/7/30')));
  await settled(() => one('forecast')?.querySelector('[data-testid=preset-1m][aria-pressed=true]'));
});

test('a column of faults is opened with the keyboard, and everything is back with a button', async () => {
  await show(FaultTrends);
  await settled(() => box.querySelectorAll('[data-testid=fault-trend-row]').length === 2);
  const picture = box.querySelector<HTMLElement>('[role=application]');
  const press = (key: string) => act(async () => void picture?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
  await press('End');
  // 22 November is the last day. The faults were on the first two days of the month.
  for (let day = 0; day < 20; day += 1) await press('ArrowLeft');
  await press('Enter');
  expect([...box.querySelectorAll('[data-testid=fault-trend-row]')].map((row) => row.firstChild?.textContent)).toEqual(['02/11/2026']);
  await click('fault-all');
  expect(box.querySelectorAll('[data-testid=fault-trend-row]')).toHaveLength(2);
});

test('without faults there is the sentence of the specification, and no doubt about it', async () => {
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ statusCode: 200, message: '', result: { ...FAULTS, rows: [], flags: ['no_data'] } })),
  );
  await show(FaultTrends);
  await settled(() => box.textContent?.includes('No data found to display!'));
  expect(one('doubts')).toBeNull();
});

test.each([
  ['Energy', Energy, 'asset', ['1d', '1w', '1m', 'All']],
  ['Demand', Demand, 'division', ['1d', '1w', '1m', 'All']],
  ['FeederCurves', FeederCurves, 'asset', ['1d', '1w', '1m', '6m', '1y', 'All']],
] as const)('%s has all presets of the specification', async (_, view, level, presets) => {
  await show(view, level);
  await settled(() => one('preset-all'));
  expect([...(one('preset-all')?.parentElement?.querySelectorAll('[data-testid^=preset-]') ?? [])].map(({ textContent }) => textContent)).toEqual(presets);
});

test.each([
  ['Energy', Energy],
  ['FeederCurves', FeederCurves],
  ['QualityCheck', QualityCheck],
] as const)('%s says once that its values are summarised', async (_, view) => {
  await show(view);
  await settled(() => box.textContent?.includes('Summarised, because'));
  await settled(() => view !== Energy || box.querySelectorAll('[data-testid=changes-row]').length === 3);
  expect(box.textContent?.match(/Summarised, because/g)).toHaveLength(1);
});

test('the terms of the energy screen say what is counted, and what is not', async () => {
  await show(Energy);
  await settled(() => one('efficiency-now')?.querySelector('dl'));
  const tip = (name: string) => [...box.querySelectorAll('.term button')].find(({ textContent }) => textContent === name)?.getAttribute('data-tip');
  expect(tip('Energy in')).toBe('What came in over the incoming lines of its substations, import less export. What one of them delivers to another is not counted.');
  expect(tip('Energy out')).toBe('What went out over the feeders of its substations, import less export. What one of them delivers to another is not counted.');
});
