// Tests that the analog log is requested at the utility's interval while the live connection is down, and at 40 s without a setting.
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

let root: Root;
let box: HTMLElement;
let paths: string[];
const down = { up: false, since: null };
const connection = { clock: new ServerClock(), link: () => down, onLink: () => () => undefined, subscribe: () => () => undefined } as unknown as Connection;

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
  vi.useFakeTimers();
  paths = [];
  vi.stubGlobal('fetch', (path: string) => {
    paths.push(path);
    return Promise.resolve(Response.json({ statusCode: 200, message: '', result: { pdsData: [], pdsColumns: [] } }));
  });
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});

afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each([
  [5_000, 5],
  [undefined, 40],
])('with %j ms the rows are requested every %i s', async (pollMs, seconds) => {
  const live = { connection, points: new LiveStore(), feeds: new Feeds(connection) };
  const table = createElement(Measured, { kind: 'energy', scope: 'location/21', token: 'token', zone: 'UTC', pollMs, selected: null, onSelect: () => undefined });
  await act(async () => root.render(createElement(LiveContext, { value: live }, table)));
  await act(() => vi.advanceTimersByTimeAsync(seconds * 3_000 + 100));
  const polls = paths.filter((path) => path === '/api/monitoring/getpdsdata/location/21');
  // Three polls, and one at the start, because there are no rows yet.
  expect(polls).toHaveLength(4);
});
