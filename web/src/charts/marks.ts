// Marks over the lines of a chart: limits with their names, times of doubtful values, and names at the ends of lines.
import uPlot from 'uplot';
import { spaced } from './aligned';
import type { Limit, Values } from './model';
import { faint, type Palette } from './palette';

/** Draws a thin dashed line at each limit, with its name at the right end. */
export function drawLimits(u: uPlot, limits: readonly Limit[], palette: Palette, font: string): void {
  const { ctx, bbox } = u;
  const ratio = uPlot.pxRatio;
  const { min, max } = u.scales.left ?? {};
  ctx.save();
  ctx.strokeStyle = palette.quiet;
  ctx.lineWidth = ratio;
  ctx.font = `${11 * ratio}px ${font}`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  for (const { name, value } of limits) {
    if (min == null || max == null || value < min || value > max) continue;
    const y = Math.round(u.valToPos(value, 'left', true)) + 0.5;
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    // The name is below the line if there is no room above.
    const isHigh = y - bbox.top < 14 * ratio;
    backed(ctx, name, bbox.left + bbox.width - 4 * ratio, y + (isHigh ? 9 : -8) * ratio, palette.quiet, palette);
  }
  ctx.setLineDash([]);
  ctx.restore();
}

/** Draws a strip at the bottom of the chart where the worst quality is not good. */
export function drawDoubt(u: uPlot, qualities: readonly Values[], palette: Palette): void {
  const [first, last] = u.series[0]?.idxs ?? [0, -1];
  const times = u.data[0];
  const { ctx, bbox } = u;
  const height = 2 * uPlot.pxRatio;
  ctx.save();
  ctx.fillStyle = palette.doubt;
  const isDoubtful = (at: number) =>
    qualities.some(
      (quality, column) => (quality[at] ?? 0) > 0 && u.data[column * ((u.data.length - 1) / qualities.length) + 1]?.[at] != null,
    );
  for (let at = first; at <= last; at += 1) {
    if (!isDoubtful(at)) continue;
    const from = at;
    while (at < last && isDoubtful(at + 1)) at += 1;
    const [left, right] = [times[from], times[Math.min(at + 1, times.length - 1)]].map((time) =>
      Math.min(Math.max(u.valToPos(time ?? 0, 'x', true), bbox.left), bbox.left + bbox.width),
    );
    if (left === undefined || right === undefined) continue;
    ctx.fillRect(left, bbox.top + bbox.height - height, Math.max(right - left, uPlot.pxRatio), height);
  }
  ctx.restore();
}

/** Draws a text that ends at `right`, on a background that keeps it readable over lines. */
function backed(ctx: CanvasRenderingContext2D, text: string, right: number, middle: number, colour: string, palette: Palette): void {
  const pad = 3 * uPlot.pxRatio;
  const width = ctx.measureText(text).width;
  ctx.fillStyle = faint(palette.ground, 0.8);
  ctx.fillRect(right - width - pad, middle - 2 * pad, width + 2 * pad, 4 * pad);
  ctx.fillStyle = colour;
  ctx.fillText(text, right, middle);
}

interface End {
  readonly text: string;
  readonly colour: string;
  /** Index of the line among uPlot's series. */
  readonly place: number;
  readonly scale: string;
}

/** Longest name that has room beside the chart, in characters. */
const BESIDE = 3;

/** Draws names at the ends of lines, moved apart if they would overlap. Short names are beside the chart, longer names on it. */
export function drawEnds(u: uPlot, ends: readonly End[], palette: Palette, font: string): void {
  if (ends.length < 2) return;
  const { ctx, bbox } = u;
  const ratio = uPlot.pxRatio;
  const [first, last] = u.series[0]?.idxs ?? [0, -1];
  const shown = ends.flatMap(({ text, colour, place, scale }) => {
    const { min, max } = u.scales[scale] ?? {};
    const values = u.data[place];
    for (let at = last; values && at >= first; at -= 1) {
      const value = values[at];
      if (value == null) continue;
      return min != null && max != null && value >= min && value <= max ? [{ text, colour, y: u.valToPos(value, scale, true) }] : [];
    }
    return [];
  });
  const isBeside = shown.every(({ text }) => text.length <= BESIDE);
  const right = bbox.left + bbox.width;
  const heights = spaced(
    shown.map(({ y }) => (isBeside ? y : y - 9 * ratio)),
    (isBeside ? 12 : 14) * ratio,
    bbox.top + 7 * ratio,
    bbox.top + bbox.height - 7 * ratio,
  );
  ctx.save();
  ctx.font = `600 ${11 * ratio}px ${font}`;
  ctx.textAlign = isBeside ? 'left' : 'right';
  ctx.textBaseline = 'middle';
  shown.forEach(({ text, colour }, index) => {
    const y = heights[index] ?? 0;
    if (!isBeside) return backed(ctx, text, right - 4 * ratio, y, colour, palette);
    ctx.fillStyle = colour;
    ctx.fillText(text, right + 6 * ratio, y);
  });
  ctx.restore();
}

/** If a chart has two axes, draws the unit above each. */
export function drawUnits(
  u: uPlot,
  columns: readonly { readonly unit: string; readonly scale: string }[],
  palette: Palette,
  font: string,
): void {
  const { ctx, bbox } = u;
  const ratio = uPlot.pxRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px ${font}`;
  ctx.fillStyle = palette.quiet;
  ctx.textBaseline = 'bottom';
  for (const scale of ['left', 'right']) {
    const units = [...new Set(columns.filter((column) => column.scale === scale).map(({ unit }) => unit))].join(', ');
    ctx.textAlign = scale === 'left' ? 'right' : 'left';
    ctx.fillText(units, scale === 'left' ? bbox.left - 8 * ratio : bbox.left + bbox.width + 8 * ratio, bbox.top - 5 * ratio);
  }
  ctx.restore();
}
