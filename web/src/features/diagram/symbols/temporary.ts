// Marks of temporary changes at an element: a portable earth, a cut, or the end of a jumper, each with its number.
import type { Element, TemporaryMark } from '../../../wire/sld';
import { atLeast } from './labels';
import { extent, type Sheet } from './sheet';

/** Lines of each mark, in units of its half size: an earth, a gap between two bars, an arc with its two ends. */
const LINES: Readonly<Record<TemporaryMark['kind'], readonly (readonly (readonly [number, number])[])[]>> = {
  portableEarth: [[[0, -1], [0, 0]], [[-0.9, 0], [0.9, 0]], [[-0.55, 0.4], [0.55, 0.4]], [[-0.2, 0.8], [0.2, 0.8]]],
  cut: [[[-1, 0], [-0.35, 0]], [[0.35, 0], [1, 0]], [[-0.6, 0.8], [-0.1, -0.8]], [[0.1, 0.8], [0.6, -0.8]]],
  jumper: [[[-1, 0.7], [-0.7, -0.3], [0, -0.8], [0.7, -0.3], [1, 0.7]], [[-1.3, 0.7], [-0.7, 0.7]], [[0.7, 0.7], [1.3, 0.7]]],
};

/** The place of a mark: in the middle of a line, else beside the symbol, at the end at which the change is. */
export function markPlace(element: Element, { side }: Pick<TemporaryMark, 'side'> = {}): { x: number; y: number } {
  const { path } = element;
  if (path && path.length > 1) {
    const at = Math.floor((path.length - 1) / 2);
    const [[x, y], [nextX, nextY]] = [path[at] ?? [0, 0], path[at + 1] ?? [0, 0]];
    return { x: (x + nextX) / 2, y: (y + nextY) / 2 };
  }
  if (element.class === 'busbar') return { x: ((element.x1 ?? 0) + (element.x2 ?? 0)) / 2, y: ((element.y1 ?? 0) + (element.y2 ?? 0)) / 2 + 16 };
  const [x, y, size] = [element.x ?? 0, element.y ?? 0, extent(element)];
  // Outside of the frames of a selection and of a change.
  if (side === 'right') return { x: x + size + 20, y: y + size };
  if (side === 'above') return { x: x - size - 12, y: y - size - 12 };
  return { x: x - size - 12, y: y + size + (side === 'below' ? 12 : 0) };
}

/** Draws the marks. Without a link, or if the changes could not be read again, they are grey with `?`. */
export function temporary({ ctx, element, palette, scale, view }: Sheet): void {
  (element.temporary ?? []).filter(({ isDrawn }) => isDrawn).forEach((mark, index) => {
    const place = markPlace(element, mark);
    const half = atLeast(8, scale, 7);
    const [x, y] = [place.x, place.y + index * half * 2.6];
    ctx.fillStyle = palette.ground;
    ctx.fillRect(x - half * 1.4, y - half * 1.1, half * 2.8, half * 2.2);
    const isLive = view.linkUp && !mark.isOld;
    ctx.strokeStyle = !isLive ? palette.stale : mark.kind === 'portableEarth' ? palette.earthed : palette.warn;
    ctx.lineWidth = Math.max(1.8, half / 5);
    ctx.setLineDash([]);
    ctx.beginPath();
    for (const line of LINES[mark.kind]) line.forEach(([dx, dy], at) => (at === 0 ? ctx.moveTo(x + dx * half, y + dy * half) : ctx.lineTo(x + dx * half, y + dy * half)));
    ctx.stroke();
    ctx.font = `700 ${atLeast(11, scale)}px ${palette.font}`;
    const isRight = mark.side === 'right';
    ctx.textAlign = isRight ? 'left' : 'right';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = isLive ? palette.text1 : palette.stale;
    ctx.fillText(isLive ? String(mark.id) : `? ${mark.id}`, x + (isRight ? half : -half) * 1.6, y);
  });
}
