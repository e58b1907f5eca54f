// Tests of requests of a screen: a slow answer is shown, a left screen cancels its request, and only repetitions are marked as the timer's.
// @vitest-environment jsdom
import { act, createElement, type ComponentType } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Alerts } from '../features/trackers/Alerts';
import { Communication } from '../features/communication/Communication';
import { useRepeated } from '../features/analysis/useRepeated';
import { ServerClock } from '../live/clock';
import type { Connection } from '../live/connection';
import { Feeds } from '../live/feed';
import { LiveContext } from '../live/live';
import { LiveStore } from '../live/store';
import { get } from '../wire/rest';
import { useAsk, useAskRepeated } from '../ui/useAsk';

let root: Root;
let box: HTMLElement;
let sent: { readonly at: number; readonly signal: AbortSignal | null | undefined; readonly isBackground: boolean }[];
/** How long the server needs for an answer, ms. */
let needs: number;

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers();
  [sent, needs] = [[], 0];
  vi.stubGlobal('fetch', (_: string, { signal, headers }: RequestInit) => {
    sent.push({ at: Date.now(), signal, isBackground: new Headers(headers).has('X-Switchyard-Background') });
    const result = `answer ${sent.length}`;
    return new Promise<Response>((answer, fail) => {
      setTimeout(() => answer(Response.json({ statusCode: 200, message: '', result })), needs);
      signal?.addEventListener('abort', () => fail(signal.reason));
    });
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

const Repeated = () => useRepeated('losses', async (asking) => (await get<string>('token', 'losses', asking)).result).data;
const Once = ({ of }: { of: string }) => useAsk(of, (asking) => get<string>('token', of, asking)).data;

test('an answer after 70 s is shown, although the request is repeated each minute, and so is that of the repetition', async () => {
  needs = 70_000;
  await act(async () => root.render(createElement(Repeated)));
  await pass(69_000);
  expect([box.textContent, sent.length]).toEqual(['', 1]);
  await pass(2_000);
  expect(box.textContent).toBe('answer 1');
  // The next repetition that finds no request running is sent at 120 s.
  await pass(50_000);
  await pass(71_000);
  expect(box.textContent).toBe('answer 2');
  expect(sent.map(({ isBackground }) => isBackground).slice(0, 2)).toEqual([false, true]);
});

test('a request is cancelled when its screen is left or requests something else', async () => {
  needs = 70_000;
  await act(async () => root.render(createElement(Once, { of: 'one' })));
  await act(async () => root.render(createElement(Once, { of: 'two' })));
  expect(sent.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
  await act(async () => root.render(null));
  expect(sent.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
});

const down = { up: false, since: null };
const connection = { clock: new ServerClock(), link: () => down, onLink: () => () => undefined, subscribe: () => () => undefined } as unknown as Connection;
const screens: [string, ComponentType<never>, object][] = [
  ['alerts', Alerts as ComponentType<never>, { token: 'token', scope: 'client/1', zone: 'UTC', onShow: () => undefined }],
  ['communication', Communication as ComponentType<never>, { token: 'token', zone: 'UTC', view: 'rtu-health', selected: null, onSelect: () => undefined }],
];

test.each(screens)('the first request of %s is the user\'s, and only a repetition is the timer\'s', async (_, screen, props) => {
  vi.stubGlobal('fetch', (_: string, { headers, signal }: RequestInit) => {
    sent.push({ at: Date.now(), signal, isBackground: new Headers(headers).has('X-Switchyard-Background') });
    return Promise.resolve(Response.json({ statusCode: 200, message: '', result: [] }));
  });
  const live = { connection, points: new LiveStore(), feeds: new Feeds(connection) };
  await act(async () => root.render(createElement(LiveContext, { value: live }, createElement(screen, props as never))));
  await pass(41_000);
  expect(sent.map(({ isBackground }) => isBackground)).toEqual([false, true]);
});

const Followed = ({ change }: { change: number }) => useAskRepeated('network', (asking) => get<string>('token', 'network', asking), 60_000, change).data;

test('a reported change repeats the request at once, or once after the running one', async () => {
  needs = 1_000;
  await act(async () => root.render(createElement(Followed, { change: 0 })));
  await act(async () => root.render(createElement(Followed, { change: 1 })));
  await act(async () => root.render(createElement(Followed, { change: 2 })));
  expect(sent.length).toBe(1);
  await pass(1_000);
  expect([box.textContent, sent.length]).toEqual(['answer 1', 2]);
  await pass(1_000);
  expect([box.textContent, sent.length]).toEqual(['answer 2', 2]);
  await act(async () => root.render(createElement(Followed, { change: 3 })));
  await pass(0);
  expect(sent.map(({ isBackground }) => isBackground)).toEqual([false, true, true]);
});
