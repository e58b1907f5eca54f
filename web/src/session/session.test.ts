// Tests of signing in and renewing a session.
import { beforeEach, expect, test, vi } from 'vitest';
import { running } from '../wire/running';
import type { Login } from '../wire/rest';
import { missingCredential, safeRedirect, session } from './session';

test('only the first missing thing is told, in the specified words', () => {
  expect(missingCredential(' ', '')).toBe('Please enter username');
  expect(missingCredential('a', '')).toBe('Please enter password');
  expect(missingCredential('a', 'b')).toBeNull();
});

test.each([
  ['/dashboard?location=4', '/dashboard?location=4'],
  ['//evil.example', '/dashboard'],
  ['/\\evil.example', '/dashboard'],
  ['https://evil.example', '/dashboard'],
  [null, '/dashboard'],
])('%o leads to %s', (target, expected) => {
  expect(safeRedirect(target)).toBe(expected);
});

const MARK = 'switchyard.session';
const store = new Map<string, string>();

beforeEach(() => {
  vi.unstubAllGlobals();
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('localStorage', { getItem: (key: string) => store.get(key) ?? null, setItem: (key: string, value: string) => store.set(key, value), removeItem: (key: string) => store.delete(key) });
  session.forget();
  store.set(MARK, 'open');
});

const login = (token: string, id = 7) => ({ token, ref: '', aliveTill: new Date(Date.now() + 900_000).toISOString(), id, clientId: 1, roleId: 1 }) as Login;

test('simultaneous renewals of a tab share one request, which has the header that another origin cannot send', async () => {
  const sent: RequestInit[] = [];
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    sent.push(init);
    await Promise.resolve();
    return Response.json(login(`t${sent.length}`));
  });
  expect(await Promise.all([session.resume(), session.resume(), session.resume()])).toEqual([true, true, true]);
  expect(sent.map(({ body, headers }) => [String(body), new Headers(headers).get('X-Switchyard-Session')])).toEqual([['feui=1', 'cookie']]);
  expect(await session.resume()).toBe(true);
  expect(session.token()).toBe('t2');
});

test('browser without a session sends no request', async () => {
  store.clear();
  const fetching = vi.fn();
  vi.stubGlobal('fetch', fetching);
  expect(await session.resume()).toBe(false);
  expect(fetching).not.toHaveBeenCalled();
});

test('tab that waited for the lock takes the login of another tab and sends no request', async () => {
  const fetching = vi.fn();
  vi.stubGlobal('fetch', fetching);
  vi.stubGlobal('navigator', {
    locks: {
      request: async (_: string, work: () => Promise<unknown>) => {
        // The other tab holds the lock, renews, and reports.
        const other = new BroadcastChannel(MARK);
        other.postMessage({ kind: 'login', login: login('of the other tab') });
        await vi.waitFor(() => expect(session.token()).toBe('of the other tab'));
        other.close();
        return work();
      },
    },
  });
  const renewed = vi.fn();
  const stop = session.onRenewed(renewed);
  expect(await session.resume()).toBe(true);
  stop();
  expect(fetching).not.toHaveBeenCalled();
  expect(renewed).toHaveBeenCalledTimes(1);
});

test('sign-out in another tab signs this one out', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(login('t'))));
  await session.resume();
  const other = new BroadcastChannel(MARK);
  other.postMessage({ kind: 'signed-out' });
  await vi.waitFor(() => expect(session.current()).toBeNull());
  expect(session.hasParted()).toBe(true);
  other.close();
});

test('another user in another tab starts this page again', async () => {
  const assign = vi.fn();
  vi.stubGlobal('window', { location: { assign } });
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(login('t'))));
  await session.resume();
  const other = new BroadcastChannel(MARK);
  other.postMessage({ kind: 'login', login: login('of somebody else', 8) });
  await vi.waitFor(() => expect(assign).toHaveBeenCalledWith('/dashboard'));
  expect(session.token()).toBe('t');
  other.close();
});

test('rejected renewal ends the session, a lost connection does not', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(login('t'))));
  await session.resume();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no connection')));
  expect(await session.resume()).toBe(false);
  expect([session.token(), store.get(MARK)]).toEqual(['t', 'open']);
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ statusCode: 403, message: 'Your session has ended, sign in again' }, { status: 403 })));
  expect(await session.resume()).toBe(false);
  expect([session.token(), store.get(MARK)]).toEqual([null, undefined]);
});

test('sign-out during a renewal ends the renewed session', async () => {
  const asked: string[] = [];
  let answer: () => void = () => undefined;
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(String(path));
    if (String(path).includes('logout')) return Response.json({ statusCode: 200, message: '', result: null });
    await new Promise<void>((go) => (answer = go));
    return Response.json(login('late'));
  });
  const renewing = session.resume();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  session.signOut();
  answer();
  expect(await renewing).toBe(false);
  expect(session.current()).toBeNull();
  expect(asked.some((path) => path.endsWith('member/logout/7'))).toBe(true);
  expect(store.has(MARK)).toBe(false);
});

test('signing out ends the session here at once, although the server does not answer, and the request outlives the page', async () => {
  const logouts: RequestInit[] = [];
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    if (!path.endsWith('member/logout/7')) return Promise.resolve(Response.json(login('t')));
    logouts.push(init);
    return new Promise<Response>(() => undefined);
  });
  await session.resume();
  expect(session.current()?.id).toBe(7);
  session.signOut();
  expect([session.current(), store.get(MARK), session.hasParted()]).toEqual([null, undefined, true]);
  expect(logouts.map(({ keepalive, headers }) => [keepalive, new Headers(headers).get('Authorization')])).toEqual([[true, 'Bearer t']]);
  expect(running.all()).toEqual([]);
});

test('sign-out without a connection is completed by the next page', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(login('t'))));
  await session.resume();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no connection')));
  session.signOut();
  await vi.waitFor(() => expect(store.get(MARK)).toBe('leaving'));
  const asked: string[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    asked.push(path);
    return Promise.resolve(Response.json(path.includes('logout') ? { statusCode: 200, message: '', result: null } : login('again')));
  });
  expect(await session.resume()).toBe(false);
  expect([session.current(), store.has(MARK), asked.at(-1)]).toEqual([null, false, '/api/member/logout/7']);
});
