// The history of an asset as chart data: the request to the server and the drawing of its answer.
import { getHistory, type History, type Measure } from '../wire/history';
import type { ChartData, Column, Look } from './model';
import type { Range } from './range';
import type { Source } from './useSeries';

/** The selected series of a measure, and how a bucket's value is computed. */
export interface Wanted {
  /** Codes of the series. Default: the phases; series without a phase only if there are no phases, because sums would flatten the phases. */
  readonly codes?: readonly string[] | undefined;
  readonly kind?: Look['kind'] | undefined;
}

/**
 * Converts an answer to chart data. Raw values, sums and registers have no envelope, even if the answer repeats the value as minimum and
 * maximum.
 */
export function chartOf({ times, bucketMs, source, series, keptSince = null }: History & { readonly keptSince?: number | null }, { codes, kind = 'mean' }: Wanted = {}): ChartData {
  const isRaw = source === 'raw';
  const isBare = isRaw || kind !== 'mean';
  const hasPhases = series.some(({ phase }) => phase !== null);
  const columns = series
    .filter(({ code, phase }) => (codes ? codes.includes(code) : phase !== null || !hasPhases))
    .map(({ min, max, ...rest }): Column => ({ ...rest, min: isBare ? [] : min, max: isBare ? [] : max }));
  return { times, bucketMs: isRaw ? 0 : (bucketMs ?? 0), columns, keptSince };
}

const DAY = 86_400_000;
/**
 * Spans from this length on have one bucket for each day. A line that rises and falls every day within a few pixels is less useful than
 * the mean of a day with its minimum and maximum.
 */
const LONG_MS = 90 * DAY;

/** The number of buckets to request. */
export function bucketsFor({ from, to }: Range, width: number): number {
  return to - from < LONG_MS ? width : Math.min(width, Math.ceil((to - from) / DAY) + 1);
}

/** Loads one measure of an asset. */
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
