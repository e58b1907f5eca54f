// Tests of the tab with which See Details opens.
import { afterEach, expect, test, vi } from 'vitest';
import { firstWithData, PROBES } from './firsttab';

afterEach(() => void vi.unstubAllGlobals());

const tabs = ['ee.energy', 'ee.reliability', 'ee.demand'].map((key) => ({ key }));

test.each([
  ['the first tab if it has data', ['ee.energy', 'ee.demand'], 'ee.energy'],
  ['the next tab that has data', ['ee.reliability', 'ee.demand'], 'ee.reliability'],
  ['the first tab if none has data', [], 'ee.energy'],
])('opens %s', async (_, withData, expected) => {
  expect(await firstWithData(tabs, (key) => Promise.resolve(withData.includes(key)))).toBe(expected);
});

test('a request that fails is no reason to skip a tab', async () => {
  expect(await firstWithData(tabs, () => Promise.reject(new Error('no answer')))).toBe('ee.energy');
});

const bucket = (energyIn_KWh: number | null) => ({ timeMs: 1, energyIn_KWh, energyOut_KWh: null, loss: null, efficiency: null, coverage: 0, flags: [] });
const energy = (...rows: object[]) => ({ bucketMs: 1, timeZone: 'UTC', missing: [], coverage: 0, flags: [], rows });

test.each([
  ['ee.energy', energy(bucket(null), bucket(4)), true],
  ['ee.energy', energy(bucket(null)), false],
  ['ee.energy', energy(), false],
  ['asset.live-readings', [{ parameter: 'Current' }], true],
  ['asset.live-readings', [], false],
])('%s has data in %o: %s', async (key, result, expected) => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ statusCode: 200, message: '', result })));
  const node = { level: 'asset', id: 7, name: 'F1', assetType: 1, location: 3 } as unknown as Parameters<(typeof PROBES)[string]>[1];
  expect(await PROBES[key]?.('', node, Date.parse('2026-11-22T00:00:00Z'), {})).toBe(expected);
});
