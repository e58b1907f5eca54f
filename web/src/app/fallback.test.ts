// Tests of polling while the live socket is down: one request at a time, marked as the timer's, cancelled at the end, and no older answer
// over a newer one.
// @vitest-environment jsdom
import { act, createElement, Fragment } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useStation } from './useStation';
import { ServerClock } from '../live/clock';
import type { Connection } from '../live/connection';
import { Feeds } from '../live/feed';
import { LiveContext } from '../live/live';
import { LiveStore } from '../live/store';
import { useAll, useFeed } from '../live/useFeed';

interface Polled {
  readonly isBackground: boolean;
  readonly signal: AbortSignal | null | undefined;
  readonly answer: (result: unknown) => void;
}

let root: Root;
let box: HTMLElement;
let polls: Polled[];
const down = { up: false, since: null };
const connection = { clock: new ServerClock(), link: () => down, onLink: () => () => undefined, subscribe: () => () => undefined } as unknown as Connection;
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers();
  polls = [];
  vi.stubGlobal('fetch', (_: string, { signal, headers }: RequestInit) =>
    new Promise<Response>((done, fail) => {
      polls.push({ isBackground: new Headers(headers).has('X-Switchyard-Background'), signal, answer: (result) => done(Response.json({ statusCode: 200, message: '', result })) });
      signal?.addEventListener('abort', () => fail(signal.reason));
    }),
  );
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});
afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function show(children: ReturnType<typeof createElement> | null) {
  return act(async () => root.render(createElement(LiveContext, { value: live }, children)));
}
let live = { connection, points: new LiveStore(), feeds: new Feeds(connection) };
beforeEach(() => {
  live = { connection, points: new LiveStore(), feeds: new Feeds(connection) };
});

function Rows({ pollMs }: { pollMs: number }) {
  return useAll(useFeed<string>({ stream: 'rows/1', path: 'rows/1', token: 'token', pollMs, key: (row) => row })).join();
}
function Station() {
  const { rows } = useStation('token', 21, 10);
  return rows === null ? 'loading' : `${rows.length} points`;
}

test('rows are polled one request at a time, and the request ends with its screen', async () => {
  await show(createElement(Rows, { pollMs: 5_000 }));
  await pass(28_000);
  expect(polls.map(({ isBackground }) => isBackground)).toEqual([true]);
  await show(null);
  expect(polls[0]?.signal?.aborted).toBe(true);
});

test('an answer to an earlier request does not replace a later one', async () => {
  await show(createElement(Fragment, null, createElement(Rows, { pollMs: 20_000 }), createElement('i'), createElement(Rows, { pollMs: 9_000 })));
  // Both poll at 3 s; only the second is answered, and polls again at 9 s.
  await pass(3_500);
  await act(async () => polls[1]?.answer(['first']));
  await pass(6_000);
  await act(async () => polls[2]?.answer(['new']));
  await pass(1_000);
  expect(box.textContent).toBe('newnew');
  await act(async () => polls[0]?.answer(['old']));
  await pass(1_000);
  expect(box.textContent).toBe('newnew');
});

test('the values of a substation are polled one request at a time, and the request ends with its screen', async () => {
  await show(createElement(Station));
  // The rows, the positions and the drawing of the screen itself.
  const first = polls.length;
  await pass(29_000);
  expect(polls.slice(first).map(({ isBackground }) => isBackground)).toEqual([true]);
  await show(null);
  expect(polls[first]?.signal?.aborted).toBe(true);
});

test('a substation whose points are being loaded does not look like one without points', async () => {
  await show(createElement(Station));
  expect(box.textContent).toBe('loading');
  await act(async () => polls[0]?.answer({ gdsData: [] }));
  expect(box.textContent).toBe('0 points');
});
