// A recorded picture as an SVG file.
import type { Mark, RecordedPath, Recorder } from './recorder';

// eslint-disable-next-line no-control-regex -- letters that XML has not
const escaped = (text: string) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
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
/** From the given line down to the letters' foot, in font sizes: what browsers do not agree upon as an attribute. */
export const FOOT = { top: 0.76, middle: 0.36, bottom: -0.22, alphabetic: 0 } as const;

function element(mark: Mark): string {
  const paint = `="${mark.colour}"${mark.alpha < 1 ? ` OPACITY="${short(mark.alpha)}"` : ''}`;
  if (mark.kind === 'text') {
    const { text, x, y, size, isBold, align, baseline } = mark;
    const weight = isBold ? ' font-weight="600"' : '';
    return `<text x="${short(x)}" y="${short(y + size * FOOT[baseline])}" font-size="${short(size)}"${weight} text-anchor="${ANCHOR[align]}" fill${paint.replace('OPACITY', 'fill-opacity')}>${escaped(text)}</text>`;
  }
  if (mark.kind === 'fill') return `<path d="${outline(mark.path)}" fill${paint.replace('OPACITY', 'fill-opacity')}/>`;
  const dash = mark.dash.length > 0 ? ` stroke-dasharray="${mark.dash.map(short).join(' ')}"` : '';
  return `<path d="${outline(mark.path)}" fill="none" stroke-width="${short(mark.width)}" stroke-linejoin="round"${dash} stroke${paint.replace('OPACITY', 'stroke-opacity')}/>`;
}

/** `title` is the picture's name for those who do not see it. */
export function svgOf({ marks, clips }: Recorder, width: number, height: number, title: string): string {
  const regions = clips.map(({ path, parent }, index) => `<clipPath id="c${index}"${parent >= 0 ? ` clip-path="url(#c${parent})"` : ''}><path d="${outline(path)}"/></clipPath>`);
  const body = marks.map((mark) => (mark.clip >= 0 ? `<g clip-path="url(#c${mark.clip})">${element(mark)}</g>` : element(mark)));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="'Inter Variable', Inter, Arial, Helvetica, sans-serif" style="font-feature-settings:'tnum'"><title>${escaped(title)}</title><defs>${regions.join('')}</defs>\n${body.join('\n')}\n</svg>\n`;
}
