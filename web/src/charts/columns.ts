// Columns over time in uPlot: each as wide as its bucket, and stacked on the earlier columns.
import uPlot from 'uplot';

/** Gap between columns: share of the bucket's width, and largest gap in px. */
const FREE = 0.18;
const FREE_MOST = 6;

/** The lower end of a stacked column that ends at `height`: the end of the last earlier column with the same sign, else 0. */
export function footOf(height: number, before: readonly (number | null | undefined)[]): number {
  return before.findLast((other) => other != null && other < 0 === height < 0) ?? 0;
}

/** Builds the columns of a series, stacked on the series with the indexes `before`. */
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
      // Buckets of one day vary in length when the clock changes.
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
