// A recorded picture as a PDF of one page, lines as lines and words as words (ISO 32000-1). With letters that its standard fonts have not,
// it holds the picture.
import { widthOf } from './helvetica';
import type { RecordedPath, Recorder, Text } from './recorder';
import { FOOT } from './svg';

/** A4 across, in points, and its margin. */
const PAGE = { width: 842, height: 595, margin: 36 };

/** Letters of WinAnsiEncoding (ISO 32000-1, annex D.2) outside of Latin-1 that charts write, and what stands for a minus sign. */
const WINANSI: Readonly<Record<string, number>> = {
  '€': 0x80,
  '…': 0x85,
  '‘': 0x91,
  '’': 0x92,
  '“': 0x93,
  '”': 0x94,
  '•': 0x95,
  '–': 0x96,
  '—': 0x97,
  '−': 0x96,
  '\u2009': 0x20,
  '\u202f': 0x20,
};

/** The text in the fonts' encoding; null when a letter is missing there. */
export function encoded(text: string): number[] | null {
  const bytes: number[] = [];
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    const byte = WINANSI[letter] ?? ((code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff) ? code : null);
    if (byte === null) return null;
    bytes.push(byte);
  }
  return bytes;
}

/** Whether every word of the picture can be written. */
export function canWrite({ marks }: Recorder): boolean {
  return marks.every((mark) => mark.kind !== 'text' || encoded(mark.text) !== null);
}

const short = (value: number) => String(Math.round(value * 1_000) / 1_000);
const hexOf = (bytes: readonly number[]) => `<${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}>`;
const rgb = (colour: string) => [1, 3, 5].map((at) => short(parseInt(colour.slice(at, at + 2), 16) / 255)).join(' ');

function outline(path: RecordedPath): string {
  let at = 0;
  return path.ops
    .map((op) => {
      if (op === 'Z') return 'h';
      const count = op === 'C' ? 6 : 2;
      const values = path.points.slice(at, at + count);
      at += count;
      return `${values.map(short).join(' ')} ${op === 'M' ? 'm' : op === 'L' ? 'l' : 'c'}`;
    })
    .join('\n');
}

/** The operators of the page. */
function content({ marks, clips }: Recorder, alphas: Map<string, string>): string {
  const chain = (index: number): string => {
    const clip = clips[index];
    return clip ? `${chain(clip.parent)}${outline(clip.path)}\nW n\n` : '';
  };
  const alphaOf = (value: number) => {
    const key = short(value);
    if (!alphas.has(key)) alphas.set(key, `A${alphas.size}`);
    return `/${alphas.get(key)} gs`;
  };
  return marks
    .map((mark) => {
      const before = `q\n${chain(mark.clip)}${alphaOf(mark.alpha)}\n`;
      if (mark.kind === 'text') return `${before}${words(mark)}\nQ`;
      if (mark.kind === 'fill') return `${before}${rgb(mark.colour)} rg\n${outline(mark.path)}\nf\nQ`;
      const dash = `[${mark.dash.map(short).join(' ')}] 0 d`;
      return `${before}${rgb(mark.colour)} RG\n${short(mark.width)} w 1 j\n${dash}\n${outline(mark.path)}\nS\nQ`;
    })
    .join('\n');
}

function words({ text, x, y, size, isBold, align, baseline, colour }: Text): string {
  const width = align === 'left' ? 0 : widthOf(text, size, isBold) / (align === 'center' ? 2 : 1);
  // The page is upside down to the picture, so the letters are turned back.
  const place = `1 0 0 -1 ${short(x - width)} ${short(y + size * FOOT[baseline])} Tm`;
  return `BT\n${rgb(colour)} rg\n/${isBold ? 'B' : 'F'} ${short(size)} Tf\n${place}\n${hexOf(encoded(text) ?? [])} Tj\nET`;
}

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Response(bytes).body?.pipeThrough(new CompressionStream('deflate'))).arrayBuffer());
}

type Part = string | Uint8Array<ArrayBuffer>;

/** A file of numbered objects with their table of places. */
function file(objects: readonly (readonly Part[])[]): Blob {
  const coder = new TextEncoder();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const add = (part: Part) => {
    const bytes = typeof part === 'string' ? coder.encode(part) : part;
    chunks.push(bytes);
    length += bytes.length;
  };
  add('%PDF-1.4\n');
  const places = objects.map((object, index) => {
    const at = length;
    for (const part of [`${index + 1} 0 obj\n`, ...object, '\nendobj\n']) add(part);
    return at;
  });
  const table = length;
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')}`);
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 3 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return new Blob(chunks, { type: 'application/pdf' });
}

/** Text strings of the document itself may have any letter: UTF-16 with its mark. */
function title(text: string): string {
  const units = [0xfeff, ...Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))];
  return hexOf(units.flatMap((unit) => [unit >> 8, unit & 0xff]));
}

interface Picture {
  readonly recorder: Recorder;
  readonly width: number;
  readonly height: number;
  readonly title: string;
}

const head = (resources: string, name: string): string[][] => [
  ['<< /Type /Catalog /Pages 2 0 R >>'],
  ['<< /Type /Pages /Kids [4 0 R] /Count 1 >>'],
  [`<< /Title ${title(name)} /Producer (Switchyard) >>`],
  [`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Contents 5 0 R /Resources << ${resources} >> >>`],
];

/** The picture's size on the page and the page's matrix for it. */
function fitted({ width, height }: Pick<Picture, 'width' | 'height'>): { by: number; left: number; top: number } {
  const by = Math.min((PAGE.width - 2 * PAGE.margin) / width, (PAGE.height - 2 * PAGE.margin) / height);
  return { by, left: (PAGE.width - width * by) / 2, top: PAGE.height - PAGE.margin };
}

/** The picture drawn with the page's own lines and words. */
export async function pdfOf(picture: Picture): Promise<Blob> {
  const alphas = new Map<string, string>();
  const { by, left, top } = fitted(picture);
  const page = `${short(by)} 0 0 ${short(-by)} ${short(left)} ${short(top)} cm\n${content(picture.recorder, alphas)}`;
  const stream = await deflated(new TextEncoder().encode(page));
  const states = [...alphas].map(([value, name]) => `/${name} << /ca ${value} /CA ${value} >>`).join(' ');
  const font = (name: string, face: string) => `/${name} << /Type /Font /Subtype /Type1 /BaseFont /${face} /Encoding /WinAnsiEncoding >>`;
  const resources = `/Font << ${font('F', 'Helvetica')} ${font('B', 'Helvetica-Bold')} >> /ExtGState << ${states} >>`;
  return file([
    ...head(resources, picture.title),
    [`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`, stream, '\nendstream'],
  ]);
}

/** The picture as a JPEG on the page, `pixels` wide and high. */
export function pdfOfJpeg(
  picture: Omit<Picture, 'recorder'>,
  jpeg: Uint8Array<ArrayBuffer>,
  pixels: { width: number; height: number },
): Blob {
  const { by, left, top } = fitted(picture);
  const [wide, high] = [picture.width * by, picture.height * by];
  const page = `q\n${short(wide)} 0 0 ${short(high)} ${short(left)} ${short(top - high)} cm\n/P Do\nQ`;
  const size = `/Width ${pixels.width} /Height ${pixels.height} /ColorSpace /DeviceRGB /BitsPerComponent 8`;
  return file([
    ...head('/XObject << /P 6 0 R >>', picture.title),
    [`<< /Length ${page.length} >>\nstream\n${page}\nendstream`],
    [`<< /Type /XObject /Subtype /Image ${size} /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n`, jpeg, '\nendstream'],
  ]);
}
