// Tests of the comparison: an empty field uses the site's value, outdated results are marked, and cancelling keeps the entered values.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FIELDS, type RunBody } from '../../wire/lowcarbon';
import type { Draft } from './form';
import { WhatIf } from './WhatIf';

const row = (value: number, length = 48) => Array.from({ length }, () => value);
const RESULTS = { hour_of_day: row(0), slot_hours: row(0.5), Base_Demand_Kw: row(40), Battery_Charge_Discharge_Kw: row(0), Battery_Storage_Kwh: row(0), NetDemand_Kw: row(40), PV_Generation_Kw: row(0) };
const PLAN = { day: '2026-11-22', timeZone: 'UTC', results: RESULTS, stats: {}, shares: null, cost: 5, currency: 'INR', storageKwh: row(0, 49), curtailedKw: row(0), demandFrom: 'mean', solarFrom: 'none', historical: null };
const OWN = { ...Object.fromEntries(FIELDS.map((field, index) => [field, String(index + 1)])), Objective: 'cost_with_solar' } as Draft;
const BASE: RunBody = { BatteryChargeRateKw: 3, day: 'today' };

let answer: (status: number, body: unknown) => Promise<void>;
let asked: number;

beforeEach(() => {
  asked = 0;
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: false }));
  vi.stubGlobal('ResizeObserver', class { observe() {} disconnect() {} unobserve() {} });
  vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
    asked += 1;
    return new Promise<Response>((give, refuse) => {
      init.signal?.addEventListener('abort', () => refuse(new Error('aborted')));
      answer = (status, body) => act(async () => give(Response.json(body, { status })));
    });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

async function opened(draft: Draft = OWN) {
  const element = document.body.appendChild(document.createElement('div'));
  const root = createRoot(element);
  await act(async () => root.render(createElement(WhatIf, { token: 'token', device: 1, name: 'Depot', zone: 'UTC', base: BASE, draft, own: OWN })));
  const find = <T extends HTMLElement>(testId: string) => element.querySelector<T>(`[data-testid="${testId}"]`);
  const press = (testId: string) => act(async () => find(testId)?.click());
  const type = (field: string, text: string) =>
    act(async () => {
      const input = find<HTMLInputElement>(`changed-${field}`);
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
      input?.dispatchEvent(new Event('input', { bubbles: true }));
    });
  await press('what-if-open');
  return { element, find, press, type, old: () => find('differences-old')?.textContent ?? '', leave: () => act(async () => root.unmount()) };
}
const DONE = { statusCode: 200, message: '', result: { base: PLAN, changed: PLAN, costDifference: 0, importDifferenceKwh: 0, storedDifferenceKwh: 0 } };

test('what is typed after an answer makes it old, and typed back makes it new again; a refusal of the next says why it is old', async () => {
  const { press, type, old, leave } = await opened();
  await type('BatteryChargeRateKw', '9');
  await press('what-if-compare');
  await answer(200, DONE);
  expect(old()).toBe('');
  await type('BatteryChargeRateKw', '8');
  expect(old()).toBe('The form says something else since. Compare again.');
  await type('BatteryChargeRateKw', '9');
  expect(old()).toBe('');
  await press('what-if-compare');
  await answer(503, { statusCode: 503, message: 'The server is busy.', result: null });
  expect(old()).toBe('Not up to date: The server is busy.');
  await leave();
});

test('giving up leaves what was typed, and the focus where it can be asked again; a second press of Compare asks nothing', async () => {
  const { find, press, type, leave } = await opened();
  await type('BatteryChargeRateKw', '9');
  await press('what-if-compare');
  await press('what-if-compare');
  await press('what-if-again');
  expect([asked, find('what-if-compare')?.getAttribute('aria-disabled'), find<HTMLInputElement>('changed-BatteryChargeRateKw')?.value]).toEqual([1, 'true', '9']);
  await press('what-if-cancel');
  expect([find('what-if-cancel'), document.activeElement === find('what-if-compare'), find<HTMLInputElement>('changed-BatteryChargeRateKw')?.value]).toEqual([null, true, '9']);
  await leave();
});

test('a field that the form leaves empty is planned with the site’s own', async () => {
  const { find, leave } = await opened({ ...OWN, BatteryChargeRateKw: '' });
  const input = find<HTMLInputElement>('changed-BatteryChargeRateKw');
  expect([input?.placeholder, input?.closest('tr')?.querySelector('td')?.textContent]).toEqual([OWN.BatteryChargeRateKw, OWN.BatteryChargeRateKw]);
  await leave();
});
