// A 2D context that records drawing instead of painting it, so that a chart can be written as SVG and PDF. It has the methods that charts
// use.

export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** A path of operators and their numbers: `M` and `L` have one point, `C` three, `Z` none. */
export class RecordedPath {
  readonly ops: string[] = [];
  readonly points: number[] = [];

  constructor(from?: RecordedPath) {
    if (!from) return;
    for (const op of from.ops) this.ops.push(op);
    for (const value of from.points) this.points.push(value);
  }

  private add(op: string, ...values: number[]): void {
    // A canvas also ignores values that are not finite.
    if (!values.every(Number.isFinite)) return;
    this.ops.push(this.ops.length === 0 && op === 'L' ? 'M' : op);
    this.points.push(...values);
  }

  moveTo(x: number, y: number): void {
    this.add('M', x, y);
  }

  lineTo(x: number, y: number): void {
    this.add('L', x, y);
  }

  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    if (this.ops.length === 0) this.moveTo(x1, y1);
    this.add('C', x1, y1, x2, y2, x, y);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.moveTo(x, y);
    this.lineTo(x + width, y);
    this.lineTo(x + width, y + height);
    this.lineTo(x, y + height);
    this.closePath();
  }

  /** Adds curves of at most a quarter turn. Their error is below a thousandth of the radius. */
  arc(x: number, y: number, radius: number, start: number, end: number): void {
    const pieces = Math.max(1, Math.ceil(Math.abs(end - start) / (Math.PI / 2)));
    const turn = (end - start) / pieces;
    const reach = (4 / 3) * Math.tan(turn / 4) * radius;
    this.lineTo(x + radius * Math.cos(start), y + radius * Math.sin(start));
    for (let piece = 0; piece < pieces; piece += 1) {
      const [from, to] = [start + piece * turn, start + (piece + 1) * turn];
      const [x1, y1, x2, y2] = [
        x + radius * Math.cos(from),
        y + radius * Math.sin(from),
        x + radius * Math.cos(to),
        y + radius * Math.sin(to),
      ];
      this.bezierCurveTo(
        x1 - reach * Math.sin(from),
        y1 + reach * Math.cos(from),
        x2 + reach * Math.sin(to),
        y2 - reach * Math.cos(to),
        x2,
        y2,
      );
    }
  }

  closePath(): void {
    if (this.ops.length > 0) this.ops.push('Z');
  }

  mapped([a, b, c, d, e, f]: Matrix): RecordedPath {
    const path = new RecordedPath();
    for (const op of this.ops) path.ops.push(op);
    for (let at = 0; at < this.points.length; at += 2) {
      const [x, y] = [this.points[at] ?? 0, this.points[at + 1] ?? 0];
      path.points.push(a * x + c * y + e, b * x + d * y + f);
    }
    return path;
  }
}

interface Common {
  /** `#rrggbb`; the opacity is in `alpha`. */
  readonly colour: string;
  readonly alpha: number;
  /** Index in `clips`; -1 for none. */
  readonly clip: number;
}

export interface Shape extends Common {
  readonly kind: 'fill' | 'stroke';
  readonly path: RecordedPath;
  readonly width: number;
  readonly dash: readonly number[];
}

export interface Text extends Common {
  readonly kind: 'text';
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly isBold: boolean;
  readonly align: 'left' | 'center' | 'right';
  readonly baseline: 'top' | 'middle' | 'bottom' | 'alphabetic';
}

export type Mark = Shape | Text;

/** A clip region, inside of its parent region. */
export interface Clip {
  readonly path: RecordedPath;
  readonly parent: number;
}

interface State {
  matrix: Matrix;
  clip: number;
  strokeStyle: string;
  fillStyle: string;
  lineWidth: number;
  dash: readonly number[];
  globalAlpha: number;
  font: string;
  textAlign: string;
  textBaseline: string;
}

/** Parses `#rgb`, `#rrggbb` or `#rrggbbaa`. Charts use no other forms; anything else is black. */
function colourOf(text: string): { colour: string; alpha: number } {
  const long = /^#[\da-f]{3}$/i.test(text) ? `#${[...text.slice(1)].map((digit) => digit + digit).join('')}` : text;
  const match = /^(#[\da-f]{6})([\da-f]{2})?$/i.exec(long);
  return { colour: match?.[1] ?? '#000000', alpha: match?.[2] === undefined ? 1 : parseInt(match[2], 16) / 255 };
}

export class Recorder {
  readonly marks: Mark[] = [];
  readonly clips: Clip[] = [];
  private path = new RecordedPath();
  private held: State[] = [];
  private state: State = {
    matrix: [1, 0, 0, 1, 0, 0],
    clip: -1,
    strokeStyle: '#000000',
    fillStyle: '#000000',
    lineWidth: 1,
    dash: [],
    globalAlpha: 1,
    font: '10px sans-serif',
    textAlign: 'left',
    textBaseline: 'alphabetic',
  };
  lineJoin = 'miter';
  lineCap = 'butt';

  /** `measure` returns the width of a text, px. */
  constructor(private readonly measure: (text: string, size: number, isBold: boolean) => number) {}

  set strokeStyle(value: string) {
    this.state.strokeStyle = value;
  }
  set fillStyle(value: string) {
    this.state.fillStyle = value;
  }
  set lineWidth(value: number) {
    this.state.lineWidth = value;
  }
  set globalAlpha(value: number) {
    this.state.globalAlpha = value;
  }
  set font(value: string) {
    this.state.font = value;
  }
  set textAlign(value: string) {
    this.state.textAlign = value;
  }
  set textBaseline(value: string) {
    this.state.textBaseline = value;
  }
  setLineDash(value: readonly number[]): void {
    this.state.dash = [...value];
  }

  save(): void {
    this.held.push({ ...this.state });
  }

  restore(): void {
    this.state = this.held.pop() ?? this.state;
  }

  translate(x: number, y: number): void {
    const [a, b, c, d, e, f] = this.state.matrix;
    this.state.matrix = [a, b, c, d, e + a * x + c * y, f + b * x + d * y];
  }

  scale(x: number, y: number): void {
    const [a, b, c, d, e, f] = this.state.matrix;
    this.state.matrix = [a * x, b * x, c * y, d * y, e, f];
  }

  beginPath(): void {
    this.path = new RecordedPath();
  }
  moveTo(x: number, y: number): void {
    this.path.moveTo(x, y);
  }
  lineTo(x: number, y: number): void {
    this.path.lineTo(x, y);
  }
  rect(x: number, y: number, width: number, height: number): void {
    this.path.rect(x, y, width, height);
  }
  arc(x: number, y: number, radius: number, start: number, end: number): void {
    this.path.arc(x, y, radius, start, end);
  }
  closePath(): void {
    this.path.closePath();
  }
  /** Does nothing, because nothing has been painted. */
  clearRect(): void {}

  stroke(path: RecordedPath = this.path): void {
    this.draw('stroke', path, this.state.strokeStyle);
  }
  fill(path: RecordedPath = this.path): void {
    this.draw('fill', path, this.state.fillStyle);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const path = new RecordedPath();
    path.rect(x, y, width, height);
    this.fill(path);
  }

  clip(path: RecordedPath = this.path): void {
    this.clips.push({ path: path.mapped(this.state.matrix), parent: this.state.clip });
    this.state.clip = this.clips.length - 1;
  }

  fillText(text: string, x: number, y: number): void {
    const { matrix, clip, globalAlpha, fillStyle, textAlign, textBaseline } = this.state;
    const [a, b, c, d, e, f] = matrix;
    const { colour, alpha } = colourOf(fillStyle);
    const { size, isBold } = this.fontOf();
    const align = textAlign === 'center' ? 'center' : textAlign === 'right' || textAlign === 'end' ? 'right' : 'left';
    const baseline = textBaseline === 'top' || textBaseline === 'middle' || textBaseline === 'bottom' ? textBaseline : 'alphabetic';
    this.marks.push({
      kind: 'text',
      text: String(text),
      x: a * x + c * y + e,
      y: b * x + d * y + f,
      size: size * Math.hypot(a, b),
      isBold,
      align,
      baseline,
      colour,
      alpha: alpha * globalAlpha,
      clip,
    });
  }

  measureText(text: string): { width: number } {
    const { size, isBold } = this.fontOf();
    return { width: this.measure(text, size, isBold) };
  }

  private fontOf(): { size: number; isBold: boolean } {
    const { font } = this.state;
    return { size: Number(/([\d.]+)px/.exec(font)?.[1] ?? 10), isBold: /\b(bold|[6-9]00)\b/.test(font) };
  }

  private draw(kind: 'fill' | 'stroke', path: RecordedPath, style: string): void {
    if (path.ops.length === 0) return;
    const { matrix, clip, globalAlpha, lineWidth, dash } = this.state;
    const by = Math.hypot(matrix[0], matrix[1]);
    const { colour, alpha } = colourOf(style);
    this.marks.push({
      kind,
      path: path.mapped(matrix),
      colour,
      alpha: alpha * globalAlpha,
      clip,
      width: lineWidth * by,
      dash: dash.map((length) => length * by),
    });
  }
}
