// Tests of the past of a table: pages from the end of a period, then older periods; and the same window live and polled.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServerClock } from '../../live/clock';
import type { Connection } from '../../live/connection';
import { Feeds } from '../../live/feed';
import { LiveContext } from '../../live/live';
import { LiveStore } from '../../live/store';
import { useOffered, type Export } from '../../ui/exports';
import { EventLog, eventSource } from './EventLog';
import { Faults, faultSource } from './Faults';

const NOW = Date.parse('2026-11-22T14:03:00Z');
let root: Root;
let box: HTMLElement;
let paths: string[];

const event = (offset: number, at: string) => ({ offset, EventTime: at, ReceivedTime: at, AssetName: `F${offset}`, AssetId: 1, DISignal: 'Position', ChangeTo: 'OPEN' });

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
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(600);
  paths = [];
  vi.stubGlobal('fetch', (path: string) => {
    paths.push(path);
    const before = /before=(\d+)/.exec(path)?.[1];
    const rows = before === undefined && path.includes('to=2026-11-22T14:03') ? Array.from({ length: 500 }, (_, index) => event(1_000 - index, '2026-11-22T10:00:00Z')) : [event(7, '2026-11-22T09:00:00Z')];
    return Promise.resolve(Response.json({ statusCode: 200, message: '', result: rows }));
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

async function settled(isThere: () => unknown): Promise<void> {
  for (let turn = 0; turn < 150 && !isThere(); turn += 1) await act(() => new Promise((next) => setTimeout(next, 20)));
  expect(isThere()).toBeTruthy();
}

const find = (id: string) => box.querySelector<HTMLElement>(`[data-testid=${id}]`);
const press = (id: string) => act(async () => find(id)?.click());

test('older events come page by page, then from the time before the period, under the name of the window', async () => {
  const clock = new ServerClock();
  clock.beat(NOW);
  const up = { up: true, since: null };
  const subscribe = (_: string, { snapshot }: { snapshot: (content: unknown) => void }) => {
    snapshot({ rows: [event(1_001, '2026-11-22T14:00:00Z')] });
    return () => undefined;
  };
  const connection = { clock, link: () => up, onLink: () => () => undefined, subscribe } as unknown as Connection;
  const live = { connection, points: new LiveStore((run) => void setTimeout(run, 0)), feeds: new Feeds(connection) };
  await act(async () => root.render(createElement(LiveContext, { value: live }, createElement(EventLog, { scope: 'location/21', token: '', zone: 'UTC' }))));
  await settled(() => box.textContent?.includes('F1001'));
  expect(find('event-window-name')?.textContent).toBe('The newest 500 events');
  await press('event-older');
  await settled(() => box.textContent?.includes('500 rows'));
  expect(find('event-window-name')?.textContent).toBe('21 Nov 2026 14:03 to 22 Nov 2026 14:03');
  expect(paths[0]).toBe('/api/monitoring/dieventlog/21?from=2026-11-21T14:03:00.000Z&to=2026-11-22T14:03:00.000Z&limit=500');
  expect(box.querySelector('input[role=switch]')).toBeNull();
  await press('event-older');
  await settled(() => box.textContent?.includes('501 rows'));
  expect(paths[1]).toBe('/api/monitoring/dieventlog/21?from=2026-11-21T14:03:00.000Z&to=2026-11-22T14:03:00.000Z&limit=500&before=501');
  await press('event-older');
  await settled(() => paths.length === 3);
  expect(paths[2]).toBe('/api/monitoring/dieventlog/21?from=2026-11-20T14:03:00.000Z&to=2026-11-21T14:03:00.000Z&limit=500');
  expect(find('event-window-name')?.textContent).toBe('20 Nov 2026 14:03 to 22 Nov 2026 14:03');
  await press('event-live');
  await settled(() => box.textContent?.includes('F1001'));
});

test('while the socket is down the same window is polled: as many events as the snapshot has, and the faults of a day', () => {
  expect([eventSource('location/21', '').path, eventSource('location/21', '').max]).toEqual(['monitoring/dieventlog/21?limit=500', 500]);
  expect(faultSource('asset/4', '').path).toBe('faultdata/bytypeandid/asset/4?days=1');
});

test('older faults come from the time before the period', async () => {
  const clock = new ServerClock();
  clock.beat(NOW);
  const up = { up: true, since: null };
  const connection = { clock, link: () => up, onLink: () => () => undefined, subscribe: () => () => undefined } as unknown as Connection;
  const live = { connection, points: new LiveStore((run) => void setTimeout(run, 0)), feeds: new Feeds(connection) };
  const fault = (id: number, StartTime: string) => ({ id, FaultStatus: 'Closed', AssetName: `F${id}`, Location: 'Mill', CustomersAffected: 10, Severity: 'High', StartTime, EndTime: StartTime, Duration: 1.5, FaultType: 'LG', tripType: 'EF', AssetId: 4, LocationId: 1, momentary: false });
  vi.stubGlobal('fetch', (path: string) => {
    paths.push(path);
    return Promise.resolve(Response.json({ statusCode: 200, message: '', result: [path.includes('to=2026-11-22') ? fault(9, '2026-11-20T10:00:00Z') : fault(2, '2026-11-10T10:00:00Z')] }));
  });
  await act(async () => root.render(createElement(LiveContext, { value: live }, createElement(Faults, { scope: 'asset/4', token: '', zone: 'UTC' }))));
  await press('fault-past');
  await settled(() => box.textContent?.includes('F9'));
  expect(find('fault-window-name')?.textContent).toBe('15 Nov 2026 14:03 to 22 Nov 2026 14:03');
  await press('fault-older');
  await settled(() => box.textContent?.includes('2 rows'));
  expect(find('fault-window-name')?.textContent).toBe('08 Nov 2026 14:03 to 22 Nov 2026 14:03');
  expect(paths.map((path) => decodeURIComponent(path))).toEqual([
    '/api/faultdata/bytypeandid/asset/4?from=2026-11-15T14:03:00.000Z&to=2026-11-22T14:03:00.000Z',
    '/api/faultdata/bytypeandid/asset/4?from=2026-11-08T14:03:00.000Z&to=2026-11-15T14:03:00.000Z',
  ]);
});

test('the faults are offered as a workbook, with all of their columns', async () => {
  const clock = new ServerClock();
  clock.beat(NOW);
  const up = { up: true, since: null };
  const subscribe = (_: string, { snapshot }: { snapshot: (content: unknown) => void }) => {
    snapshot({ rows: [{ id: 9, FaultStatus: 'Open', AssetName: 'F9 Harbour', Location: 'Mill', CustomersAffected: 1_860, Severity: 'High', StartTime: '2026-11-22T14:00:00Z', EndTime: null, Duration: null, FaultType: 'LG', tripType: 'EF', AssetId: 4, LocationId: 1, momentary: false }] });
    return () => undefined;
  };
  const connection = { clock, link: () => up, onLink: () => () => undefined, subscribe } as unknown as Connection;
  const live = { connection, points: new LiveStore((run) => void setTimeout(run, 0)), feeds: new Feeds(connection) };
  let offered: readonly Export[] = [];
  const Menu = () => {
    offered = useOffered();
    return null;
  };
  await act(async () => root.render(createElement(LiveContext, { value: live }, createElement(Faults, { scope: 'asset/4', token: '', zone: 'UTC' }), createElement(Menu))));
  await settled(() => box.textContent?.includes('F9 Harbour'));
  expect(offered.map(({ name, extension }) => [name, extension])).toEqual([
    ['Faults as XLSX', 'xlsx'],
    ['Faults as CSV', 'csv'],
  ]);
  const book = await offered[0]?.make();
  expect([...new Uint8Array((await book?.arrayBuffer()) ?? new ArrayBuffer(0))].slice(0, 2)).toEqual([0x50, 0x4b]);
});
