// The files that a chart can be saved as. Loaded when the first of them is asked for.
import { csv } from '../../ui/csv';
import { allRows, type Table } from '../table';
import { canWrite, pdfOf, pdfOfJpeg } from './pdf';
import { recorded, SIZE, type Measure, type Subject } from './picture';
import { svgOf } from './svg';
import { xlsx } from './xlsx';

/** Pictures have twice the pixels of their size. */
const SCALE = 2;

function context(): CanvasRenderingContext2D {
  const made = document.createElement('canvas').getContext('2d');
  if (!made) throw new Error('this browser has no canvas');
  return made;
}

/** How wide a text is in Helvetica, or the letters of its measures that every system has. */
function measuring(): Measure {
  const own = context();
  return (text, size, isBold) => {
    own.font = `${isBold ? 'bold ' : ''}${size}px Helvetica, Arial, 'Liberation Sans', sans-serif`;
    return own.measureText(text).width;
  };
}

function markup(subject: Subject): string {
  return svgOf(recorded(subject, measuring()), SIZE.width, SIZE.height, subject.title);
}

async function raster(subject: Subject, type: 'image/png' | 'image/jpeg'): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([markup(subject)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const own = context();
    Object.assign(own.canvas, { width: SIZE.width * SCALE, height: SIZE.height * SCALE });
    own.drawImage(image, 0, 0, own.canvas.width, own.canvas.height);
    return await new Promise((done, failed) => own.canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('the picture could not be made'))), type, 0.92));
  } finally {
    URL.revokeObjectURL(url);
  }
}

export const files = {
  svg: (subject: Subject) => Promise.resolve(new Blob([markup(subject)], { type: 'image/svg+xml' })),
  png: (subject: Subject) => raster(subject, 'image/png'),
  jpg: (subject: Subject) => raster(subject, 'image/jpeg'),
  pdf: async (subject: Subject) => {
    const measure = measuring();
    const recorder = recorded(subject, measure);
    const picture = { ...SIZE, recorder, title: subject.title };
    if (canWrite(recorder)) return pdfOf(picture, measure);
    const jpeg = new Uint8Array(await (await raster(subject, 'image/jpeg')).arrayBuffer());
    return pdfOfJpeg(picture, jpeg, { width: SIZE.width * SCALE, height: SIZE.height * SCALE });
  },
  csv: (_: Subject, table: Table) => Promise.resolve(new Blob([csv(table.head, allRows(table))], { type: 'text/csv' })),
  xlsx: (subject: Subject, table: Table) => xlsx(subject.title, table.head, allRows(table)),
} satisfies Record<string, (subject: Subject, table: Table) => Promise<Blob>>;
