// Tests of marks that cannot be read again: they are old at once after a failure, and after 30 s without an answer; and of changes without a place.
// @vitest-environment jsdom
import { act, createElement, type FunctionComponent } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Login } from '../wire/rest';
import type { Drawing } from '../wire/sld';
import { useListProblem, useMapMarks, useMarked } from './marks';
import { useTemporary } from './temporary';

const equipment = { id: 'Q/F1', name: 'F1', kind: 'Breaker', stationId: 1, station: 'Q', assetId: null, pointId: null };
const earth = { id: 12, kind: 'portableEarth', phases: 'ABC', place: 'F1, end 2, Quayside', at: [{ equipment, terminal: 2, end: 1, element: 'e' }], stationId: 1, station: 'Q', reason: 'work', seenDead: false, by: 'Asha Rao', placed: '2026-11-27T10:00:00Z', counts: true, problem: null, removal: null };
const lost = { ...earth, id: 13, at: [], counts: false, problem: 'node 7 does not exist' };
const entry = { id: 7, equipment: { ...equipment, id: 'Q/SW' }, name: 'SW', stationId: 1, station: 'Q', assetId: null, pointId: null, quantity: 'Pos', position: 'open', value: null, unit: '', phases: '', observed: '2026-11-27T10:00:00Z', rule: 'untilReported', reportedPosition: null, reportedValue: null, reason: 'seen', by: 'Asha Rao', entered: '2026-11-27T10:00:00Z', counts: true };
const drawing = { name: 'd', size: { width: 1, height: 1 }, points: {}, elements: [{ id: 'e', class: 'breaker' }, { id: 's', class: 'switch', equipment: 'Q/SW' }] } as unknown as Drawing;
const login = { token: 'token', timeZone: 'UTC' } as Login;

let root: Root;
let box: HTMLElement;
/** What the server answers: its rows, an error, or nothing. */
let server: 'up' | 'failing' | 'silent';
let changes: readonly object[];

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers();
  [server, changes] = ['up', [earth]];
  vi.stubGlobal('fetch', (path: string, { signal }: RequestInit) => {
    if (server === 'up') return Promise.resolve(Response.json({ statusCode: 200, message: '', result: path.includes('entries') ? [entry] : changes }));
    if (server === 'failing') return Promise.resolve(Response.json({ statusCode: 503, message: 'The database cannot be reached.', result: null }, { status: 503 }));
    return new Promise((_, fail) => signal?.addEventListener('abort', () => fail(signal.reason)));
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

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const show = (component: FunctionComponent) => act(async () => root.render(createElement(MemoryRouter, null, createElement(component))));

function Diagram({ isFeeder = false }: { isFeeder?: boolean }) {
  const { drawing: marked, notes } = useMarked(login, drawing, 1, isFeeder);
  const marks = (marked?.elements ?? []).flatMap(({ temporary = [], confirmed }) => [...temporary.map(({ id, isOld }) => `${isOld ? '? ' : ''}${id}`), ...(confirmed ? [`${confirmed.isOld ? '? ' : ''}S`] : [])]);
  return createElement('div', null, createElement('output', null, marks.join(' ')), notes);
}
const marks = () => box.querySelector('output')?.textContent;
const doubt = () => box.querySelector('[data-testid=marks-doubt]')?.textContent ?? '';

test('marks are old as soon as they cannot be read again, and not any more after the next answer', async () => {
  await show(Diagram);
  expect([marks(), doubt()]).toEqual(['12 S', '']);
  server = 'failing';
  await pass(11_000);
  expect(marks()).toBe('? 12 ? S');
  expect(doubt()).toMatch(/Jumpers, cuts and earths are not up to date\. .*Entered positions are not up to date\./);
  server = 'up';
  await pass(10_000);
  expect([marks(), doubt()]).toEqual(['12 S', '']);
});

test('marks are old after 30 s without an answer', async () => {
  await show(Diagram);
  server = 'silent';
  await pass(29_000);
  expect(marks()).toBe('12 S');
  await pass(2_000);
  expect(marks()).toBe('? 12 ? S');
});

test('the diagram says that marks are missing if they could never be read', async () => {
  server = 'failing';
  await show(Diagram);
  expect(marks()).toBe('');
  expect(doubt()).toMatch(/not shown: they could not be read/);
});

test('the diagram says that marks are missing if there is no answer for 30 s', async () => {
  server = 'silent';
  await show(Diagram);
  expect(doubt()).toBe('');
  await pass(31_000);
  expect(doubt()).toMatch(/not shown: they could not be read/);
});

test('a change without a place is named over the diagram of its substation and of its feeders', async () => {
  changes = [earth, lost, { ...lost, id: 14, stationId: 2 }, { ...lost, id: 15, stationId: null }];
  await show(Diagram);
  expect(box.querySelector('[data-testid=lost-changes]')?.textContent).toMatch(/without a place.*Portable earth 13, F1, end 2, Quayside, placed by Asha Rao/);
  expect(box.textContent).not.toMatch(/earth 1[45]/);
  await show(() => createElement(Diagram, { isFeeder: true }));
  expect(box.textContent).toMatch(/Portable earth 13.*Portable earth 15/);
});

test('counts on the map and lists are old like the marks', async () => {
  changes = [earth, lost];
  await show(() => {
    const { counts, isOld, doubt: reason } = useMapMarks('token');
    return createElement('output', null, `${JSON.stringify([...counts])} ${isOld} ${reason} | ${useListProblem(useTemporary('token', null))}`);
  });
  expect(marks()).toBe('[[1,{"all":2,"lost":1}]] false  | ');
  server = 'silent';
  await pass(31_000);
  expect(marks()).toBe('[[1,{"all":2,"lost":1}]] true Jumpers, cuts and earths are not up to date. | The list is not up to date.');
});
