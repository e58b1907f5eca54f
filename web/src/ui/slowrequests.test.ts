// Tests of long requests: they are shown and can be cancelled, and the messages distinguish no connection, cancelled and too long.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BACKGROUND, get, post, problemOf } from '../wire/rest';
import { SlowRequests } from './SlowRequests';

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
  const [first, second] = [outcome(get('token', 'slow')), outcome(post('token', 'slow', {}))];
  await pass(6_000);
  expect(one('slow-requests')?.textContent).toContain('still working on 2 requests: 6 s');
  await act(async () => one('slow-cancel')?.click());
  expect([await first, await second]).toEqual(Array(2).fill('Cancelled before an answer arrived.'));
});

test('no connection has a message of its own', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  expect(await outcome(get('token', 'any'))).toBe('The server cannot be reached. Check the connection and try again.');
});

test('requests of timers and commands are not shown and end after 30 s', async () => {
  const ended: string[] = [];
  void outcome(get('token', 'poll', BACKGROUND)).then((text) => ended.push(text));
  void outcome(post('token', 'digiops', {}, 'POST', { 'Idempotency-Key': '1' })).then((text) => ended.push(text));
  await pass(29_000);
  expect([one('slow-requests'), ended.length]).toEqual([null, 0]);
  await pass(1_000);
  expect(ended).toHaveLength(2);
});

test('an error of the server keeps its message', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ message: 'No such report' }, { status: 404 })));
  expect(await outcome(get('token', 'any'))).toBe('No such report');
});
