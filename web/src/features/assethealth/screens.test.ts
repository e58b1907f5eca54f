// Tests of the screen with simulated answers: its requests, cells of the matrix, selection by keyboard, and failed or empty answers.
// @vitest-environment jsdom
import { act, createElement, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CableSection } from '../../wire/cable-health';
import { madeUp, UNMODELLED } from './madeup';

// uPlot calls `matchMedia` while it loads, and jsdom does not have it.
vi.hoisted(() => {
  globalThis.matchMedia = (() => ({ matches: true, addEventListener: () => undefined, removeEventListener: () => undefined })) as unknown as typeof matchMedia;
});
const { AssetHealth } = await import('./AssetHealth');

const SECTIONS: readonly CableSection[] = [
  madeUp(1),
  madeUp(2, { AssetName: 'F2', HealthIndexBand: 'HI5', CriticalityIndex: 'C4', Section: 'S7', COF: 900 }),
  madeUp(3, { AssetName: 'F2', ...UNMODELLED }),
];
const none = { HI1: 0, HI2: 0, HI3: 0, HI4: 0, HI5: 0 };
const ANSWERS: Readonly<Record<string, unknown>> = {
  cablehealthsubstations: { substations: [{ assetPointId: 2768, assetPointName: 'Quayside', years: [2018, 2017] }], defaultSubstation: 2768, defaultYear: 2018 },
  cablehealthdatabyassetpoint: {
    cableSections: SECTIONS,
    criticalityIndexVsHealthIndex: [
      { CI: 'C1', ...none, HI1: 1 },
      { CI: 'C4', ...none, HI5: 1 },
    ],
    ...{ notModelled: 1, bands: 'v2.1', currency: 'INR', year: 2018, assetPointId: 2768 },
  },
  cableriskforecast: { years: [2019, 2020], doNothing: [5, 6], replaced: [5, 6], sections: 3, currency: 'INR', notModelled: 1 },
  planthealth: { plant: [] },
};

/** A response whose body is available after the pending promises have run, because it is not a stream. */
const answered = (body: unknown, status = 200) => ({ ok: status < 400, status, json: () => Promise.resolve(body) }) as Response;

let root: Root;
let stage: HTMLDivElement;
let asked: { call: string; path: string; body: unknown }[];
let answers: Record<string, unknown>;

beforeEach(() => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  globalThis.ResizeObserver = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  } as unknown as typeof ResizeObserver;
  HTMLCanvasElement.prototype.getContext = (() => null) as typeof HTMLCanvasElement.prototype.getContext;
  asked = [];
  answers = { ...ANSWERS };
  globalThis.fetch = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const path = String(input).replace('/api/assethealth/', '');
    const call = path.split('/')[0] ?? '';
    asked.push({ call, path, body: init?.body ? JSON.parse(String(init.body)) : null });
    const result = answers[call];
    if (result === undefined) return answered({ statusCode: 503, message: 'The register is not available just now.', result: null }, 503);
    return answered({ statusCode: 200, message: '', result });
  }) as typeof fetch;
  stage = document.body.appendChild(document.createElement('div'));
  root = createRoot(stage);
});

afterEach(() => {
  act(() => root.unmount());
  stage.remove();
});

const network = { data: { features: [] }, problem: '', retry: () => undefined, put: () => undefined };

function Page({ query: first }: { query: string }) {
  const [query, setQuery] = useState(() => new URLSearchParams(first));
  return createElement(AssetHealth, { token: 't', zone: 'Asia/Kolkata', network, query, onQuery: (next) => setQuery(new URLSearchParams(next)) });
}

async function show(query = '') {
  await act(async () => root.render(createElement(Page, { query })));
}
const the = (testId: string) => stage.querySelector<HTMLElement>(`[data-testid="${testId}"]`);
const click = (testId: string) => act(async () => the(testId)?.click());
const pick = (testId: string, value: string) =>
  act(async () => {
    const select = the(testId) as HTMLSelectElement;
    select.value = value;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
const calls = (call: string) => asked.filter((one) => one.call === call);

test('it begins with the default substation and year, the one substation cannot be changed, and both stand in the call', async () => {
  await show();
  expect((the('health-substation') as HTMLSelectElement).disabled).toBe(true);
  expect((the('health-year') as HTMLSelectElement).value).toBe('2018');
  expect([...(the('health-year') as HTMLSelectElement).options].map(({ text }) => text)).toEqual(['-- Select --', '2018', '2017']);
  expect(calls('cablehealthdatabyassetpoint').map(({ path }) => path)).toEqual(['cablehealthdatabyassetpoint/2768/2018']);
  expect(the('shown-count')?.textContent).toBe('3 of 3 sections');
});

test('without a year nothing is asked, and refresh brings the default year back', async () => {
  await show('year=');
  expect(calls('cablehealthdatabyassetpoint')).toEqual([]);
  expect(the('health-unset')?.textContent).toBe('Please select appropriate option to view data');
  await click('health-refresh');
  expect(calls('cablehealthdatabyassetpoint').map(({ path }) => path)).toEqual(['cablehealthdatabyassetpoint/2768/2018']);
  await pick('health-year', '2017');
  expect(calls('cablehealthdatabyassetpoint').at(-1)?.path).toBe('cablehealthdatabyassetpoint/2768/2017');
});

test('a cell of the matrix shows its sections of the rows that are there, without a question; once more shows all again', async () => {
  await show('tab=matrix');
  expect(the('matrix-sum')?.textContent).toContain('2 in the matrix and 1 not modelled are 3 sections.');
  expect(the('health-note')?.textContent).toBe('Health Index requires 10 years data for highest accuracy');
  await click('cell-C4-HI5');
  expect([the('shown-count')?.textContent, the('cell-C4-HI5')?.getAttribute('aria-pressed')]).toEqual(['1 of 3 sections', 'true']);
  expect(the('cell-C1-HI1')?.textContent).toContain('0 shown');
  await click('cell-C4-HI5');
  expect([the('shown-count')?.textContent, the('cell-C4-HI5')?.getAttribute('aria-pressed')]).toEqual(['3 of 3 sections', 'false']);
  expect(asked.map(({ call }) => call)).toEqual(['cablehealthsubstations', 'cablehealthdatabyassetpoint']);
});

test('a cell without data empties the table', async () => {
  await show('tab=matrix');
  await click('cell-C1-HI3');
  expect(the('shown-count')?.textContent).toBe('0 of 3 sections');
  expect(the('section-table')?.textContent).toContain('No data found to display!');
});

test('what is not modelled is found by one click, and says why', async () => {
  await show('tab=matrix');
  await act(async () => the('matrix-sum')?.querySelector('button')?.click());
  expect([the('shown-count')?.textContent, the('unmodelled-count')?.textContent]).toEqual(['1 of 3 sections', '1 not modelled']);
});

test('boxes are reached by keys, said, and chosen with Enter for all views', async () => {
  await show('tab=heat');
  const box = stage.querySelector<HTMLElement>('.drawn');
  const press = (key: string) => act(async () => void box?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
  await press('ArrowRight');
  await press('ArrowRight');
  expect(the('heat-map')?.querySelector('[role=status]')?.textContent).toMatch(/^F2, Cable 1, section S7, HI HI5, PoF/);
  await press('Enter');
  expect(the('section-facts')?.textContent).toContain('F2, Cable 1, section S7');
  await press('End');
  await press('Enter');
  expect(the('section-facts')?.textContent).toContain('Not modelled: the model has no 11 kV cable');
});

test('the risk to come is asked with the list that is ticked, and with no list there is one line and no saving', async () => {
  await show('tab=forecast');
  const body = { assetpointId: 2768, healthYear: 2018, years: 20, replaced: [], compared: null };
  expect(calls('cableriskforecast').map(({ body }) => body)).toEqual([body]);
  vi.useFakeTimers();
  const later = () => act(async () => void (await vi.advanceTimersByTimeAsync(500)));
  expect(the('saved')).toBeNull();
  await act(async () => stage.querySelector<HTMLInputElement>('[data-testid=section-table] thead input')?.click());
  expect(calls('cableriskforecast')).toHaveLength(1);
  await later();
  expect(calls('cableriskforecast').map(({ body }) => body).slice(1)).toEqual([{ ...body, replaced: [1, 2, 3] }]);
  expect([the('replacement-count')?.textContent, the('saved') === null]).toEqual(['3 sections, 3.00 km', false]);
  // The other list has separate ticks, and only the last tick sends a request.
  await click('list-B');
  const tick = () => stage.querySelector<HTMLInputElement>('[data-testid=section-table] thead input');
  expect(tick()?.checked).toBe(false);
  for (const isOn of [true, false, true]) {
    await act(async () => tick()?.click());
    expect(tick()?.checked).toBe(isOn);
  }
  await later();
  expect(calls('cableriskforecast').map(({ body }) => body).slice(2)).toEqual([{ ...body, replaced: [1, 2, 3], compared: [1, 2, 3] }]);
  await click('replacement-clear');
  await click('list-A');
  await click('replacement-clear');
  await later();
  expect(the('saved')).toBeNull();
  vi.useRealTimers();
});

test('while the years ahead are none, the figure of before is dimmed and says why, and there is no saving', async () => {
  await show('tab=forecast');
  vi.useFakeTimers();
  await act(async () => stage.querySelector<HTMLInputElement>('[data-testid=section-table] thead input')?.click());
  await act(async () => void (await vi.advanceTimersByTimeAsync(500)));
  vi.useRealTimers();
  const stale = () => [...stage.querySelectorAll('.chart-frame')].map((frame) => frame.getAttribute('data-stale'));
  expect([stale(), the('saved') === null]).toEqual([['false'], false]);
  await act(async () => {
    const field = the('forecast-years');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, '');
    field?.dispatchEvent(new Event('input', { bubbles: true }));
  });
  expect([stale(), the('saved') === null, calls('cableriskforecast').length]).toEqual([['true'], true, 2]);
  await act(async () => stage.querySelector<HTMLButtonElement>('.stale button')?.click());
  expect(document.activeElement).toBe(the('forecast-years'));
});

test('a register without sections says so, and a failure can be tried again', async () => {
  answers.cablehealthdatabyassetpoint = { ...(ANSWERS.cablehealthdatabyassetpoint as object), cableSections: [] };
  await show();
  expect(stage.textContent).toContain('No data found to display!');
  act(() => root.unmount());
  root = createRoot(stage);
  delete answers.cablehealthdatabyassetpoint;
  await show();
  expect(stage.querySelector('[role=alert]')?.textContent).toContain('The register is not available just now.');
  answers.cablehealthdatabyassetpoint = ANSWERS.cablehealthdatabyassetpoint;
  await act(async () => stage.querySelector<HTMLButtonElement>('[role=alert] button')?.click());
  expect(the('shown-count')?.textContent).toBe('3 of 3 sections');
});
