// One picture of a chart with everything that it needs to be understood elsewhere: title, what it shows, zone, span, legend. Dark on white.
import uPlot from 'uplot';
import { aligned, hasEnvelope } from '../aligned';
import { labelOf, type ChartData, type Look } from '../model';
import { colourOf, optionsOf } from '../options';
import { PRINT } from '../palette';
import type { Range } from '../range';
import { made } from '../useChart';
import { RecordedPath, Recorder } from './recorder';

export interface Subject {
  readonly title: string;
  /** What it is of: the asset, the unit, the length of a bucket. */
  readonly subtitle: string;
  readonly data: ChartData;
  readonly look: Look;
  readonly range: Range;
  readonly zone: string;
  /** The span in words. */
  readonly span: string;
  /** Where and when the picture was made. */
  readonly foot: string;
  /** What stands where there is nothing to show. */
  readonly empty: string;
}

export type Measure = (text: string, size: number, isBold: boolean) => number;

export const SIZE = { width: 1_200, height: 600 } as const;
const MARGIN = 28;
const TOP = 72;
const BOTTOM = 56;
const FONT = 'Inter, Arial, sans-serif';

/** Draws the subject into a recorder; needs a document, and paints nothing. */
export function recorded(subject: Subject, measure: Measure): Recorder {
  const { title, subtitle, data, look, span, foot, empty } = subject;
  const page = new Recorder(measure);
  page.fillStyle = PRINT.ground;
  page.fillRect(0, 0, SIZE.width, SIZE.height);
  text(page, title, MARGIN, 34, 18, true, PRINT.text);
  text(page, subtitle, MARGIN, 56, 12, false, PRINT.quiet);
  page.textAlign = 'right';
  text(page, span, SIZE.width - MARGIN, 34, 12, false, PRINT.text);
  text(page, subject.zone, SIZE.width - MARGIN, 56, 12, false, PRINT.quiet);
  text(page, foot, SIZE.width - MARGIN, SIZE.height - 22, 11, false, PRINT.quiet);
  page.textAlign = 'left';
  if (data.columns.every(({ mean }) => mean.every((value) => value === null))) text(page, empty, MARGIN, TOP + 40, 14, false, PRINT.quiet);
  else plotted(page, subject);
  let x = MARGIN;
  data.columns.forEach((column, index) => {
    const label = labelOf(column, look);
    page.strokeStyle = colourOf(column, index, look, PRINT);
    page.lineWidth = 2.5;
    page.setLineDash(look.styles[column.code]?.dash ?? []);
    page.beginPath();
    page.moveTo(x, SIZE.height - 26);
    page.lineTo(x + 20, SIZE.height - 26);
    page.stroke();
    text(page, label, x + 28, SIZE.height - 22, 12, false, PRINT.text);
    x += 28 + measure(label, 12, false) + 24;
  });
  return page;
}

function text(page: Recorder, words: string, x: number, y: number, size: number, isBold: boolean, colour: string): void {
  page.font = `${isBold ? '600 ' : ''}${size}px ${FONT}`;
  page.fillStyle = colour;
  page.textBaseline = 'alphabetic';
  page.fillText(words, x, y);
}

/**
 * The chart itself, by the code that draws the screen: while it is built and drawn, which is one synchronous stretch, its canvas gives
 * this recorder.
 */
function plotted(page: Recorder, { data, look, zone, range }: Subject): void {
  const width = SIZE.width - 2 * MARGIN + 16;
  const height = SIZE.height - TOP - BOTTOM;
  const build = {
    columns: data.columns,
    envelope: hasEnvelope(data),
    look,
    zone,
    palette: PRINT,
    font: FONT,
    qualities: () => data.columns.map(({ quality }) => quality),
  };
  const canvas = HTMLCanvasElement.prototype;
  const before = { getContext: canvas.getContext, Path2D: globalThis.Path2D };
  page.save();
  page.translate(MARGIN - 8, TOP);
  page.scale(1 / uPlot.pxRatio, 1 / uPlot.pxRatio);
  try {
    canvas.getContext = (() => page) as unknown as typeof canvas.getContext;
    globalThis.Path2D = RecordedPath as unknown as typeof Path2D;
    made({ ...optionsOf(build), cursor: { show: false }, width, height }, aligned(data), range, document.createElement('div')).destroy();
  } finally {
    canvas.getContext = before.getContext;
    globalThis.Path2D = before.Path2D;
    page.restore();
  }
}
