// Tests of the time span of a column: with a preset it follows the clock; after the user has moved it, it stays.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Column } from './Column';
import { useGroup, type Group } from './group';
import { PRESETS, type Preset } from './range';

const START = Date.UTC(2026, 10, 3, 8, 33);
const MINUTE = 60_000;
const DAY = 86_400_000;

let root: Root;
let group: Group;
let box: HTMLElement;

function Probe() {
  group = useGroup();
  return null;
}

const shown = (initial: Preset) =>
  act(() =>
    root.render(
      createElement(Column, { zone: 'Asia/Kolkata', presets: PRESETS, initial, now: () => Date.now(), children: createElement(Probe) }),
    ),
  );
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers({ now: START });
  box = document.createElement('div');
  root = createRoot(box);
});
afterEach(() => {
  act(() => root.unmount());
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('a preset goes on with the clock, and says that nobody asked for it', async () => {
  await shown('1d');
  expect([group.range.to, group.isBackground]).toEqual([START, false]);
  await pass(2 * MINUTE);
  expect(group.range.to).toBeGreaterThan(START);
  expect([group.range.to - group.range.from, group.isBackground]).toEqual([DAY, true]);
});

test('while nobody can see it, it stands still, and goes on afterwards', async () => {
  await shown('1d');
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  await pass(10 * MINUTE);
  expect(group.range.to).toBe(START);
  hidden.mockReturnValue(false);
  await pass(2 * MINUTE);
  expect(group.range.to).toBeGreaterThan(START + 10 * MINUTE);
});

test('a span of a person’s own stands still, no preset is marked, and back is to the preset of before', async () => {
  await shown('1w');
  const marked = () => [...box.querySelectorAll('[aria-pressed=true]')].map((button) => button.textContent);
  expect(marked()).toEqual(['1w']);
  await act(async () => group.zoom(0.5));
  const { range } = group;
  expect([range.to - range.from, group.isBackground, marked()]).toEqual([3.5 * DAY, false, []]);
  await pass(60 * MINUTE);
  expect(group.range).toEqual(range);
  await act(async () => group.back());
  expect([group.range.to - group.range.from, marked()]).toEqual([7 * DAY, ['1w']]);
});

test('the buttons of presets and steps do what they say', async () => {
  await shown('1d');
  const press = (name: string) =>
    act(async () => box.querySelector<HTMLButtonElement>(`[data-testid="${name}"], [aria-label="${name}"]`)?.click());
  await press('preset-1w');
  expect(group.range).toEqual({ from: START - 7 * DAY, to: START });
  await press('Earlier');
  expect(group.range).toEqual({ from: START - 10.5 * DAY, to: START - 3.5 * DAY });
  await press('Zoom in');
  expect(group.range).toEqual({ from: START - 8.75 * DAY, to: START - 5.25 * DAY });
  await press('Zoom out');
  await press('Later');
  await press('Later');
  expect(group.range).toEqual({ from: START - 7 * DAY, to: START });
  expect(box.querySelector('[data-testid="chart-span"]')?.textContent).toBe('27 Oct 2026 14:03 to 03 Nov 2026 14:03 Asia/Kolkata');
});

test('all there is begins where it is told to', async () => {
  await shown('all');
  await act(async () => group.begins(START - 400 * DAY));
  expect(group.range).toEqual({ from: START - 400 * DAY, to: START });
  await act(async () => group.zoom(0.5));
  await act(async () => group.begins(START - 500 * DAY));
  expect(group.range.to - group.range.from).toBe(200 * DAY);
});
