// Times that are marked on a chart: a faint strip from top to bottom behind the lines, its name at the top where there is room.
import type uPlot from 'uplot';
import type { Span } from './model';
import { faint, type Palette } from './palette';

/** A moment is as wide as this, px, or nobody would see it. */
const LEAST = 2;
/** What stands beside a name, px. */
const PAD = 4;

/** Where the spans lie within the chart, px: those outside are left out, others cut. Pure. */
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

/** `ratio` is how many pixels of the canvas one of the page is. */
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
