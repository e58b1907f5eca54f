// Tests that the times under two fingers stay under them.
import { expect, test, vi } from 'vitest';

vi.hoisted(() => {
  globalThis.matchMedia = (() => ({
    matches: true,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  })) as unknown as typeof matchMedia;
});
const { pinched } = await import('./gestures');

const HOUR = 3_600_000;

test.each([
  ['apart', [200, 800], [100, 900]],
  ['together', [200, 800], [400, 600]],
  ['to the side', [200, 400], [500, 700]],
  ['the first finger at the right', [800, 200], [900, 100]],
] as const)('fingers that go %s', (_, before, after) => {
  // The chart shows 10 h in 1,000 px.
  const timeAt = (px: number) => 1e12 + (px / 1_000) * 10 * HOUR;
  const { from, to } = pinched([timeAt(before[0]), timeAt(before[1])], after, 1_000);
  const under = (px: number) => from + ((to - from) * px) / 1_000;
  for (const finger of [0, 1] as const) expect(Math.abs(under(after[finger]) - timeAt(before[finger]))).toBeLessThan(2);
});

test('fingers that meet do not zoom without end', () => {
  const { from, to } = pinched([0, HOUR], [500, 500], 1_000);
  expect(to - from).toBe(50 * HOUR);
});
