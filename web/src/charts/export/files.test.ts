// @vitest-environment node
// Tests that the files are valid: an XLSX archive with the rows, and a PDF whose cross-reference table is correct and whose page has the
// text.
import { inflateRawSync, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { widthOf } from './helvetica';
import { encoded, pdfOf, pdfOfJpeg } from './pdf';
import { Recorder } from './recorder';
import { xlsBytes } from './xls';
import { columnName, crc32, parts, withTimes, xlsx } from '../../ui/xlsx';

/** Unpacks the members of a ZIP archive by its directory. */
function unzip(bytes: Buffer): Map<string, string> {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  const found = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  for (let member = 0; member < bytes.readUInt16LE(end + 10); member += 1) {
    const [crc, packed, whole, length] = [
      bytes.readUInt32LE(at + 16),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
      bytes.readUInt16LE(at + 28),
    ];
    const start = bytes.readUInt32LE(at + 42);
    const name = bytes.subarray(at + 46, at + 46 + length).toString();
    expect(bytes.subarray(start + 30, start + 30 + length).toString()).toBe(name);
    const content = inflateRawSync(bytes.subarray(start + 30 + length, start + 30 + length + packed));
    expect([content.length, crc32(content)]).toEqual([whole, crc]);
    found.set(name, content.toString());
    at += 46 + length;
  }
  expect(at).toBe(end);
  return found;
}

test('an XLSX file has the head and the rows: numbers as numbers, texts as texts, absence as nothing', async () => {
  const blob = await xlsx(
    'F2: Voltage/kV',
    ['Time', 'R <kV>'],
    [
      ['2026-11-03 14:00:00', 6.34],
      ['=1+1 & more', null],
    ],
  );
  const files = unzip(Buffer.from(await blob.arrayBuffer()));
  expect([...files.keys()]).toEqual([...parts('x', [], []).keys()]);
  const sheet = files.get('xl/worksheets/sheet1.xml') ?? '';
  expect(sheet).toContain('<c r="B1" s="1" t="inlineStr"><is><t xml:space="preserve">R &lt;kV&gt;</t></is></c>');
  expect(sheet).toContain('<c r="A2" t="inlineStr"><is><t xml:space="preserve">2026-11-03 14:00:00</t></is></c><c r="B2"><v>6.34</v></c>');
  expect(sheet).toContain('=1+1 &amp; more');
  expect(sheet).not.toContain('r="B3"');
  expect(sheet).not.toContain('<f>');
  expect(files.get('xl/workbook.xml')).toContain('name="F2  Voltage kV"');
  expect(blob.type).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
});

test('the same rows make the same file', async () => {
  const make = async () => Buffer.from(await (await xlsx('x', ['a'], [[1]])).arrayBuffer());
  expect((await make()).equals(await make())).toBe(true);
});

test('columns are named as spreadsheets do, and the checksum is that of ZIP', () => {
  expect([0, 25, 26, 51, 52, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
});

/** The objects of a PDF by its cross-reference table. */
function objects(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1');
  const table = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
  expect(text.slice(table, table + 5)).toBe('xref\n');
  const places = [...text.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, at]) => Number(at));
  return places.map((at, index) => {
    expect(text.slice(at).startsWith(`${index + 1} 0 obj\n`)).toBe(true);
    return bytes.subarray(at, text.indexOf('\nendobj', at));
  });
}

function drawing(): Recorder {
  const recorder = new Recorder(widthOf);
  recorder.fillStyle = '#da532c33';
  recorder.fillRect(0, 0, 10, 20);
  recorder.strokeStyle = '#2d89ef';
  recorder.beginPath();
  recorder.moveTo(0, 0);
  recorder.lineTo(30, 40);
  recorder.stroke();
  recorder.fillStyle = '#000000';
  recorder.font = '12px Inter';
  recorder.textAlign = 'right';
  recorder.fillText('−6.34 °C', 100, 50);
  return recorder;
}

test('a PDF has its page with lines, colours, alphas and words', async () => {
  const bytes = Buffer.from(await (await pdfOf({ recorder: drawing(), width: 1_200, height: 600, title: 'Größe' })).arrayBuffer());
  expect(bytes.subarray(0, 8).toString()).toBe('%PDF-1.4');
  const all = objects(bytes);
  expect(all).toHaveLength(5);
  const stream = all[4] ?? Buffer.of();
  const length = Number(/\/Length (\d+)/.exec(stream.toString('latin1'))?.[1]);
  const start = stream.indexOf('stream\n') + 7;
  expect(stream.subarray(start + length).toString('latin1')).toBe('\nendstream');
  const page = inflateSync(stream.subarray(start, start + length)).toString('latin1');
  expect(page).not.toMatch(/NaN|undefined/);
  expect(page).toContain('0.855 0.325 0.173 rg\n0 0 m\n10 0 l\n10 20 l\n0 20 l\nh\nf');
  expect(page).toContain('0.176 0.537 0.937 RG');
  expect(page).toContain(`1 0 0 -1 ${Math.round((100 - widthOf('−6.34 °C', 12, false)) * 1_000) / 1_000} 50 Tm\n<96362e333420b043> Tj`);
  expect(all[3]?.toString('latin1')).toContain('/ca 0.2 /CA 0.2');
  expect(all[2]?.toString('latin1')).toContain('/Title <feff0047007200f600df0065>');
});

test('a PDF of a picture has the picture as it is', async () => {
  const jpeg = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
  const all = objects(
    Buffer.from(await pdfOfJpeg({ width: 1_200, height: 600, title: 'x' }, jpeg, { width: 2_400, height: 1_200 }).arrayBuffer()),
  );
  const image = all[5] ?? Buffer.of();
  const start = image.indexOf('stream\n') + 7;
  expect(image.subarray(start, start + 300).equals(jpeg)).toBe(true);
  expect(image.toString('latin1')).toContain('/Width 2400 /Height 1200');
});

test('letters that the standard fonts have not are told', () => {
  expect(encoded('Größe – 5 °C')).not.toBeNull();
  expect(encoded('విశాఖ')).toBeNull();
});

test('widths are those of Helvetica', () => {
  expect(widthOf('Hello', 1_000, false)).toBe(722 + 556 + 222 + 222 + 556);
  expect(widthOf('0', 10, true)).toBeGreaterThan(widthOf('0', 10, false));
});

/** The records of the workbook in a compound file, found by its directory and allocation table. */
function biff(file: Buffer): { number: number; data: Buffer }[] {
  const sector = (at: number) => file.subarray((at + 1) * 512, (at + 2) * 512);
  const tables = Array.from({ length: file.readUInt32LE(44) }, (_, index) => sector(file.readUInt32LE(76 + index * 4)));
  const table = Buffer.concat(tables);
  const stream = (start: number) => {
    const parts: Buffer[] = [];
    for (let at = start; at < 0xfffffff0; at = table.readUInt32LE(at * 4)) parts.push(sector(at));
    return Buffer.concat(parts);
  };
  const directory = stream(file.readUInt32LE(48));
  expect(directory.toString('utf16le', 128, 144)).toBe('Workbook');
  const own = stream(directory.readUInt32LE(128 + 116));
  expect(own.length).toBe(directory.readUInt32LE(128 + 120));
  const found: { number: number; data: Buffer }[] = [];
  for (let at = 0; own.readUInt16LE(at) !== 0; ) {
    const length = own.readUInt16LE(at + 2);
    found.push({ number: own.readUInt16LE(at), data: own.subarray(at + 4, at + 4 + length) });
    at += 4 + length;
  }
  return found;
}

test.each([3, 70_000])('an XLS file has the head and all of %i rows, on as many sheets as they need', (count) => {
  const rows = Array.from({ length: count }, (_, index) => (index === 1 ? ['=1+1 °C', null] : [`2026-11-03 ${index}`, index / 4]));
  const file = Buffer.concat(xlsBytes(['Time', 'R (kV)'], rows));
  expect(file.length % 512).toBe(0);
  const records = biff(file);
  const textIn = (data: Buffer) => data.toString('utf16le', 9);
  const texts = records.filter(({ number }) => number === 0x0204).map(({ data }) => textIn(data));
  expect(texts.slice(0, 4)).toEqual(['Time', 'R (kV)', '2026-11-03 0', '=1+1 °C']);
  const numbers = records.filter(({ number }) => number === 0x0203).map(({ data }) => data.readDoubleLE(6));
  expect(numbers).toEqual(rows.flatMap(([, value]) => value ?? []));
  const sheets = records.filter(({ number }) => number === 0x0085);
  expect(sheets.map(({ data }) => data.toString('utf16le', 8))).toEqual(count > 65_535 ? ['Sheet1', 'Sheet2'] : ['Sheet1']);
});

test('more rows than an XLS file can have are refused', () => {
  expect(() => xlsBytes(['Time'], new Array<string[]>(200_000).fill(['x']))).toThrow('Choose XLSX or CSV');
});

test('a workbook has times as local times with a format, and filters in its heading', () => {
  const rows = withTimes([['F1', '2026-11-27T03:22:12.500Z', 4, null]], 'Asia/Kolkata');
  const sheet = parts('Faults', ['Feeder', 'Start', 'Customers', 'End'], rows).get('xl/worksheets/sheet1.xml') ?? '';
  // 27 November 2026 08:52:12.5 in India.
  const serial = Number(/<c r="B2" s="2"><v>([\d.]+)<\/v>/.exec(sheet)?.[1]);
  expect(new Date(Math.round((serial - 25_569) * 86_400_000)).toISOString()).toBe('2026-11-27T08:52:12.500Z');
  expect(sheet).toContain('<autoFilter ref="A1:D2"/>');
});
