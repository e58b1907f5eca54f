// Rows as an XLSX file with one sheet (ECMA-376): six small parts in a ZIP archive. Text is stored as text, never as a formula.
import { escaped } from './xml';

export type Cell = string | number | null;

/** A local time as a number of a workbook: days since 30 December 1899. */
export interface SheetTime {
  readonly serial: number;
}

export type SheetCell = Cell | SheetTime;

const DAY_MS = 86_400_000;
/** 1 January 1970 in a workbook. */
const EPOCH_DAYS = 25_569;

/** The local time of an instant for a cell. */
export function sheetTime(ms: number, zone: string): SheetTime {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(ms).replace(' ', 'T');
  return { serial: (Date.parse(`${local}Z`) + (((ms % 1_000) + 1_000) % 1_000)) / DAY_MS + EPOCH_DAYS };
}

/** The name of a column: A, B … Z, AA. */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;

/** The rows with instants (ISO 8601) as local times, which a workbook can sort and filter. */
export function withTimes(rows: readonly (readonly Cell[])[], zone: string): SheetCell[][] {
  return rows.map((cells) => cells.map((cell) => (typeof cell === 'string' && INSTANT.test(cell) ? sheetTime(Date.parse(cell), zone) : cell)));
}

/** Filters in the heading row. */
const filter = (columns: number, rows: number) => (columns > 0 && rows > 0 ? `<autoFilter ref="A1:${columnName(columns - 1)}${rows + 1}"/>` : '');

/** The style of times. */
const TIME_STYLE = 2;

function row(cells: readonly SheetCell[], at: number, style: number): string {
  const parts = cells.map((cell, index) => {
    if (cell !== null && typeof cell === 'object') return `<c r="${columnName(index)}${at}" s="${TIME_STYLE}"><v>${cell.serial}</v></c>`;
    if (cell === null || (typeof cell === 'number' && !Number.isFinite(cell))) return '';
    const place = `r="${columnName(index)}${at}"${style ? ` s="${style}"` : ''}`;
    return typeof cell === 'number'
      ? `<c ${place}><v>${cell}</v></c>`
      : `<c ${place} t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
  });
  return `<row r="${at}">${parts.join('')}</row>`;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const KIND = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** An element with its attributes and content. */
const xml = (tag: string, ...inside: readonly string[]) => `<${tag}>${inside.join('')}</${tag.split(' ')[0] ?? ''}>`;
const document = (tag: string, ...inside: readonly string[]) => `${XML}${xml(tag, ...inside)}`;
const link = (id: number, type: string, target: string) => `<Relationship Id="rId${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`;
const typed = (part: string, kind: string) => `<Override PartName="/xl/${part}.xml" ContentType="${KIND}.${kind}+xml"/>`;

const TYPES = [
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
  '<Default Extension="xml" ContentType="application/xml"/>',
  typed('workbook', 'sheet.main'),
  typed('worksheets/sheet1', 'worksheet'),
  typed('styles', 'styles'),
];

/** Cell styles: 0 is plain, 1 is bold, 2 is a time. */
const PLAIN = 'numFmtId="0" fillId="0" borderId="0"';
const STYLES = [
  '<numFmts count="1"><numFmt numFmtId="164" formatCode="dd mmm yyyy hh:mm:ss"/></numFmts>',
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>',
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
  `<cellStyleXfs count="1"><xf ${PLAIN} fontId="0"/></cellStyleXfs>`,
  `<cellXfs count="3"><xf ${PLAIN} fontId="0" xfId="0"/><xf ${PLAIN} fontId="1" xfId="0" applyFont="1"/><xf numFmtId="164" fillId="0" borderId="0" fontId="0" xfId="0" applyNumberFormat="1"/></cellXfs>`,
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
];

/** Freezes the heading row. */
const VIEW = '<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>';

/** The parts of the archive by name. The name of a sheet has at most 31 characters; some characters are not allowed. */
export function parts(name: string, head: readonly string[], rows: readonly (readonly SheetCell[])[]): ReadonlyMap<string, string> {
  const sheetName =
    name
      .replace(/[[\]:*?/\\]/g, ' ')
      .slice(0, 31)
      .trim() || 'Data';
  const columns = head.map((text, index) => {
    const width = Math.min(Math.max(text.length + 2, index === 0 ? 20 : 10), 40);
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  const sheet = `<sheet name="${escaped(sheetName)}" sheetId="1" r:id="rId1"/>`;
  const cells = [row(head, 1, 1), ...rows.map((own, index) => row(own, index + 2, 0))];
  const links = [link(1, 'worksheet', 'worksheets/sheet1.xml'), link(2, 'styles', 'styles.xml')];
  return new Map([
    ['[Content_Types].xml', document(`Types xmlns="${PACKAGE}/content-types"`, ...TYPES)],
    ['_rels/.rels', document(`Relationships xmlns="${PACKAGE}/relationships"`, link(1, 'officeDocument', 'xl/workbook.xml'))],
    ['xl/workbook.xml', document(`workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"`, xml('sheets', sheet))],
    ['xl/_rels/workbook.xml.rels', document(`Relationships xmlns="${PACKAGE}/relationships"`, ...links)],
    ['xl/styles.xml', document(`styleSheet xmlns="${MAIN}"`, ...STYLES)],
    [
      'xl/worksheets/sheet1.xml',
      document(`worksheet xmlns="${MAIN}"`, xml('sheetViews', VIEW), xml('cols', ...columns), xml('sheetData', ...cells), filter(head.length, rows.length)),
    ],
  ]);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 of the ZIP format. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** 1 January 1980, the earliest date of ZIP. A fixed date makes files with the same rows identical. */
const DATE = 0x21;
const DEFLATED = 8;

function header(signature: number, fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(4 + fields.reduce((sum, [bytes]) => sum + bytes, 0)));
  view.setUint32(0, signature, true);
  let at = 4;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

async function zip(files: ReadonlyMap<string, string>): Promise<Uint8Array<ArrayBuffer>[]> {
  const coder = new TextEncoder();
  const [chunks, directory]: [Uint8Array<ArrayBuffer>[], Uint8Array<ArrayBuffer>[]] = [[], []];
  let length = 0;
  for (const [path, text] of files) {
    const [name, bytes] = [coder.encode(path), coder.encode(text)];
    const packed = new Uint8Array(
      await new Response(new Response(bytes).body?.pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer(),
    );
    const about: [2 | 4, number][] = [
      [2, 20],
      [2, 0],
      [2, DEFLATED],
      [2, 0],
      [2, DATE],
      [4, crc32(bytes)],
      [4, packed.length],
      [4, bytes.length],
      [2, name.length],
      [2, 0],
    ];
    const own = [header(0x04034b50, about), name, packed];
    directory.push(header(0x02014b50, [[2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, length]]), name);
    chunks.push(...own);
    length += own.reduce((sum, chunk) => sum + chunk.length, 0);
  }
  const size = directory.reduce((sum, chunk) => sum + chunk.length, 0);
  return [
    ...chunks,
    ...directory,
    header(0x06054b50, [
      [2, 0],
      [2, 0],
      [2, files.size],
      [2, files.size],
      [4, size],
      [4, length],
      [2, 0],
    ]),
  ];
}

export async function xlsx(name: string, head: readonly string[], rows: readonly (readonly SheetCell[])[]): Promise<Blob> {
  return new Blob(await zip(parts(name, head, rows)), { type: `${KIND}.sheet` });
}
