// Marked time spans of a chart: a faint strip of full height behind the lines, with its name at the top if there is room.
import type uPlot from 'uplot';
import type { Span } from './model';
import { faint, type Palette } from './palette';

/** Smallest width of a strip, px, so that a very short span is visible. */
const LEAST = 2;
/** Space beside a name, px. */
const PAD = 4;

/** Positions of the spans within the chart, px. Spans outside are left out; others are clipped. Pure. */
export function laid(
  spans: readonly Span[],
  xOf: (at: number) => number,
  left: number,
  width: number,
  least: number,
): { readonly x: number; readonly width: number; readonly name: string }[] {
  return spans.flatMap(({ from, to, name }) => {
    const [begin, end] = [xOf(from), Math.max(xOf(to), xOf(from) + least)];
    if (end < left || begin > left + width) return [];
    const x = Math.max(begin, left);
    return [{ x, width: Math.min(end, left + width) - x, name }];
  });
}

/** Draws the spans. `ratio` is the number of canvas pixels for each CSS pixel. */
export function drawSpans(u: uPlot, spans: readonly Span[], palette: Palette, font: string, ratio: number): void {
  if (spans.length === 0) return;
  const { ctx, bbox } = u;
  ctx.save();
  ctx.font = `${10 * ratio}px ${font}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  let free = -Infinity;
  for (const { x, width, name } of laid(spans, (at) => u.valToPos(at, 'x', true), bbox.left, bbox.width, LEAST * ratio)) {
    ctx.fillStyle = faint(palette.doubt, 0.22);
    ctx.fillRect(x, bbox.top, width, bbox.height);
    const room = ctx.measureText(name).width + 2 * PAD * ratio;
    if (width < room || x < free) continue;
    ctx.fillStyle = palette.doubt;
    ctx.fillText(name, x + PAD * ratio, bbox.top + PAD * ratio);
    free = x + room;
  }
  ctx.restore();
}
