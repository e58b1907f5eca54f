// The file formats of a chart. Loaded at the first export.
import { csv } from '../../ui/csv';
import { allRows, type Table } from '../table';
import { widthOf } from './helvetica';
import { paint } from './paint';
import { canWrite, pdfOf, pdfOfJpeg } from './pdf';
import { recorded, SIZE, type Measure, type Subject } from './picture';
import { svgOf } from './svg';
import { xls } from './xls';
import { xlsx } from '../../ui/xlsx';
import { t } from '../../words';

/** Image files have this many pixels for each CSS pixel. */
const SCALE = 2;

function context(): CanvasRenderingContext2D {
  const made = document.createElement('canvas').getContext('2d');
  if (!made) throw new Error(t('charts.pictureFailed'));
  return made;
}

/** Returns a function that measures the width of a text in a font of the page. */
function measuring(font: string): Measure {
  const own = context();
  return (text, size, isBold) => {
    own.font = `${isBold ? 'bold ' : ''}${size}px ${font}`;
    return own.measureText(text).width;
  };
}

function raster(subject: Subject, type: 'image/png' | 'image/jpeg'): Promise<Blob> {
  const own = context();
  Object.assign(own.canvas, { width: SIZE.width * SCALE, height: SIZE.height * SCALE });
  const font = getComputedStyle(document.body).fontFamily || 'sans-serif';
  paint(recorded(subject, measuring(font)), own, SCALE, font);
  return new Promise((done, failed) =>
    own.canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error(t('charts.pictureFailed')))), type, 0.92),
  );
}

export const files = {
  svg: (subject: Subject) =>
    Promise.resolve(new Blob([svgOf(recorded(subject, widthOf), SIZE.width, SIZE.height, subject.title)], { type: 'image/svg+xml' })),
  png: (subject: Subject) => raster(subject, 'image/png'),
  jpg: (subject: Subject) => raster(subject, 'image/jpeg'),
  pdf: async (subject: Subject) => {
    const recorder = recorded(subject, widthOf);
    const picture = { ...SIZE, recorder, title: subject.title };
    if (canWrite(recorder)) return pdfOf(picture);
    const jpeg = new Uint8Array(await (await raster(subject, 'image/jpeg')).arrayBuffer());
    return pdfOfJpeg(picture, jpeg, { width: SIZE.width * SCALE, height: SIZE.height * SCALE });
  },
  csv: (_: Subject, table: Table) => Promise.resolve(new Blob([csv(table.head, allRows(table))], { type: 'text/csv' })),
  xls: (_: Subject, table: Table) => Promise.resolve(xls(table.head, allRows(table))),
  xlsx: (subject: Subject, table: Table) => xlsx(subject.title, table.head, allRows(table)),
} satisfies Record<string, (subject: Subject, table: Table) => Promise<Blob>>;
