// A recorded figure as a PDF of one page, with vector lines and text (ISO 32000-1). If a character is missing in the standard fonts, the
// page contains a JPEG image instead.
import { widthOf } from './helvetica';
import type { RecordedPath, Recorder, Text } from './recorder';
import { FOOT } from './svg';

/** A4 landscape and its margin, in points. */
const PAGE = { width: 842, height: 595, margin: 36 };

/** Character codes of WinAnsiEncoding (ISO 32000-1, annex D.2) outside of Latin-1 that charts use, and a replacement for the minus sign. */
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

/** The text in the encoding of the fonts; null if a character is missing there. */
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

/** Whether the fonts have all characters of the figure. */
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

/** The drawing operators of the page. */
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
  // The y axis of the page points up, so the text is mirrored back.
  const place = `1 0 0 -1 ${short(x - width)} ${short(y + size * FOOT[baseline])} Tm`;
  return `BT\n${rgb(colour)} rg\n/${isBold ? 'B' : 'F'} ${short(size)} Tf\n${place}\n${hexOf(encoded(text) ?? [])} Tj\nET`;
}

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Response(bytes).body?.pipeThrough(new CompressionStream('deflate'))).arrayBuffer());
}

type Part = string | Uint8Array<ArrayBuffer>;

/** Writes the numbered objects and their cross-reference table. */
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

/** A text string outside of the page content: UTF-16 with a byte order mark, so that all characters are possible. */
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

/** The scale of the figure on the page, and the position of its top left corner. */
function fitted({ width, height }: Pick<Picture, 'width' | 'height'>): { by: number; left: number; top: number } {
  const by = Math.min((PAGE.width - 2 * PAGE.margin) / width, (PAGE.height - 2 * PAGE.margin) / height);
  return { by, left: (PAGE.width - width * by) / 2, top: PAGE.height - PAGE.margin };
}

/** Writes the figure with vector lines and text. */
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

/** Writes the figure as a JPEG image with the dimensions `pixels`. */
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
