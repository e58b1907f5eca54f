// What is drawn over the lines: limits with their names, where values are doubtful, and the letter at a line's end.
import uPlot from 'uplot';
import { spaced } from './aligned';
import { figure, type Limit, type Values } from './model';
import type { Palette } from './palette';

/** A thin dashed line at each limit, its name at the right end. */
export function drawLimits(u: uPlot, limits: readonly Limit[], palette: Palette, font: string): void {
  const { ctx, bbox } = u;
  const ratio = uPlot.pxRatio;
  const { min, max } = u.scales.left ?? {};
  ctx.save();
  ctx.strokeStyle = palette.quiet;
  ctx.fillStyle = palette.quiet;
  ctx.lineWidth = ratio;
  ctx.font = `${11 * ratio}px ${font}`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  for (const { name, value } of limits) {
    if (min == null || max == null || value < min || value > max) continue;
    const y = Math.round(u.valToPos(value, 'left', true)) + 0.5;
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    // Under the line where there is no room above it.
    const isHigh = y - bbox.top < 14 * ratio;
    ctx.textBaseline = isHigh ? 'top' : 'bottom';
    ctx.fillText(name, bbox.left + bbox.width - 4 * ratio, y + (isHigh ? 3 : -2) * ratio);
  }
  ctx.setLineDash([]);
  ctx.restore();
}

/** A strip at the foot of the chart wherever the worst quality is not good. */
export function drawDoubt(u: uPlot, qualities: readonly Values[], palette: Palette): void {
  const [first, last] = u.series[0]?.idxs ?? [0, -1];
  const times = u.data[0];
  const { ctx, bbox } = u;
  const height = 2 * uPlot.pxRatio;
  ctx.save();
  ctx.fillStyle = palette.doubt;
  const isDoubtful = (at: number) => qualities.some((quality, column) => (quality[at] ?? 0) > 0 && u.data[column * ((u.data.length - 1) / qualities.length) + 1]?.[at] != null);
  for (let at = first; at <= last; at += 1) {
    if (!isDoubtful(at)) continue;
    const from = at;
    while (at < last && isDoubtful(at + 1)) at += 1;
    const [left, right] = [times[from], times[Math.min(at + 1, times.length - 1)]].map((time) => Math.min(Math.max(u.valToPos(time ?? 0, 'x', true), bbox.left), bbox.left + bbox.width));
    if (left === undefined || right === undefined) continue;
    ctx.fillRect(left, bbox.top + bbox.height - height, Math.max(right - left, uPlot.pxRatio), height);
  }
  ctx.restore();
}

interface End {
  readonly text: string;
  readonly colour: string;
  /** Of the line among uPlot's series. */
  readonly place: number;
}

/** The names of lines where they end, moved apart where they would touch. */
export function drawEnds(u: uPlot, ends: readonly End[], font: string): void {
  if (ends.length < 2) return;
  const { ctx, bbox } = u;
  const ratio = uPlot.pxRatio;
  const { min, max } = u.scales.left ?? {};
  const [first, last] = u.series[0]?.idxs ?? [0, -1];
  const shown = ends.flatMap(({ text, colour, place }) => {
    const values = u.data[place];
    for (let at = last; values && at >= first; at -= 1) {
      const value = values[at];
      if (value == null) continue;
      return min != null && max != null && value >= min && value <= max ? [{ text, colour, y: u.valToPos(value, 'left', true) }] : [];
    }
    return [];
  });
  const heights = spaced(shown.map(({ y }) => y), 12 * ratio, bbox.top + 6 * ratio, bbox.top + bbox.height - 6 * ratio);
  ctx.save();
  ctx.font = `600 ${11 * ratio}px ${font}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  shown.forEach(({ text, colour }, index) => {
    ctx.fillStyle = colour;
    ctx.fillText(text, bbox.left + bbox.width + 6 * ratio, heights[index] ?? 0);
  });
  ctx.restore();
}

/** A limit by its own name and value: rated 150. */
export function limitName(name: string, value: number, decimals: number): string {
  return `${name} ${figure(value, decimals)}`;
}
