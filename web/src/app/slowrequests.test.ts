// Tests of long requests: they are shown and can be cancelled, and the messages distinguish no connection, cancelled and too long.
// @vitest-environment jsdom
import { act, createElement, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { get, post, postCommand, postQuestion, postSwitch, postToken, problemOf, remove } from '../wire/rest';
import { acknowledge, shelve } from '../features/alarms/calls';
import { fetchStatus, prove } from '../features/operate/calls';
import type { DiRow } from '../wire/rest';
import { Dialog } from '../ui/Dialog';
import { SlowRequests } from '../ui/SlowRequests';

let root: Root;
let box: HTMLElement;

/** A server that never answers. */
const silent = (_: string, { signal }: RequestInit) => new Promise<Response>((_, fail) => signal?.addEventListener('abort', () => fail(signal.reason)));
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const one = (id: string) => box.querySelector<HTMLElement>(`[data-testid=${id}]`);

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] });
  vi.stubGlobal('fetch', silent);
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
  await act(async () => root.render(createElement(SlowRequests)));
});

afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const outcome = (request: Promise<unknown>) => request.then(() => 'answered', problemOf);

test('a request is still waited for after a minute, shown as such, and ends after ten minutes with its own message', async () => {
  let said = '';
  void outcome(get('token', 'slow')).then((text) => (said = text));
  await pass(4_000);
  expect(one('slow-requests')).toBeNull();
  await pass(60_000);
  expect([one('slow-requests')?.textContent, said]).toEqual(['The server is still working: 64 sCancel', '']);
  await pass(536_000);
  expect([one('slow-requests'), said]).toEqual([null, 'The server took too long to answer. Try again, or choose less data.']);
});

test('a long request can be cancelled', async () => {
  const [first, second] = [outcome(get('token', 'slow')), outcome(postQuestion('token', 'slow', {}))];
  await pass(6_000);
  expect(one('slow-requests')?.textContent).toContain('still working on 2 requests: 6 s');
  await act(async () => one('slow-cancel')?.click());
  expect([await first, await second]).toEqual(Array(2).fill('Cancelled before an answer arrived.'));
});

test('no connection has a message of its own', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  expect(await outcome(get('token', 'any'))).toBe('The server cannot be reached. Check the connection and try again.');
});

test('requests of timers, commands and signing in are not shown and end after 30 s', async () => {
  const requests = [
    get('token', 'poll', { isBackground: true }),
    postCommand('token', 'digiops', {}, { 'Idempotency-Key': '1' }),
    fetchStatus('token', { gatewayId: 1, Asset2DiSettingId: 2 } as DiRow),
    prove('token', 'a', 'b', '', {} as Awaited<ReturnType<typeof fetchStatus>>),
    acknowledge('token', []),
    shelve('token', 1, 5, 'test'),
    postToken({ username: 'a', password: 'b' }),
    postSwitch('token', 1),
  ];
  let ended = 0;
  for (const request of requests) void outcome(request).then(() => (ended += 1));
  await pass(29_000);
  expect([one('slow-requests'), ended]).toEqual([null, 0]);
  await pass(1_000);
  expect(ended).toBe(requests.length);
});

test('a change is not shown, because the outcome of a cancelled one is unknown', async () => {
  for (const request of [post('token', 'slow', {}), remove('token', 'slow')]) void outcome(request);
  await pass(60_000);
  expect(one('slow-requests')).toBeNull();
});

test('a repetition of a heavy read has the long limit and is not shown', async () => {
  let said = '';
  void outcome(get('token', 'slow', { isBackground: true, isHeavy: true })).then((text) => (said = text));
  await pass(500_000);
  expect([one('slow-requests'), said]).toEqual([null, '']);
});

test('the message is announced, and the seconds are not', async () => {
  const region = box.querySelector('[role=status]');
  void outcome(get('token', 'slow'));
  await pass(6_000);
  expect([box.querySelector('[role=status]'), region?.textContent, region?.closest('[aria-live=off]')]).toEqual([region, 'The server is still working', null]);
  expect(region?.querySelector('[aria-live=off]')).toBeNull();
});

test('while a modal dialog is open, the bar is in it, because the rest of the page is inert', async () => {
  HTMLDialogElement.prototype.showModal = function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = () => undefined;
  const page = (dialog: ReactNode) => act(async () => root.render(createElement('div', null, createElement(SlowRequests), dialog)));
  const dialog = createElement(Dialog, { title: 'One', onClose: () => undefined, children: null });
  await page(dialog);
  const ended = outcome(get('token', 'slow'));
  await pass(6_000);
  expect(box.querySelectorAll('[data-testid=slow-requests]')).toHaveLength(1);
  expect(one('slow-requests')?.closest('dialog')).not.toBeNull();
  await page(null);
  await pass(1_000);
  expect(one('slow-requests')?.closest('dialog')).toBeNull();
  await act(async () => one('slow-cancel')?.click());
  expect(await ended).toBe('Cancelled before an answer arrived.');
});

test('an error of the server keeps its message', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ message: 'No such report' }, { status: 404 })));
  expect(await outcome(get('token', 'any'))).toBe('No such report');
});
