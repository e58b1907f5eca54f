// Columns over time: each as wide as its bucket, standing on those before it.
import uPlot from 'uplot';

/** Of the width of a bucket, what stays free, and how much at most, px. */
const FREE = 0.18;
const FREE_MOST = 6;

/** The foot of a column that ends at `height`: the end of the last one before it that goes the same way from 0. */
export function footOf(height: number, before: readonly (number | null | undefined)[]): number {
  return before.findLast((other) => other != null && other < 0 === height < 0) ?? 0;
}

/** Columns of the values of a series, standing on the series at the places `before`. */
export function columnPaths(before: readonly number[], bucketMs: number): uPlot.Series.PathBuilder {
  return (u, place, first, last) => {
    const fill = new Path2D();
    const heights = u.data[place] ?? [];
    const times = u.data[0];
    const scale = u.series[place]?.scale ?? 'left';
    for (let at = Math.max(first - 1, 0); at <= last; at += 1) {
      const height = heights[at];
      const time = times[at];
      if (height == null || time === undefined) continue;
      const next = times[at + 1];
      // Days are not all of one length.
      const end = next !== undefined && next - time <= bucketMs * 1.5 ? next : time + bucketMs;
      const [left, right] = [u.valToPos(time, 'x', true), u.valToPos(end, 'x', true)];
      const free = Math.min((right - left) * FREE, FREE_MOST * uPlot.pxRatio);
      const foot = footOf(
        height,
        before.map((other) => u.data[other]?.[at]),
      );
      const [one, other] = [u.valToPos(foot, scale, true), u.valToPos(height, scale, true)];
      fill.rect(left + free / 2, Math.min(one, other), Math.max(right - left - free, 1), Math.abs(one - other));
    }
    return { fill, stroke: null, flags: 3 } as unknown as uPlot.Series.Paths;
  };
}
