// A heavy read that is sent when a screen opens and repeated while it is visible.
import { useAskRepeated, type Asked } from '../../ui/useAsk';
import type { Asking } from '../../wire/rest';

/** Default interval, ms, for figures of quarters of an hour and days. */
const EVERY_MS = 60_000;

export function useRepeated<T>(key: string | null, ask: (asking: Asking) => Promise<T>, everyMs: number = EVERY_MS): Asked<T> {
  return useAskRepeated<T>(key, async (asking) => ({ result: await ask({ ...asking, isHeavy: true }) }), everyMs);
}
