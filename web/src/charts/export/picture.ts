// An exported figure of a chart with all context: title, subtitle, time zone, time span and legend. Dark on white.
import uPlot from 'uplot';
import { aligned, hasEnvelope } from '../aligned';
import type { Figure, Key, Size } from '../ink';
import { isColumns, isEmpty, labelOf, type ChartData, type Look } from '../model';
import { colourOf, optionsOf } from '../options';
import { faint, PRINT } from '../palette';
import type { Range } from '../range';
import { made } from '../useChart';
import { RecordedPath, Recorder } from './recorder';

interface About {
  readonly title: string;
  /** The asset, the unit, and the length of a bucket. */
  readonly subtitle: string;
  readonly zone: string;
  /** The time span as text. */
  readonly span: string;
  /** Where and when the file was created. */
  readonly foot: string;
  /** The message of an empty chart. */
  readonly empty: string;
}

/** Values over time, drawn by uPlot. */
export interface OverTime extends About {
  readonly data: ChartData;
  readonly look: Look;
  readonly range: Range;
}

/** A figure that draws itself. */
export interface OfFigure extends About {
  readonly figure: Figure;
}

export type Subject = OverTime | OfFigure;

export type Measure = (text: string, size: number, isBold: boolean) => number;

export const SIZE = { width: 1_200, height: 600 } as const;
const MARGIN = 28;
const TOP = 72;
const BOTTOM = 56;
/** Room for the text at the right of the foot, px. */
const FOOT_ROOM = 240;
const FONT = 'Inter, Arial, sans-serif';

/** Draws the subject into a recorder. It needs a document, but paints nothing in it. */
export function recorded(subject: Subject, measure: Measure): Recorder {
  const { title, subtitle, span, foot, empty } = subject;
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
  const size = { width: SIZE.width - 2 * MARGIN + 16, height: SIZE.height - TOP - BOTTOM };
  if (isNothing(subject)) text(page, empty, MARGIN, TOP + 40, 14, false, PRINT.quiet);
  else if ('figure' in subject) within(page, () => subject.figure.draw(page, { ...size, palette: PRINT, font: FONT, at: null }));
  else plotted(page, subject, size);
  legend(page, 'figure' in subject ? subject.figure.keys(PRINT) : keysOf(subject), measure);
  return page;
}

function isNothing(subject: Subject): boolean {
  return 'figure' in subject ? subject.figure.isEmpty : isEmpty(subject.data);
}

function keysOf({ data, look }: OverTime): Key[] {
  return data.columns.map((column, index) => ({
    label: labelOf(column, look),
    colour: colourOf(column, index, look, PRINT),
    mark: isColumns(column, look) ? 'column' : look.styles[column.code]?.dash ? 'dashed' : 'line',
  }));
}

/** Draws as many entries of the legend as there is room for at the left of the foot. */
function legend(page: Recorder, keys: readonly Key[], measure: Measure): void {
  const y = SIZE.height - 26;
  let x = MARGIN;
  for (const { label, colour, mark } of keys) {
    const width = 28 + measure(label, 12, false) + 24;
    if (x + width > SIZE.width - MARGIN - FOOT_ROOM) return;
    page.strokeStyle = colour;
    page.lineWidth = 2.5;
    page.setLineDash(mark === 'dashed' ? [2, 3] : []);
    page.fillStyle = mark === 'band' ? faint(colour, 0.3) : colour;
    page.beginPath();
    if (mark === 'point') page.arc(x + 10, y, 4, 0, 2 * Math.PI);
    else if (mark === 'column' || mark === 'band') page.rect(x + 4, y - 5, 12, 10);
    else {
      page.moveTo(x, y);
      page.lineTo(x + 20, y);
    }
    if (mark === 'line' || mark === 'dashed') page.stroke();
    else page.fill();
    text(page, label, x + 28, SIZE.height - 22, 12, false, PRINT.text);
    x += width;
  }
}

function text(page: Recorder, words: string, x: number, y: number, size: number, isBold: boolean, colour: string): void {
  page.font = `${isBold ? '600 ' : ''}${size}px ${FONT}`;
  page.fillStyle = colour;
  page.textBaseline = 'alphabetic';
  page.fillText(words, x, y);
}

/**
 * Draws the chart with the code of the screen. uPlot gets this recorder as the context of its canvas. Building and drawing are one
 * synchronous step, so no other chart can get it.
 */
function plotted(page: Recorder, { data, look, zone, range }: OverTime, { width, height }: Size): void {
  const build = {
    columns: data.columns,
    envelope: hasEnvelope(data),
    look,
    zone,
    palette: PRINT,
    font: FONT,
    bucketMs: data.bucketMs,
    qualities: () => data.columns.map(({ quality }) => quality),
  };
  const canvas = HTMLCanvasElement.prototype;
  const before = { getContext: canvas.getContext, Path2D: globalThis.Path2D };
  within(page, () => {
    page.scale(1 / uPlot.pxRatio, 1 / uPlot.pxRatio);
    try {
      canvas.getContext = (() => page) as unknown as typeof canvas.getContext;
      globalThis.Path2D = RecordedPath as unknown as typeof Path2D;
      const options = { ...optionsOf(build), cursor: { show: false }, width, height };
      made(options, aligned(data, look), range, document.createElement('div')).destroy();
    } finally {
      canvas.getContext = before.getContext;
      globalThis.Path2D = before.Path2D;
    }
  });
}

/** Draws inside the chart's part of the page. */
function within(page: Recorder, draw: () => void): void {
  page.save();
  try {
    page.translate(MARGIN - 8, TOP);
    draw();
  } finally {
    page.restore();
  }
}
