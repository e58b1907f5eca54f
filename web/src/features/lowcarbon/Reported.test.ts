// Tests of yesterday's values without a plan: shown if measured, a message if not, and nothing if the server does not return them separately.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Reported } from './Reported';

const row = (value: number) => Array.from({ length: 48 }, () => value);
const RESULTS = { hour_of_day: row(0), slot_hours: row(0.5), Base_Demand_Kw: row(40), Battery_Charge_Discharge_Kw: row(0), Battery_Storage_Kwh: row(0), NetDemand_Kw: row(40), PV_Generation_Kw: row(0) };
const DAY = { day: '2026-11-21', results: RESULTS, stats: { site: 960, solar: null, grid_import: 960, grid_export: 0, battery_charge: 0, battery_discharge: 0 }, shares: null, coverage: 75 };

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
  vi.stubGlobal('ResizeObserver', class { observe() {} disconnect() {} unobserve() {} });
});
afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

async function shown(status: number, result: unknown) {
  const paths: string[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    paths.push(path);
    return Promise.resolve(Response.json({ statusCode: status, message: 'The server is busy.', result }, { status }));
  });
  const element = document.body.appendChild(document.createElement('div'));
  const root = createRoot(element);
  await act(async () => root.render(createElement(Reported, { token: 'token', device: 7, name: 'Depot', zone: 'UTC', pages: ['lc.site-analytics', 'lc.power-flow'] })));
  await act(async () => undefined);
  return { element, paths, text: element.textContent ?? '', leave: () => act(async () => root.unmount()) };
}

test('a day that was measured has its heading, its energies and how much of it readings cover, on the pages that are seen', async () => {
  const { element, paths, text, leave } = await shown(200, DAY);
  expect([paths, element.querySelector('h3')?.textContent]).toEqual([['/api/lowcarbon/site/7/reported'], expect.stringMatching(/^Reported Yesterday, .*21/)]);
  const cells = [...element.querySelectorAll('[data-testid=reported-stats] td')].map((cell) => cell.textContent);
  expect(cells).toEqual(['960.00', '–', '960.00', '0.00', '0.00', '0.00']);
  expect([text.includes('Readings cover 75 % of yesterday.'), text.includes('Power Flow Historical'), text.includes('Energy Consumption Historical')]).toEqual([true, true, false]);
  await leave();
});

test.each([
  ['nothing was measured', 200, null, 'Nothing was measured yesterday.'],
  ['the server does not tell it', 404, null, ''],
  ['it cannot be had', 503, null, 'The server is busy.Try again'],
])('where %s', async (_, status, result, said) => {
  const { text, leave } = await shown(status, result);
  expect(text).toBe(said);
  await leave();
});
