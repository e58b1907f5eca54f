// Tests of the texts beside a chart's title.
import { expect, test, vi } from 'vitest';
import type { ChartData, Look } from './model';

// uPlot calls `matchMedia` while it loads, and jsdom does not have it.
vi.hoisted(() => {
  globalThis.matchMedia = (() => ({
    matches: true,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  })) as unknown as typeof matchMedia;
});
const { bucketWords } = await import('./Panel');

const columns = (isEnveloped: boolean): ChartData['columns'] => [
  {
    code: 'Ir',
    name: 'Current R',
    phase: 'R',
    unit: 'A',
    decimals: 0,
    mean: [1],
    min: isEnveloped ? [1] : [],
    max: isEnveloped ? [1] : [],
    quality: [],
  },
];

test.each<[number, boolean, Look['kind'], string]>([
  [0, false, 'mean', 'every value'],
  [60_000, true, 'mean', '1-min mean with min/max'],
  [600_000, false, 'mean', '10-min mean'],
  [90_000, true, 'mean', '90-s mean with min/max'],
  [3_600_000, false, 'sum', '1-h sum'],
  [86_400_000, false, 'last', '1-day last value'],
  [5_400_000, false, 'mean', '90-min mean'],
  [16_643_000, false, 'mean', '4.6-h mean'],
  [30_000, false, 'mean', '30-s mean'],
])('buckets of %i ms', (bucketMs, isEnveloped, kind, words) => {
  expect(bucketWords({ bucketMs, columns: columns(isEnveloped) }, { kind })).toBe(words);
});
