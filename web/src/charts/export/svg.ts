// A recorded figure as an SVG file.
import type { Mark, RecordedPath, Recorder } from './recorder';
import { escaped } from '../../ui/xml';

const short = (value: number) => String(Math.round(value * 100) / 100);

function outline(path: RecordedPath): string {
  let at = 0;
  const parts = path.ops.map((op) => {
    const count = { M: 2, L: 2, C: 6 }[op] ?? 0;
    const values = path.points.slice(at, at + count);
    at += count;
    return op + values.map(short).join(' ');
  });
  return parts.join('');
}

const ANCHOR = { left: 'start', center: 'middle', right: 'end' } as const;
/** Distance from the given line down to the baseline, in font sizes. Browsers differ in their support of `dominant-baseline`. */
export const FOOT = { top: 0.76, middle: 0.36, bottom: -0.22, alphabetic: 0 } as const;

/** Attributes of a tag. Those without a value are left out. */
function attributes(given: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? short(value) : value}"`)
    .join('');
}

function element(mark: Mark): string {
  const { colour } = mark;
  const alpha = mark.alpha < 1 ? mark.alpha : undefined;
  if (mark.kind === 'text') {
    const { text, x, y, size, isBold, align, baseline } = mark;
    const place = { x, y: y + size * FOOT[baseline], 'font-size': size, 'font-weight': isBold ? '600' : undefined };
    return `<text${attributes({ ...place, 'text-anchor': ANCHOR[align], fill: colour, 'fill-opacity': alpha })}>${escaped(text)}</text>`;
  }
  const d = outline(mark.path);
  if (mark.kind === 'fill') return `<path${attributes({ d, fill: colour, 'fill-opacity': alpha })}/>`;
  const line = { 'stroke-width': mark.width, 'stroke-linejoin': 'round', 'stroke-dasharray': mark.dash.map(short).join(' ') || undefined };
  return `<path${attributes({ d, fill: 'none', stroke: colour, 'stroke-opacity': alpha, ...line })}/>`;
}

const FONT = { 'font-family': "'Inter Variable', Inter, Arial, Helvetica, sans-serif", style: "font-feature-settings:'tnum'" };

/** Returns the SVG document. `title` is its name for screen readers. */
export function svgOf({ marks, clips }: Recorder, width: number, height: number, title: string): string {
  const regions = clips.map(({ path, parent }, index) => {
    const within = parent >= 0 ? `url(#c${parent})` : undefined;
    return `<clipPath${attributes({ id: `c${index}`, 'clip-path': within })}><path d="${outline(path)}"/></clipPath>`;
  });
  const body = marks.map((mark) => (mark.clip >= 0 ? `<g clip-path="url(#c${mark.clip})">${element(mark)}</g>` : element(mark)));
  const size = { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}` };
  const parts = [`<title>${escaped(title)}</title><defs>${regions.join('')}</defs>`, ...body];
  return `<svg${attributes({ ...size, ...FONT })}>${parts.join('\n')}\n</svg>\n`;
}
