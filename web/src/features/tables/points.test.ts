// Tests of the table of points: the tools of a live table, live values, and only the visible rows in the page.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServerClock } from '../../live/clock';
import type { Connection } from '../../live/connection';
import { Feeds } from '../../live/feed';
import { LiveContext } from '../../live/live';
import { LiveStore } from '../../live/store';
import type { GenericRow } from '../../wire/rest';
import { Points } from './Points';

const NOW = Date.parse('2026-11-22T14:03:00Z');
const rowOf = (id: number): GenericRow => ({ pointId: id, pointName: `F1/P${String(id).padStart(4, '0')}`, assetId: 1, assetName: 'F1', unit: 'A', decimals: 1, kind: 'measurand', quality: 0, ageLimitMs: 60_000 });
const ROWS = Array.from({ length: 500 }, (_, index) => rowOf(index + 1));

let root: Root;
let box: HTMLElement;
const clock = new ServerClock();
clock.beat(NOW);
const up = { up: true, since: null };
const connection = { clock, link: () => up, onLink: () => () => undefined, subscribe: () => () => undefined } as unknown as Connection;
const points = new LiveStore((run) => void setTimeout(run, 0));
const live = { connection, points, feeds: new Feeds(connection) };

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
  // The table renders the visible rows: those in 600 px.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(600);
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

const shown = () => [...box.querySelectorAll('[data-testid=point-row]')].map((row) => [...row.querySelectorAll('td')].map(({ textContent }) => textContent));

test('points have Auto Refresh, filter, sorting, and virtual rows, and follow their values', async () => {
  points.apply([[1, 5, 0, NOW]]);
  await act(async () => root.render(createElement(LiveContext, { value: live }, createElement(Points, { title: 'All points', name: 'points', rows: ROWS, zone: 'UTC' }))));
  await settled(() => shown().length > 0);
  expect(shown().length).toBeLessThan(100);
  expect(box.textContent).toContain('500 rows');
  expect(shown()[0]?.slice(1, 4)).toEqual(['F1/P0001', '5.0', 'A']);
  points.apply([[1, 7.25, 0, NOW]]);
  await settled(() => shown()[0]?.[2] === '7.3');
  const auto = box.querySelector<HTMLInputElement>('input[role=switch]');
  await act(async () => auto?.click());
  points.apply([[1, 9, 0, NOW]]);
  await settled(() => box.querySelector('[data-testid=frozen]')?.textContent?.includes('1 new'));
  expect(shown()[0]?.[2]).toBe('7.3');
  const heading = [...box.querySelectorAll<HTMLElement>('th button')].find(({ textContent }) => textContent === 'Point');
  await act(async () => heading?.click());
  await act(async () => heading?.click());
  await settled(() => shown()[0]?.[1] === 'F1/P0500');
  expect(box.querySelector('[data-testid=point-filter]')).not.toBeNull();
});

test('a request for points that is under way, or has failed, does not look like a place without points', async () => {
  const onRetry = vi.fn();
  const show = (props: { rows: readonly GenericRow[] | null; problem: string }) =>
    act(async () => root.render(createElement(LiveContext, { value: live }, createElement(Points, { title: 'General data', name: 'general-data', zone: 'UTC', onRetry, ...props }))));
  await show({ rows: null, problem: '' });
  expect(box.textContent).toContain('Loading');
  expect(box.textContent).not.toContain('No data available');
  await show({ rows: null, problem: 'The server cannot be reached.' });
  await settled(() => box.querySelector('[role=alert]'));
  expect(box.textContent).toContain('The server cannot be reached.');
  act(() => box.querySelector<HTMLButtonElement>('[data-testid=points-retry]')?.click());
  expect(onRetry).toHaveBeenCalledOnce();
  await show({ rows: ROWS, problem: '' });
  await settled(() => shown().length > 0);
});

test('the letter of a value that is not good has its word for a screen reader', async () => {
  points.apply([[7, 5, 4, NOW]]);
  await act(async () => root.render(createElement(LiveContext, { value: live }, createElement(Points, { title: 'All points', name: 'points', rows: [rowOf(7)], zone: 'UTC' }))));
  await settled(() => box.querySelector('[role=img]'));
  expect(box.querySelector('[role=img]')?.getAttribute('aria-label')).toBe('invalid');
});
