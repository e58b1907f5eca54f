// Tests of renewing the token of an embedded report: it uses the current session, is retried after a failure, and does not extend the session.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Login } from '../../wire/rest';
import { PowerBi } from './PowerBi';

const NOW = Date.parse('2026-11-22T08:00:00Z');
const HOUR = 3_600_000;
const MINUTE = 60_000;
const ORIGIN = 'https://reports.example';

let asked: { readonly token: string | null; readonly isBackground: boolean }[];
let fails: boolean;
let posted: { readonly url: string; readonly accessToken: string }[];

beforeEach(() => {
  asked = [];
  fails = false;
  posted = [];
  vi.useFakeTimers({ now: NOW });
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    asked.push({ token: headers.get('Authorization'), isBackground: headers.has('X-Switchyard-Background') });
    if (fails) return Promise.resolve(Response.json({ statusCode: 502, message: 'Power BI does not answer.', result: null }, { status: 502 }));
    const result = { accessToken: `embed ${asked.length}`, embedUrl: `${ORIGIN}/embed`, reportId: 'r', filter: null, expires: new Date(Date.now() + HOUR).toISOString() };
    return Promise.resolve(Response.json({ statusCode: 200, message: '', result }));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

const passes = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function opened() {
  const element = document.body.appendChild(document.createElement('div'));
  const root = createRoot(element);
  const put = (token: string) => act(async () => root.render(createElement(PowerBi, { login: { token, clientId: 1 } as Login })));
  await put('first');
  await passes(0);
  const frame = element.querySelector('iframe');
  const to = { postMessage: ({ url, body }: { url?: string; body: string | { accessToken: string } }) => url && posted.push({ url, accessToken: typeof body === 'string' ? body : body.accessToken }) };
  if (frame) Object.defineProperty(frame, 'contentWindow', { value: to });
  const load = () => act(async () => void frame?.dispatchEvent(new Event('load')));
  const reports = (data: unknown) => act(async () => void window.dispatchEvent(new MessageEvent('message', { data, origin: ORIGIN, source: frame?.contentWindow ?? null })));
  await load();
  const uid = new URL(frame?.src ?? '').searchParams.get('uid') ?? '';
  const raises = (name: string, body: unknown = {}) => reports({ method: 'POST', url: `/reports/${uid}/events/${name}`, headers: { id: 'event' }, body });
  return { put, load, raises, leave: () => act(async () => root.unmount()) };
}

test('it is renewed with the newest sign-in, as no sign of the person, and a page that loads anew has the newest', async () => {
  const { put, load, raises, leave } = await opened();
  await raises('loaded');
  expect(posted).toEqual([{ url: '/report/load', accessToken: 'embed 1' }]);
  await put('second');
  await passes(50 * MINUTE);
  expect(asked).toEqual([
    { token: 'Bearer first', isBackground: false },
    { token: 'Bearer second', isBackground: true },
  ]);
  expect(posted.at(-1)).toEqual({ url: '/report/token', accessToken: 'embed 2' });
  await load();
  expect(posted.at(-1)).toEqual({ url: '/report/load', accessToken: 'embed 2' });
  await raises('loaded');
  await passes(50 * MINUTE);
  expect(posted.at(-1)).toEqual({ url: '/report/token', accessToken: 'embed 3' });
  await leave();
});

test('what fails is tried again each minute, until the token ends', async () => {
  const { raises, leave } = await opened();
  await raises('loaded');
  fails = true;
  await passes(52 * MINUTE);
  expect(asked).toHaveLength(4);
  fails = false;
  await passes(MINUTE);
  expect(posted.at(-1)).toEqual({ url: '/report/token', accessToken: 'embed 5' });
  fails = true;
  await passes(24 * HOUR);
  // There are no retries in the last minute before the token expires.
  expect(asked).toHaveLength(15);
  await leave();
});

test('a report whose token has expired gets a new one at once, at most each minute', async () => {
  const { raises, leave } = await opened();
  await raises('loaded');
  await raises('error', { message: 'TokenExpired' });
  await passes(0);
  expect(posted.at(-1)).toEqual({ url: '/report/token', accessToken: 'embed 2' });
  await raises('error', { message: 'TokenExpired' });
  await passes(MINUTE - 1);
  expect(posted).toHaveLength(2);
  await passes(1);
  await raises('error', { message: 'TokenExpired' });
  await passes(0);
  expect(posted.at(-1)).toEqual({ url: '/report/token', accessToken: 'embed 3' });
  await leave();
});

test('a slow report is named after 30 s, until it is there', async () => {
  const { raises, leave } = await opened();
  const waiting = () => document.querySelector('[data-testid=embed-waiting]')?.textContent ?? null;
  await passes(MINUTE / 2 - 1);
  expect(waiting()).toBe('Loading embed...');
  await passes(1);
  expect(waiting()).toContain('Power BI has not opened the report for 30 s.');
  await raises('loaded');
  expect(waiting()).toBeNull();
  await leave();
});
