// Paints a recorded figure on a real canvas with the fonts of the page.
import type { Mark, RecordedPath, Recorder } from './recorder';

function outline(path: RecordedPath): Path2D {
  const made = new Path2D();
  let at = 0;
  const next = () => path.points[at++] ?? 0;
  for (const op of path.ops) {
    if (op === 'M') made.moveTo(next(), next());
    else if (op === 'L') made.lineTo(next(), next());
    else if (op === 'C') made.bezierCurveTo(next(), next(), next(), next(), next(), next());
    else made.closePath();
  }
  return made;
}

/** Draws every mark, enlarged by `scale`. */
export function paint({ marks, clips }: Recorder, context: CanvasRenderingContext2D, scale: number, font: string): void {
  const regions = clips.map(({ path, parent }) => ({ path: outline(path), parent }));
  const within = (index: number): void => {
    const region = regions[index];
    if (!region) return;
    within(region.parent);
    context.clip(region.path);
  };
  context.setTransform(scale, 0, 0, scale, 0, 0);
  for (const mark of marks) {
    context.save();
    within(mark.clip);
    context.globalAlpha = mark.alpha;
    context.fillStyle = mark.colour;
    context.strokeStyle = mark.colour;
    draw(mark, context, font);
    context.restore();
  }
}

function draw(mark: Mark, context: CanvasRenderingContext2D, font: string): void {
  if (mark.kind === 'text') {
    context.font = `${mark.isBold ? '600 ' : ''}${mark.size}px ${font}`;
    context.textAlign = mark.align;
    context.textBaseline = mark.baseline;
    context.fillText(mark.text, mark.x, mark.y);
  } else if (mark.kind === 'fill') context.fill(outline(mark.path));
  else {
    context.lineWidth = mark.width;
    context.lineJoin = 'round';
    context.setLineDash([...mark.dash]);
    context.stroke(outline(mark.path));
  }
}
