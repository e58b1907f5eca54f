// Tests of the columns of measured values: names for codes, groups, a short set before the user chooses, and the user's choice.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServerClock } from '../../live/clock';
import type { Connection } from '../../live/connection';
import { Feeds } from '../../live/feed';
import { LiveContext } from '../../live/live';
import { LiveStore } from '../../live/store';
import { Measured } from './Measured';

const NOW = Date.parse('2026-11-22T14:03:00Z');
const CODES = ['Ir', 'FIr', 'Vry', 'P', 'EImp', 'EImpR'];
const columns = [{ name: 'assetName', alias: 'Asset' }, { name: 'reportedDateTime', alias: 'Reported' }, ...CODES.map((name) => ({ name, alias: `${name} (A)` }))];
const row = { assetId: 1, assetName: 'F1', reportedDateTime: '2026-11-22T14:03:00Z', quality: 0, ageLimitMs: 60_000, Ir: 1, FIr: 2, Vry: 11, P: 1, EImp: 5, EImpR: 6 };

let root: Root;
let box: HTMLElement;

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(600);
  localStorage.clear();
  const clock = new ServerClock();
  clock.beat(NOW);
  const up = { up: true, since: null };
  const subscribe = (_: string, { snapshot }: { snapshot: (content: unknown) => void }) => {
    snapshot({ rows: [row], columns });
    return () => undefined;
  };
  const connection = { clock, link: () => up, onLink: () => () => undefined, subscribe } as unknown as Connection;
  const live = { connection, points: new LiveStore((run) => void setTimeout(run, 0)), feeds: new Feeds(connection) };
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
  await act(async () => root.render(createElement(LiveContext, { value: live }, createElement(Measured, { kind: 'energy', scope: 'location/1', token: '', zone: 'UTC', selected: null, onSelect: () => undefined }))));
  for (let turn = 0; turn < 100 && heads().length === 0; turn += 1) await act(() => new Promise((next) => setTimeout(next, 20)));
});

afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const heads = () => [...box.querySelectorAll('th')].map(({ textContent }) => textContent);
const press = (element: HTMLElement | null | undefined) => act(async () => element?.click());

test('codes have names, and what is rarely needed is hidden until it is chosen', async () => {
  expect(heads()).toEqual(['Asset', 'Reported', 'Current R (A)', 'Voltage R-Y (A)', 'Active power (A)']);
  await press(box.querySelector<HTMLElement>('.chosen > button'));
  expect([...box.querySelectorAll('.chosen [role=group]')].map((group) => group.getAttribute('aria-label'))).toEqual(['Current', 'Last fault', 'Voltage', 'Power', 'Meter registers']);
  await press([...box.querySelectorAll<HTMLElement>('.chosen label')].find(({ textContent }) => textContent === 'Fault current R (A)')?.querySelector('input'));
  expect(heads()).toContain('Fault current R (A)');
  expect(JSON.parse(localStorage.getItem('switchyard.columns.pdsColumns') ?? '{}')).toEqual({ FIr: true });
  await press(box.querySelector<HTMLElement>('[data-testid=usual-columns]'));
  expect(heads()).not.toContain('Fault current R (A)');
});
