// Every report of the demo as CSV, XLSX, XLS and PDF. Independent programs read the files (Python's csv, openpyxl, xlrd, LibreOffice, pdftotext), and all
// cells must equal those that the server shows. The list of reports comes from the server; a report without a row in the demo is an error.
// The monthly performance report is created for two places in a real browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { openBrowser } from './browser.mjs';
import { aDoor, PASSWORD, PATIENCE } from './door.mjs';
import { aProduct } from './product.mjs';
import { aPointer, shown as shownOn } from './reports-hands.mjs';

const readers = resolve(import.meta.dirname, '../../crates/sheet/tests/readers');
const python = join(readers, '.venv/bin/python');
const FORMATS = ['csv', 'xlsx', 'xls', 'pdf'];
const LARGE = { maxBuffer: 1 << 28, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
/** Whether a program is installed. A missing program is an error only in continuous integration. */
const has = (program) => execFileSync('sh', ['-c', `command -v ${program} || true`], { encoding: 'utf8' }).trim() !== '';
const lacks = [existsSync(python) ? '' : 'openpyxl and xlrd', has('soffice') ? '' : 'LibreOffice', has('pdftotext') ? '' : 'pdftotext'].filter(Boolean).join(', ');
const skip = lacks !== '' && !process.env.CI && `${lacks}: \`scripts/services install\` provides it`;

let product;
let folder;
let me;
let place;

before(async () => {
  if (skip) return;
  product = await aProduct();
  folder = mkdtempSync(join(tmpdir(), 'switchyard-files-'));
  await product.start();
  me = await fetch(`${product.base}/api/token`, { method: 'POST', body: new URLSearchParams({ username: 'admin', password: PASSWORD, feui: '1' }) }).then((answer) => answer.json());
  // Quayside has the most data of the demo: the site, the transformers and the power quality meters.
  const places = await get(`substation/substationsbyclient/${me.clientId}`);
  place = places.find((one) => one.AssetPointName === 'Quayside') ?? places[0];
  // The demo generates its history while it runs. Before that is complete, a file could have more rows than the screen showed before.
  await product.complete();
});

after(async () => {
  await product?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const headers = () => ({ Authorization: `Bearer ${me.token}`, 'Content-Type': 'application/json' });
const get = (path) => fetch(`${product.base}/api/${path}`, { headers: headers() }).then((answer) => answer.json()).then(({ result }) => result);
const post = (path, body) => fetch(`${product.base}/api/${path}`, { method: 'POST', headers: headers(), body: JSON.stringify(body) });

const day = (back) => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format(Date.now() - back * 86_400_000);

/** Selections of a report, to be tried until one has rows: yesterday for one place, yesterday for all, earlier days, today. */
function questions(report) {
  const input = report.input === 'limit' ? { limit: 1 } : {};
  const of = (level, levelId, frequency, frequencyValue) => ({ report: report.ReportKey, level, levelId, frequency, frequencyValue, ...input });
  const all = (frequency, value) => of('client', me.clientId, frequency, value);
  return [of('location', place.AssetPointId, 7, day(1)), all(7, day(1)), all(6, `${day(3)},${day(1)}`), all(7, day(0))];
}

async function show(asked) {
  const answer = await post('reports/show', asked);
  const { result, message } = await answer.json();
  assert.ok(answer.status === 200 || asked.level === 'location', `${asked.report}: ${message}`);
  return result;
}

/** The rows and files of one selection. If rows are added during the requests, all requests are repeated. */
async function written(report) {
  for (const asked of questions(report)) {
    let shown = await show(asked);
    for (let tries = 0; shown?.rows.length > 0 && tries < 5; tries += 1) {
      const files = {};
      for (const format of FORMATS) {
        const answer = await post(`reports/download?format=${format}`, asked);
        assert.equal(answer.status, 200, `${report.ReportKey} ${format}`);
        files[format] = join(folder, `${report.ReportKey}.${format}`);
        writeFileSync(files[format], Buffer.from(await answer.arrayBuffer()));
      }
      const again = await show(asked);
      if (isDeepStrictEqual(shown.rows, again.rows)) return { report, shown, files };
      shown = again;
    }
  }
  return undefined;
}

/** The utility's local time at an instant, to the millisecond. */
function local(iso) {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Kolkata', dateStyle: 'short', timeStyle: 'medium' }).format(Date.parse(iso));
  return `${parts}.${iso.slice(20, 23)}`;
}

const lasting = (seconds) => {
  const ms = Math.round(seconds * 1000);
  const whole = Math.floor(ms / 1000);
  const clock = `${Math.floor(whole / 3600)}:${String(Math.floor(whole / 60) % 60).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`;
  return ms % 1000 === 0 ? clock : `${clock}.${String(ms % 1000).padStart(3, '0')}`;
};

/** Whether a text equals the server's value, with numbers and times rounded to the precision of the text. */
function says(text, kind, shown) {
  if (shown === null) return text === '';
  if (kind === 'number' && typeof shown === 'number') {
    const decimals = text.split('.')[1]?.length ?? 0;
    return text !== '' && Math.abs(Number(text) - shown) <= 0.5000001 * 10 ** -decimals;
  }
  if (kind === 'time' || kind === 'millisecond' || kind === 'day') return text.length >= 10 && local(shown).startsWith(text);
  if (kind === 'duration') return text === lasting(shown);
  // A text that could be taken for a formula is preceded by an apostrophe.
  return text === String(shown) || text === `'${shown}`;
}

/** Whether a cell of a workbook, as printed by `read.py`, equals the text of the CSV. */
function holds(cell, kind, text) {
  if (cell === null || cell === undefined || cell === '') return text === '';
  if (typeof cell === 'number') return Math.abs(cell - Number(text)) <= 0.5000001 * 10 ** -(text.split('.')[1]?.length ?? 0);
  if (cell.time !== undefined) return cell.time.startsWith(text) || (kind === 'day' && cell.time.slice(0, 10) === text);
  if (cell.seconds !== undefined) return lasting(cell.seconds) === text;
  return cell === text || `'${cell}` === text;
}

/** The rows below the headings, with the number of columns of the report. */
function below(rows, headings) {
  const at = rows.findIndex((row) => headings.every((heading, column) => row[column] === heading));
  assert.notEqual(at, -1, `no headings ${headings.join(', ')} in ${JSON.stringify(rows.slice(0, 9))}`);
  return rows.slice(at + 1).map((row) => headings.map((_, column) => row[column] ?? null));
}

const words = (text) => text.split(/\s+/).filter(Boolean);
function counted(list) {
  const counts = new Map();
  for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

test('every report has the same cells in all four formats', { skip }, async () => {
  const reports = await get('pfcreport/reportslist');
  assert.ok(reports.length >= 11);
  const empty = [];
  const made = [];
  for (const report of reports) {
    const found = await written(report);
    if (found) made.push(found);
    else empty.push(report.ReportKey);
  }
  assert.deepEqual(empty, [], 'reports without a row in the demo');

  const read = (format) => JSON.parse(execFileSync(python, [join(readers, 'read.py'), ...made.map(({ files }) => files[format])], LARGE));
  const [csv, xlsx, xls] = [read('csv'), read('xlsx'), read('xls')];
  for (const format of ['xlsx', 'xls']) {
    const books = made.map(({ files }) => files[format]);
    execFileSync('soffice', [`-env:UserInstallation=file://${folder}/profile`, '--headless', '--convert-to', 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true', '--outdir', join(folder, format), ...books], LARGE);
  }
  const office = (format) => JSON.parse(execFileSync(python, [join(readers, 'read.py'), ...made.map(({ report }) => join(folder, format, `${report.ReportKey}.csv`))], LARGE));
  const offices = { xlsx: office('xlsx'), xls: office('xls') };

  for (const [nth, { report, shown, files }] of made.entries()) {
    const key = report.ReportKey;
    const kinds = shown.columns.map((column) => column.kind);
    const headings = shown.columns.map((column) => (column.unit === '' ? column.name : `${column.name} (${column.unit})`));
    const told = below(csv[nth][0].rows, headings);
    // The screen shows the first 5,000 rows.
    assert.ok(shown.more ? told.length > shown.rows.length : told.length === shown.rows.length, `${key}: ${told.length} rows of the CSV`);
    for (const [row, cells] of told.slice(0, shown.rows.length).entries()) {
      for (const [column, text] of cells.entries()) {
        const where = `${key}, row ${row + 1}, ${headings[column]}`;
        assert.ok(says(text ?? '', kinds[column], shown.rows[row][column]), `${where}: CSV has ${text}, shown is ${shown.rows[row][column]}`);
      }
    }
    for (const [format, sheets] of [['xlsx', xlsx[nth]], ['xls', xls[nth]]]) {
      const rows = sheets.flatMap((sheet) => below(sheet.rows, headings));
      assert.ok(rows.length === told.length, `${key} ${format}: ${rows.length} rows of ${told.length}`);
      const seen = below(offices[format][nth][0].rows, headings);
      for (const [row, cells] of told.entries()) {
        for (const [column, text] of cells.entries()) {
          const where = `${key}.${format}, row ${row + 1}, ${headings[column]}: CSV has ${text}`;
          assert.ok(holds(rows[row][column], kinds[column], text ?? ''), `${where}, the workbook ${JSON.stringify(rows[row][column])}`);
          assert.ok((seen[row][column] ?? '') === text || `'${seen[row][column]}` === text, `${where}, LibreOffice shows ${seen[row][column]}`);
        }
      }
    }
    const page = execFileSync('pdftotext', ['-layout', '-enc', 'UTF-8', files.pdf, '-'], LARGE).toString();
    const printed = counted(words(page));
    if (key === 'SS_DAILY_LOG_SHEET') {
      // It is printed in its own arrangement: a page for each substation and day.
      const days = new Set(told.map(([hour, substation]) => `${substation}, ${String(hour).slice(0, 10)}`));
      for (const day of days) assert.ok(page.includes(day), `${key}.pdf has no page of ${day}`);
      assert.ok(printed.get('Signature') >= days.size, `${key}.pdf has lines for signatures on each page`);
      continue;
    }
    // Pages of a PDF can break cells and columns, but every word must occur at least as often as in the rows.
    for (const [word, times] of counted(told.flat().flatMap((text) => words(text ?? '')))) {
      assert.ok((printed.get(word) ?? 0) >= times, `${key}.pdf has ${word} ${printed.get(word) ?? 0} times of ${times}`);
    }
    assert.ok(readFileSync(files.pdf).subarray(0, 5).equals(Buffer.from('%PDF-')));
  }
});

test('the performance of a month is told of each of the places that are chosen', { skip }, async () => {
  const browser = await openBrowser({ width: 1440, height: 900 });
  try {
    const { page, errors } = browser;
    const at = shownOn(page);
    await aDoor(page, product.base).signedIn('admin');
    await page.goto(`${product.base}/exportreports?tab=monthly`);
    await aPointer(page).choose('report-level', 'substation');
    const places = ['33/11 kV Quayside', '33/11 kV Mill'];
    await page.locator('[data-testid="report-location"]:visible:enabled').waitFor(PATIENCE);
    assert.equal(await at('monthly-make').isDisabled(), true, 'no place is chosen');
    await at('report-location').click();
    for (const name of places) await page.locator('li[role=option]:visible', { hasText: name }).click();
    await at('report-location').press('Escape');
    assert.match(await at('report-location').inputValue(), /^2\b.*Quayside.*Mill|^2\b.*Mill.*Quayside/);
    await page.getByText('up to 10 places').waitFor(PATIENCE);
    const month = await at('monthly-month').locator('option').first().getAttribute('value');
    await at('monthly-month').selectOption(month);
    const [download] = await Promise.all([page.waitForEvent('download', { timeout: 90_000 }), at('monthly-make').click()]);
    const file = join(folder, 'monthly.pdf');
    await download.saveAs(file);
    const told = execFileSync('pdftotext', ['-layout', '-enc', 'UTF-8', file, '-'], LARGE);
    const own = told.slice(told.indexOf('Time zone')).split('\n').map((line) => line.trim());
    for (const name of places) assert.ok(own.includes(name), `${name} has a part of its own`);
    assert.equal(own.filter((line) => line === 'Summary').length, 2);
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
  }
});
