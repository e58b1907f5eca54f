// A request that is repeated while the page is visible.
import { useAskRepeated, type Asked } from '../../ui/useAsk';
import type { Asking } from '../../wire/rest';

export function usePolled<T>(key: string, ask: (asking: Asking) => Promise<T>, everyMs: number): Asked<T> {
  return useAskRepeated<T>(key, async (asking) => ({ result: await ask(asking) }), everyMs);
}
