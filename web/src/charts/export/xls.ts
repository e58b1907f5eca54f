// Rows as an XLS file: BIFF8 records ([MS-XLS]) in one stream of a compound file ([MS-CFB]). Text is stored as text, never as a formula.
import type { Cell } from '../../ui/xlsx';
import { t } from '../../words';

/** Rows of a sheet, and sheets of a file (specification 3, section 9). */
const ROWS_MAX = 65_536;
const SHEETS_MAX = 3;
const COLUMNS_MAX = 256;
/** Largest number of letters in a text cell. */
const TEXT_MAX = 255;

const SECTOR = 512;
/** A shorter stream would need the small sectors of the format. */
const STREAM_LEAST = 4_096;
/** The header lists this many sectors of the allocation table, each with 128 entries. */
const TABLES_MAX = 109;
const ENTRIES = SECTOR / 4;
const [END, TABLE, FREE] = [0xfffffffe, 0xfffffffd, 0xffffffff] as const;

const GLOBALS = 0x0005;
const WORKSHEET = 0x0010;
/** Cell formats: the first 15 are styles. */
const [PLAIN, BOLD] = [15, 16] as const;

const words = (...values: readonly number[]) => values.flatMap((value) => [value & 0xff, (value >> 8) & 0xff]);
const double = (value: number) => [value >>> 0].flatMap((whole) => words(whole & 0xffff, whole >>> 16));

function record(number: number, data: readonly number[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...words(number, data.length), ...data]);
}

/** A text as UTF-16 with its length in `bytes` bytes. */
function text(value: string, bytes: 1 | 2): number[] {
  const letters = Array.from({ length: value.length }, (_, index) => value.charCodeAt(index));
  return [...words(letters.length).slice(0, bytes), 1, ...words(...letters)];
}

const begin = (kind: number) => record(0x0809, words(0x0600, kind, 0x0dbb, 0x07cc, 0x00c1, 0, 0x0006, 0));
const end = () => record(0x000a, []);

function font(weight: number): Uint8Array<ArrayBuffer> {
  return record(0x0031, [...words(220, 0, 0x7fff, weight, 0), 0, 0, 0, 0, ...text('Calibri', 1)]);
}

function format(ofFont: number, flags: number, used: number): Uint8Array<ArrayBuffer> {
  return record(0x00e0, [...words(ofFont, 0, flags), 0x20, 0, 0, used, ...words(0, 0, 0, 0, 0x20c0)]);
}

/** The records of the workbook. `begins` are the positions of its sheets. */
function globals(begins: readonly number[]): Uint8Array<ArrayBuffer>[] {
  return [
    begin(GLOBALS),
    record(0x0042, words(0x04b0)),
    record(0x003d, words(0, 0, 0x5000, 0x3000, 0x0038, 0, 0, 1, 600)),
    ...[400, 700, 400, 400].map(font),
    ...Array.from({ length: PLAIN }, () => format(0, 0xfff5, 0)),
    format(0, 1, 0),
    format(1, 1, 0x08),
    record(0x0293, [...words(0x8000), 0, 0xff]),
    ...begins.map((at, index) => record(0x0085, [...double(at), 0, 0, ...text(`Sheet${index + 1}`, 1)])),
    end(),
  ];
}

function cell(value: Cell, row: number, column: number, look: number): Uint8Array<ArrayBuffer>[] {
  const place = words(row, column, look);
  if (typeof value === 'string') return [record(0x0204, [...place, ...text(value.slice(0, TEXT_MAX), 2)])];
  if (value === null || !Number.isFinite(value)) return [];
  return [record(0x0203, [...place, ...new Uint8Array(Float64Array.of(value).buffer)])];
}

/** The records of a sheet with a frozen heading row. */
function sheet(head: readonly string[], rows: readonly (readonly Cell[])[], isFirst: boolean): Uint8Array<ArrayBuffer>[] {
  const width = (name: string, column: number) => Math.min(Math.max(name.length + 2, column === 0 ? 20 : 10), 40) * 256;
  return [
    begin(WORKSHEET),
    ...head.map((name, column) => record(0x007d, words(column, column, width(name, column), PLAIN, 0, 0))),
    record(0x0200, [...double(0), ...double(rows.length + 1), ...words(0, head.length, 0)]),
    ...head.flatMap((name, column) => cell(name, 0, column, BOLD)),
    ...rows.flatMap((own, index) => own.flatMap((value, column) => cell(value, index + 1, column, PLAIN))),
    record(0x023e, words(isFirst ? 0x07be : 0x01be, 0, 0, 0x40, 0, 0, 0, 0, 0)),
    record(0x0041, [...words(0, 1, 1, 0), 2, 0]),
    end(),
  ];
}

const lengthOf = (records: readonly Uint8Array[]) => records.reduce((sum, { length }) => sum + length, 0);

/** An entry of the directory, 128 bytes. */
function entry(name: string, kind: number, child: number, start: number, size: number): number[] {
  const letters = Array.from({ length: 32 }, (_, index) => name.charCodeAt(index) || 0);
  const isUnused = kind === 0;
  return [
    ...words(...letters, isUnused ? 0 : (name.length + 1) * 2),
    ...[kind, isUnused ? 0 : 1],
    ...[FREE, FREE, child].flatMap(double),
    ...new Array<number>(36).fill(0),
    ...[start, size, 0].flatMap(double),
  ];
}

/** Wraps a stream of records in a compound file. */
function compound(stream: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer>[] {
  const size = Math.max(Math.ceil(lengthOf(stream) / SECTOR) * SECTOR, STREAM_LEAST);
  const sectors = size / SECTOR;
  // The allocation table also lists its own sectors.
  let tables = 1;
  while (tables * ENTRIES < sectors + 1 + tables) tables += 1;
  if (tables > TABLES_MAX) throw new Error(t('charts.tooLongForXls'));
  const chain = Array.from({ length: tables * ENTRIES }, (_, at) => {
    if (at < sectors) return at === sectors - 1 ? END : at + 1;
    if (at === sectors) return END;
    return at <= sectors + tables ? TABLE : FREE;
  });
  const listed = Array.from({ length: TABLES_MAX }, (_, index) => (index < tables ? sectors + 1 + index : FREE));
  const header = [
    ...[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
    ...new Array<number>(16).fill(0),
    ...words(0x3e, 3, 0xfffe, 9, 6, 0, 0, 0),
    ...[0, tables, sectors, 0, STREAM_LEAST, END, 0, END, 0, ...listed].flatMap(double),
  ];
  const directory = [entry('Root Entry', 5, 1, END, 0), entry('Workbook', 2, FREE, 0, size), entry('', 0, FREE, 0, 0), entry('', 0, FREE, 0, 0)].flat();
  const padding = new Uint8Array(size - lengthOf(stream));
  return [Uint8Array.from(header), ...stream, padding, Uint8Array.from(directory), Uint8Array.from(chain.flatMap(double))];
}

/** The bytes of the file. Rows continue on the next sheet; more rows than three sheets hold are an error. */
export function xlsBytes(head: readonly string[], rows: readonly (readonly Cell[])[]): Uint8Array<ArrayBuffer>[] {
  const most = ROWS_MAX - 1;
  if (rows.length > most * SHEETS_MAX || head.length > COLUMNS_MAX) throw new Error(t('charts.tooLongForXls'));
  const parts = Array.from({ length: Math.max(1, Math.ceil(rows.length / most)) }, (_, index) => rows.slice(index * most, (index + 1) * most));
  const sheets = parts.map((part, index) => sheet(head, part, index === 0));
  // The length of the globals does not depend on the positions in them.
  let at = lengthOf(globals(sheets.map(() => 0)));
  const begins = sheets.map((records) => {
    const own = at;
    at += lengthOf(records);
    return own;
  });
  return compound([...globals(begins), ...sheets.flat()]);
}

export function xls(head: readonly string[], rows: readonly (readonly Cell[])[]): Blob {
  return new Blob(xlsBytes(head, rows), { type: 'application/vnd.ms-excel' });
}
