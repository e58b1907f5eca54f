// Tests of the panel of a device: since when its state is what it is, and units below 1 kV.
// @vitest-environment jsdom
import { act, createElement, type ComponentProps } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServerClock } from '../../live/clock';
import type { Connection } from '../../live/connection';
import { Feeds } from '../../live/feed';
import { LiveContext } from '../../live/live';
import { LiveStore } from '../../live/store';
import type { EventRow, GenericRow } from '../../wire/rest';
import { Detail, type Device } from './Detail';

const NOW = Date.parse('2026-11-22T14:03:00Z');
const [POSITION, SPRING, VOLTAGE, POWER] = [1, 2, 3, 4];
const BREAKER: Device = { id: 'CB1', name: 'CB1', className: 'breaker', assetId: 7, pointId: POSITION, equipment: null, isLow: false, inverted: false, assumed: null, confirmed: null, temporary: [], facts: [] };

const row = (pointId: number, pointName: string, more: object = {}) => ({ pointId, pointName, assetId: 7, ageLimitMs: null, unit: '', decimals: 0, encoding: null, ...more }) as unknown as GenericRow;
const ROWS = [
  row(POSITION, 'F1/CB1/Pos', { encoding: 'double' }),
  row(VOLTAGE, 'F1/F1/Vry', { unit: 'kV', decimals: 2 }),
  row(POWER, 'F1/F1/P', { unit: 'MW', decimals: 2 }),
];
const event = (offset: number, pointId: number, at: string, to: string) => ({ offset, PointId: pointId, AssetId: 7, EventTime: at, DISignal: 'Signal', ChangeTo: to }) as unknown as EventRow;

let root: Root;
let box: HTMLElement;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});
afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.unstubAllGlobals();
});

async function show(selected: Device, events: readonly EventRow[]) {
  const clock = new ServerClock();
  clock.beat(NOW);
  const up = { up: true, since: null };
  const connection = { clock, link: () => up, onLink: () => () => undefined } as unknown as Connection;
  const points = new LiveStore((run) => run());
  points.apply([
    [POSITION, 2, 0, NOW - 5_000],
    [VOLTAGE, 0.4, 0, NOW],
    [POWER, 0.021, 0, NOW],
  ]);
  const props: ComponentProps<typeof Detail> = { devices: [selected], selected, onSelect: () => undefined, onClose: () => undefined, onMenu: () => undefined, actions: null, trace: null, rows: ROWS, names: null, events, zone: 'UTC' };
  await act(async () => root.render(createElement(LiveContext, { value: { connection, points, feeds: new Feeds(connection) } }, createElement(Detail, props))));
}

const state = () => box.querySelector('.state + p')?.textContent;
const values = () => [...box.querySelectorAll('dl:not(.facts) dd')].map(({ textContent }) => textContent?.replace(/\s+/g, ' ').trim());

test('the state has the time of its last change, not of the last report', async () => {
  await show(BREAKER, [event(3, SPRING, '2026-11-22T14:02:00Z', 'CHARGED'), event(2, POSITION, '2026-11-22T12:00:00Z', 'CLOSED'), event(1, POSITION, '2026-11-22T11:00:00Z', 'OPEN')]);
  expect(state()).toBe('since 12:00:00.000 (2 h), good');
});

test('without a known change the time of the report is named as such', async () => {
  await show(BREAKER, [event(3, SPRING, '2026-11-22T14:02:00Z', 'CHARGED')]);
  expect(state()).toBe('reported 14:02:55.000, 5 s, good');
});

test('equipment below 1 kV has volts and kilowatts', async () => {
  await show(BREAKER, []);
  expect(values()).toEqual(['0.40 kV good', '0.02 MW good']);
  await show({ ...BREAKER, isLow: true }, []);
  expect(values()).toEqual(['400 V good', '21.0 kW good']);
});
