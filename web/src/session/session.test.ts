// Tests of signing in and renewing a session.
import { expect, test, vi } from 'vitest';
import { running } from '../wire/running';
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

test('whoever renews while it is under way gets the same answer: a secret that is shown twice looks stolen', async () => {
  const store = new Map([['switchyard.refresh', 'first']]);
  vi.stubGlobal('sessionStorage', { getItem: (key: string) => store.get(key) ?? null, setItem: (key: string, value: string) => store.set(key, value), removeItem: (key: string) => store.delete(key) });
  const shown: string[] = [];
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    shown.push(String(new URLSearchParams(String(init.body)).get('ref')));
    await new Promise((wake) => setTimeout(wake, 10));
    return Response.json({ token: 't', ref: `next ${shown.length}`, aliveTill: new Date(Date.now() + 900_000).toISOString(), id: 1, roleId: 1 });
  });
  const answers = await Promise.all([session.resume(), session.resume(), session.resume()]);
  expect(answers).toEqual([true, true, true]);
  expect(shown).toEqual(['first']);
  expect(await session.resume()).toBe(true);
  expect(shown).toEqual(['first', 'next 1']);
  session.forget();
  vi.unstubAllGlobals();
});

test('who signs out while a renewal is under way stays signed out, and what it brought is given back', async () => {
  const store = new Map([['switchyard.refresh', 'first']]);
  vi.stubGlobal('sessionStorage', { getItem: (key: string) => store.get(key) ?? null, setItem: (key: string, value: string) => store.set(key, value), removeItem: (key: string) => store.delete(key) });
  const asked: string[] = [];
  let answer: () => void = () => undefined;
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(String(path));
    if (String(path).includes('logout')) return Response.json({ statusCode: 200, message: '', result: null });
    await new Promise<void>((go) => (answer = go));
    return Response.json({ token: 'late', ref: 'next', aliveTill: new Date(Date.now() + 900_000).toISOString(), id: 7, roleId: 1 });
  });
  const renewing = session.resume();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  session.forget();
  answer();
  expect(await renewing).toBe(false);
  expect(session.current()).toBeNull();
  expect(store.size).toBe(0);
  expect(asked.some((path) => path.endsWith('member/logout/7'))).toBe(true);
  vi.unstubAllGlobals();
});

test('signing out ends the session here at once, although the server does not answer, and the request outlives the page', async () => {
  const store = new Map([['switchyard.refresh', 'first']]);
  vi.stubGlobal('sessionStorage', { getItem: (key: string) => store.get(key) ?? null, setItem: (key: string, value: string) => store.set(key, value), removeItem: (key: string) => store.delete(key) });
  const logouts: RequestInit[] = [];
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    if (!path.endsWith('member/logout/7')) return Promise.resolve(Response.json({ token: 't', ref: 'next', aliveTill: new Date(Date.now() + 900_000).toISOString(), id: 7, roleId: 1 }));
    logouts.push(init);
    return new Promise<Response>(() => undefined);
  });
  await session.resume();
  expect(session.current()?.id).toBe(7);
  session.signOut();
  expect([session.current(), store.size, session.hasParted()]).toEqual([null, 0, true]);
  expect(logouts.map(({ keepalive, headers }) => [keepalive, new Headers(headers).get('Authorization')])).toEqual([[true, 'Bearer t']]);
  expect(running.all()).toEqual([]);
  vi.unstubAllGlobals();
});
