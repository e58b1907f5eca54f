// Tests of what the profiles of an asset request and show: energy by interval, and units below 1 kV.
// @vitest-environment jsdom
import { act, createElement, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServerClock } from '../../live/clock';
import type { Connection } from '../../live/connection';
import { Feeds } from '../../live/feed';
import { LiveContext } from '../../live/live';
import { LiveStore } from '../../live/store';
import type { Reading } from '../../wire/history';

// uPlot calls `matchMedia` while it loads, and jsdom does not have it.
vi.hoisted(() => {
  globalThis.matchMedia = (() => ({ matches: true, addEventListener: () => undefined, removeEventListener: () => undefined })) as unknown as typeof matchMedia;
});
const { EnergyProfile } = await import('./EnergyProfile');
const { LiveReadings } = await import('./LiveReadings');

const NOW = Date.parse('2026-11-22T14:03:00Z');
const ASSET = { token: '', zone: 'UTC', assetId: 7, assetName: 'Lights' };
let root: Root;
let box: HTMLElement;
let paths: string[];
let rows: Reading[];

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly sized: () => void) {}
      observe() {
        this.sized();
      }
      unobserve() {}
      disconnect() {}
    },
  );
  HTMLCanvasElement.prototype.getContext = (() => null) as unknown as typeof HTMLCanvasElement.prototype.getContext;
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(800);
  [paths, rows] = [[], []];
  vi.stubGlobal('fetch', (path: string) => {
    paths.push(path);
    return new Promise<Response>(() => undefined);
  });
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});
afterEach(() => {
  act(() => root.unmount());
  box.remove();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function show(screen: ReactNode): Promise<void> {
  const clock = new ServerClock();
  clock.beat(NOW);
  const up = { up: true, since: null };
  const subscribe = (_: string, { snapshot }: { snapshot: (content: unknown) => void }) => {
    snapshot({ rows });
    return () => undefined;
  };
  const connection = { clock, link: () => up, onLink: () => () => undefined, subscribe } as unknown as Connection;
  await act(async () => root.render(createElement(LiveContext, { value: { connection, points: new LiveStore(), feeds: new Feeds(connection) } }, screen)));
}
async function settled(isThere: () => unknown): Promise<void> {
  for (let turn = 0; turn < 150 && !isThere(); turn += 1) await act(() => new Promise((next) => setTimeout(next, 20)));
  expect(isThere()).toBeTruthy();
}

test('the energy profile requests what each interval counted, and no readings of registers', async () => {
  await show(createElement(EnergyProfile, ASSET));
  await settled(() => paths.length >= 4);
  const measures = paths.map((path) => new URL(path, 'http://here').searchParams.get('measure'));
  expect(measures.toSorted()).toEqual(['accumulated', 'energy', 'energy', 'reactive_energy']);
});

const reading = (parameter: string, unit: string, decimals: number, more: Partial<Reading>): Reading => ({
  ...{ parameter, unit, decimals, r: null, y: null, b: null, total: null, dayMin: null, dayMax: null, quality: 0 },
  ...{ reportedDateTime: '2026-11-22T14:03:00Z', ageLimitMs: null, ...more },
});
const shown = () => [...box.querySelectorAll('[data-testid=reading]')].map((line) => [...line.querySelectorAll('td')].slice(1).map(({ textContent }) => textContent));

test('an asset below 1 kV has its readings in volts and kilowatts', async () => {
  rows = [
    reading('Voltage', 'kV', 2, { r: 0.2312, y: 0.2299, b: 0.2304, dayMin: 0.2291, dayMax: 0.2388 }),
    reading('Active power', 'MW', 2, { total: 0.0213, dayMin: 0.004, dayMax: 0.0251 }),
  ];
  await show(createElement(LiveReadings, ASSET));
  await settled(() => shown().length === 2);
  expect(shown()).toEqual([
    ['231', '230', '230', '229', '239', 'V'],
    ['21.3', '4.0', '25.1', 'kW'],
  ]);
});

test('an asset of 11 kV has its readings in kilovolts and megawatts', async () => {
  rows = [reading('Voltage', 'kV', 2, { r: 6.351, y: 6.36, b: 6.34, dayMin: 6.2, dayMax: 6.4 }), reading('Active power', 'MW', 2, { total: 0.0213 })];
  await show(createElement(LiveReadings, ASSET));
  await settled(() => shown().length === 2);
  expect(shown()).toEqual([
    ['6.35', '6.36', '6.34', '6.20', '6.40', 'kV'],
    ['0.02', '–', '–', 'MW'],
  ]);
});
