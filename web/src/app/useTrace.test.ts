// Tests that a highlight follows the network: it is computed again at a reported change, and removed if it may be wrong.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Device } from '../features/station/Detail';
import { ServerClock } from '../live/clock';
import type { Connection, Listener } from '../live/connection';
import { Feeds } from '../live/feed';
import { LiveContext } from '../live/live';
import { LiveStore } from '../live/store';
import type { Login } from '../wire/rest';
import type { Drawing } from '../wire/sld';
import { highlight } from './highlight';
import { useTrace } from './useTrace';

const login = { clientId: 1, token: 'token' } as Login;
const gateways = [] as const;
const breaker: Device = { id: 'cb', name: 'F1CB', className: 'breaker', assetId: 2, pointId: 7, equipment: null, isLow: false, inverted: false, assumed: null, confirmed: null, temporary: [], facts: [] };
const drawing: Drawing = { format: 'switchyard-sld', version: 1, name: 'S', size: { width: 9, height: 9 }, elements: [{ id: 'cb', class: 'breaker' }], points: {}, wiring: 'w' };
const equipment = { id: 'Q/G', name: 'Grid', kind: 'EnergySource', stationId: 1, station: 'Quayside', assetId: null, pointId: null };
const none = { elements: [], numbers: [], equipment: [], nodes: [], locationIds: [], assetIds: [] };
const answer = (numbers: readonly number[], isFed = true) => ({
  equipment,
  sides: [{ state: isFed ? 'energised' : 'dead', isFed, source: isFed ? equipment : null, feeder: null, path: { count: 0, listed: [] } }],
  feeds: { extent: { nodes: 1, customers: 5, loadKw: 1 }, transformers: 0, equipment: { count: 0, listed: [] }, load: { measuredKw: 0, measurements: 0, unmeasuredKw: 1 } },
  drawn: { wiring: 'w', path: { ...none, elements: ['cb'], numbers, locationIds: [1] }, feeds: none },
});

let root: Root;
let box: HTMLElement;
let now: ReturnType<typeof answer>;
/** How long the server needs for an answer, ms. */
let needs: number;
let isUp: boolean;
let events: Listener | undefined;
let listeners: (() => void)[];

const connection = {
  clock: new ServerClock(),
  link: () => links[isUp ? 1 : 0],
  onLink: (listener: () => void) => {
    listeners.push(listener);
    return () => undefined;
  },
  subscribe: (_: string, listener: Listener) => {
    events = listener;
    return () => undefined;
  },
} as unknown as Connection;
const links = [{ up: false, since: 0 }, { up: true, since: null }];
let live: { connection: Connection; points: LiveStore; feeds: Feeds };
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const find = (testId: string) => box.querySelector<HTMLElement>(`[data-testid=${testId}]`);
const moved = async () => {
  act(() => events?.delta({ rows: [{ offset: Math.random(), EventTime: '' }] }));
  // The change is counted, then the request is sent, then its answer is shown.
  for (const ms of [700, 1, 1]) await pass(ms);
};

function Screen({ selected }: { selected: Device | null }) {
  const { panel, legend, traced } = useTrace({ login, gateways, location: 1, drawing, selected });
  return createElement('div', { 'data-testid': 'screen' }, panel, legend, createElement('output', null, JSON.stringify(traced && [...traced.nodes])));
}

const shown = () => box.querySelector('output')?.textContent;
const render = (selected: Device | null) => act(async () => root.render(createElement(LiveContext, { value: live }, createElement(Screen, { selected }))));

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance', 'requestAnimationFrame'] });
  [now, needs, isUp, listeners] = [answer([0, 1]), 0, true, []];
  vi.stubGlobal('fetch', () => {
    const result = now;
    return new Promise<Response>((give) => setTimeout(() => give(Response.json({ statusCode: 200, message: '', result })), needs));
  });
  live = { connection, points: new LiveStore(), feeds: new Feeds(connection) };
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
  await render(breaker);
  await pass(100);
  act(() => find('trace-path')?.click());
});
afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a highlight is on the diagram, in the legend and for the map, until Escape or another selection', async () => {
  expect([shown(), find('trace-legend')?.textContent, find('trace-said')?.textContent]).toEqual(['[0,1]', 'Path from Grid to F1CB✕', 'Path from Grid to F1CB']);
  expect(highlight.current()?.locationIds).toEqual(new Set([1]));
  act(() => void window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' })));
  expect([shown(), find('trace-legend'), highlight.current(), find('trace-note')]).toEqual(['null', null, null, null]);
  act(() => find('trace-path')?.click());
  expect(shown()).toBe('[0,1]');
  await render({ ...breaker, id: 'other', pointId: 8 });
  await pass(100);
  expect([shown(), highlight.current()]).toEqual(['null', null]);
});

test('a reported change computes the highlight again', async () => {
  now = answer([0, 2]);
  await moved();
  expect(shown()).toBe('[0,2]');
  expect(find('trace-note')).toBeNull();
});

test('a highlight whose path has ended is removed with a note', async () => {
  now = answer([], false);
  await moved();
  expect(shown()).toBe('null');
  expect(find('trace-note')?.textContent).toMatch(/^The highlight was removed: a switch has moved/);
});

test('a highlight is removed with a note when the answer is late, and when the connection is lost', async () => {
  needs = 60_000;
  await moved();
  expect(shown()).toBe('[0,1]');
  await pass(2_100);
  expect(shown()).toBe('null');
  expect(find('trace-note')?.textContent).toBe('The highlight was removed: what is connected now could not be read.');
  needs = 0;
  await pass(60_000);
  act(() => find('trace-path')?.click());
  expect(shown()).toBe('[0,1]');
  isUp = false;
  act(() => listeners.forEach((listener) => listener()));
  expect(shown()).toBe('null');
});
