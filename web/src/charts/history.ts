// An asset's history as a chart takes it: what is asked of the server and how its answer is drawn.
import { getHistory, type History, type Measure } from '../wire/history';
import type { ChartData, Column, Look } from './model';
import type { Range } from './range';
import type { Source } from './useSeries';

/** Which of a measure's lines are drawn, and what a bucket's value is. */
export interface Wanted {
  /** By code; otherwise the phases, and what is of no phase only where there are none: sums would flatten them. */
  readonly codes?: readonly string[] | undefined;
  readonly kind?: Look['kind'] | undefined;
}

/**
 * An answer as a chart takes it. Single values have no envelope, even if the answer repeats them as one, and neither have sums and
 * registers.
 */
export function chartOf({ times, bucketMs, source, series }: History, { codes, kind = 'mean' }: Wanted = {}): ChartData {
  const isRaw = source === 'raw';
  const isBare = isRaw || kind !== 'mean';
  const hasPhases = series.some(({ phase }) => phase !== null);
  const columns = series
    .filter(({ code, phase }) => (codes ? codes.includes(code) : phase !== null || !hasPhases))
    .map(({ min, max, ...rest }): Column => ({ ...rest, min: isBare ? [] : min, max: isBare ? [] : max }));
  return { times, bucketMs: isRaw ? 0 : (bucketMs ?? 0), columns };
}

const DAY = 86_400_000;
/**
 * Spans from this on are shown day by day: a line that goes up and down every day within a few pixels tells less than a day's mean
 * between its extremes.
 */
const LONG_MS = 90 * DAY;

/** How many buckets are asked for. */
export function bucketsFor({ from, to }: Range, width: number): number {
  return to - from < LONG_MS ? width : Math.min(width, Math.ceil((to - from) / DAY) + 1);
}

/** One measure of an asset. */
export function historySource(
  { token, assetId }: { readonly token: string; readonly assetId: number },
  measure: Measure,
  wanted: Wanted = {},
): Source {
  return {
    key: `${assetId} ${measure}`,
    load: async (range, width, signal, isBackground) =>
      chartOf(await getHistory(token, assetId, measure, range, bucketsFor(range, width), { signal, isBackground }), wanted),
  };
}
