// Chart data in uPlot's form: one array of times, and for each column its line, maximum and minimum. Pure.
import { isColumns, type ChartData, type Column, type Limit, type Look, type Values } from './model';

/** Whether any column has an envelope to draw. */
export function hasEnvelope({ columns }: ChartData): boolean {
  return columns.some(({ min, max }) => min.length > 0 && max.length > 0);
}

export type Aligned = [times: number[], ...columns: (number | null)[][]];

/**
 * Returns the arrays. A column with an envelope takes three (line, maximum, minimum), another column one. Values drawn as columns are stacked.
 */
export function aligned(data: ChartData, look: Pick<Look, 'styles'> = NO_STYLES): Aligned {
  const nothing: (number | null)[] = new Array<number | null>(data.times.length).fill(null);
  const heights = stackedOn(data, look);
  const isEnveloped = hasEnvelope(data);
  const places = (column: Column, index: number) => {
    const { mean, min, max } = column;
    if (!isEnveloped) return [heights[index] ?? mean];
    return heights[index] ? [heights[index], nothing, nothing] : [mean, max.length ? max : nothing, min.length ? min : nothing];
  };
  return [data.times as number[], ...data.columns.flatMap((column, index) => places(column, index) as (number | null)[][])];
}

const NO_STYLES = { styles: {} };

/** The upper end of each stacked column: its value plus the earlier columns of the same axis and sign. Null for lines. */
function stackedOn({ columns, times }: ChartData, look: Pick<Look, 'styles'>): ((number | null)[] | null)[] {
  const sums = new Map<string, number[]>();
  return columns.map((column) => {
    if (!isColumns(column, look)) return null;
    const axis = look.styles[column.code]?.axis ?? 'left';
    return times.map((_, at) => {
      const value = column.mean[at];
      if (value == null) return null;
      const key = `${axis} ${value < 0 ? 'down' : 'up'}`;
      const sum = sums.get(key) ?? new Array<number>(times.length).fill(0);
      sums.set(key, sum);
      return (sum[at] = (sum[at] ?? 0) + value);
    });
  });
}

/** Indexes of values between two gaps. A line does not show them, so they are drawn as dots. */
export function alone(values: Values | ArrayLike<number | null | undefined>, first: number, last: number): number[] {
  const found: number[] = [];
  for (let at = first; at <= last; at += 1) {
    if (values[at] != null && (at === 0 || values[at - 1] == null) && (at === values.length - 1 || values[at + 1] == null)) found.push(at);
  }
  return found;
}

/** Index of the value at a time: the last one that starts at or before it. Null before the first value and outside of its bucket. */
export function placeOf(times: readonly number[], bucketMs: number, at: number): number | null {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((times[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  const found = times[low];
  if (found === undefined || at < found || (bucketMs > 0 && at >= found + bucketMs)) return null;
  return low;
}

/** Half the largest distance from the values at which the axis includes a limit, as a multiple of the spread of the values. */
const REACH = 0.75;
const MARGIN = 0.07;

/** The axis range for values from `low` to `high`, with a margin, the limits nearby, and 0 if `fromZero`. */
export function valueRange(low: number | null, high: number | null, limits: readonly Limit[], fromZero: boolean): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const spread = Math.max(high - low, Math.abs(high) * 0.01, 1e-3);
  let [from, to] = fromZero ? [Math.min(low, 0), Math.max(high, 0)] : [low, high];
  for (const { value } of limits) {
    if (value > to && value - high <= Math.max(spread, fromZero ? to * 0.5 : 0) * REACH * 2) to = value;
    if (value < from && low - value <= spread * REACH * 2) from = value;
  }
  const air = Math.max((to - from) * MARGIN, spread * MARGIN);
  return [fromZero && from === 0 ? 0 : from - air, fromZero && to === 0 ? 0 : to + air];
}

/** Number of decimals that distinguishes marks of this distance. */
export function decimalsOf(distance: number): number {
  if (!(distance > 0)) return 0;
  for (let decimals = 0; decimals < 6; decimals += 1) {
    if (Math.abs(distance * 10 ** decimals - Math.round(distance * 10 ** decimals)) < 1e-6 * 10 ** decimals) return decimals;
  }
  return 6;
}

/** Positions of labels, in order, at least `apart` from each other, and as near as possible to the given heights. */
export function spaced(heights: readonly number[], apart: number, top: number, bottom: number): number[] {
  const order = heights.map((_, index) => index).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const placed = [...heights];
  let free = top;
  for (const index of order) {
    placed[index] = Math.max(placed[index] ?? 0, free);
    free = (placed[index] ?? 0) + apart;
  }
  let ceiling = bottom;
  for (const index of order.toReversed()) {
    placed[index] = Math.min(placed[index] ?? 0, ceiling);
    ceiling = (placed[index] ?? 0) - apart;
  }
  return placed;
}
