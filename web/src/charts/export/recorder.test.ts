// Tests that drawing is recorded with position, colour and clip, and that the SVG can be parsed.
// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { RecordedPath, Recorder, type Shape } from './recorder';
import { svgOf } from './svg';

const recorder = () => new Recorder((text, size) => text.length * size * 0.5);
const parsed = (text: string) => new DOMParser().parseFromString(text, 'image/svg+xml');

test('places are where the transformations put them', () => {
  const page = recorder();
  page.save();
  page.translate(100, 50);
  page.scale(0.5, 0.5);
  page.lineWidth = 3;
  page.setLineDash([10, 8]);
  page.beginPath();
  page.moveTo(0, 0);
  page.lineTo(20, 40);
  page.stroke();
  page.restore();
  page.fillRect(1, 2, 3, 4);
  const [line, box] = page.marks as Shape[];
  expect(line?.path.points).toEqual([100, 50, 110, 70]);
  expect([line?.width, line?.dash]).toEqual([1.5, [5, 4]]);
  expect(box?.path.points).toEqual([1, 2, 4, 2, 4, 6, 1, 6]);
  expect(box?.path.ops.join('')).toBe('MLLLZ');
});

test('what is no number is not drawn, and a path begins with a move', () => {
  const path = new RecordedPath();
  path.lineTo(1, 2);
  path.lineTo(NaN, 3);
  path.lineTo(4, Infinity);
  path.lineTo(5, 6);
  expect([path.ops.join(''), path.points]).toEqual(['ML', [1, 2, 5, 6]]);
});

test('a circle stays on its radius', () => {
  const path = new RecordedPath();
  path.arc(0, 0, 10, 0, 2 * Math.PI);
  expect(path.ops.join('')).toBe('MCCCC');
  // The middle of each curve has the largest error.
  let [x0, y0] = [path.points[0] ?? 0, path.points[1] ?? 0];
  for (let at = 2; at < path.points.length; at += 6) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0] = path.points.slice(at, at + 6);
    const middle = [(x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8] as const;
    expect(Math.abs(Math.hypot(...middle) - 10)).toBeLessThan(0.01);
    [x0, y0] = [x3, y3];
  }
});

test('colours with an alpha are a colour and an alpha', () => {
  const page = recorder();
  for (const [style, alpha] of [
    ['#da532c', 1],
    ['#da532c33', 0.2],
    ['#fff', 1],
  ] as const) {
    page.fillStyle = style;
    page.fillRect(0, 0, 1, 1);
    expect(page.marks.at(-1)?.alpha).toBeCloseTo(alpha, 2);
  }
  expect(page.marks.map(({ colour }) => colour)).toEqual(['#da532c', '#da532c', '#ffffff']);
});

test('a clip holds within the one around it, until it is restored', () => {
  const page = recorder();
  const box = (size: number) => {
    const path = new RecordedPath();
    path.rect(0, 0, size, size);
    return path;
  };
  page.save();
  page.clip(box(10));
  page.clip(box(5));
  page.fillRect(0, 0, 1, 1);
  page.restore();
  page.fillRect(0, 0, 1, 1);
  expect(page.marks.map(({ clip }) => clip)).toEqual([1, -1]);
  expect(page.clips.map(({ parent }) => parent)).toEqual([-1, 0]);
  const svg = parsed(svgOf(page, 10, 10, 'clips'));
  expect(svg.querySelector('#c1')?.getAttribute('clip-path')).toBe('url(#c0)');
  expect(svg.querySelectorAll('g[clip-path="url(#c1)"] path')).toHaveLength(1);
});

test('names are text in the SVG, whatever they hold', () => {
  const page = recorder();
  page.font = '600 12px Inter';
  page.textAlign = 'right';
  page.fillText('<b>"Coast" & Sons</b>\u0000', 10, 20);
  const svg = parsed(svgOf(page, 100, 50, '<title> & more'));
  expect(svg.querySelector('parsererror')).toBeNull();
  const text = svg.querySelector('text');
  expect([
    text?.textContent,
    text?.getAttribute('text-anchor'),
    text?.getAttribute('font-weight'),
    text?.getAttribute('font-size'),
  ]).toEqual(['<b>"Coast" & Sons</b>', 'end', '600', '12']);
  expect(svg.querySelector('title')?.textContent).toBe('<title> & more');
});
