// Tests of reports: rows and files, the server's error messages, interrupted downloads, and aborted requests.
import { afterEach, expect, test, vi } from 'vitest';
import { downloadReport, periodText, showReport, type ReportBody } from './reports';
import { nameIn } from './reports-sent';
import { Failure } from './rest';

const BODY: ReportBody = { reportId: 2, reportKey: 'EVENT_LOG', type: 'Historic', level: 'division', levelId: [4], frequency: 7, frequencyValue: { date: '2026-11-22' }, inputs: {} };
afterEach(() => vi.unstubAllGlobals());

/** Answers the next request and records it. */
function answering(response: Response | (() => Promise<Response>)) {
  const questions: { path: string; init: RequestInit }[] = [];
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    questions.push({ path, init });
    return typeof response === 'function' ? response() : Promise.resolve(response);
  });
  return questions;
}

const never = () => new AbortController().signal;

test.each([
  ['attachment; filename="Event-Log_20261122.pdf"', 'Event-Log_20261122.pdf'],
  ['attachment; filename=a.csv', 'a.csv'],
  [`attachment; filename="x.csv"; filename*=UTF-8''R%C3%A9seau.csv`, 'Réseau.csv'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  ["attachment; filename=\"a.csv\"; filename*=UTF-8''%E0%A4%A", 'a.csv'],
  ['attachment', ''],
  ['', ''],
])('%s names the file %s', (disposition, name) => {
  expect(nameIn(disposition)).toBe(name);
});

test('rows come with their heading, and whether there are more', async () => {
  const questions = answering(Response.json({ statusCode: 200, message: '', result: { columns: [{ name: 'A' }, { name: 'B' }], rows: [['x', 1], [null, true]], more: true } }));
  expect(await showReport('token', BODY, never())).toEqual({ head: ['A', 'B'], rows: [['x', 1], [null, true]], more: true, keptSince: null });
  expect([questions[0]?.path, JSON.parse(String(questions[0]?.init.body))]).toEqual(['/api/reports/show', { report: 'EVENT_LOG', reportType: 'historic', level: 'division', levelId: [4], frequency: 7, frequencyValue: '2026-11-22' }]);
});

test.each([
  ['no rows', [['A']]],
  ['an object', {}],
  ['cells of the wrong kind', { columns: [{ name: 'A' }], rows: [[{}]] }],
])('%s is no answer', async (_, result) => {
  answering(Response.json({ statusCode: 200, message: '', result }));
  await expect(showReport('token', BODY, never())).rejects.toThrow('Something went wrong...');
});

test('a refusal is told in the words of the server, and keeps its code', async () => {
  answering(Response.json({ statusCode: 422, message: 'frequencyValue.date: is after today', result: { code: 'no-data' } }, { status: 422 }));
  const error = await downloadReport('token', BODY, 'pdf', never(), () => undefined).catch((error: unknown) => error);
  expect([error instanceof Failure, (error as Failure).status, (error as Failure).message, (error as Failure).code]).toEqual([true, 422, 'frequencyValue.date: is after today', 'no-data']);
});

test("a proxy's own page is told of by the general sentence", async () => {
  answering(new Response('<html>', { status: 502 }));
  await expect(showReport('token', BODY, never())).rejects.toThrow('Something went wrong...');
});

/** A response with a file in the given parts. `end` decides whether it is complete. */
const file = (parts: readonly string[], end: 'whole' | 'broken', headers: Record<string, string> = {}) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start(to) {
        for (const part of parts) to.enqueue(new TextEncoder().encode(part));
        if (end === 'whole') to.close();
      },
      pull(to) {
        if (end === 'broken') to.error(new TypeError('network'));
      },
    }),
    { headers },
  );

test('a file tells how much of it has come, and is whole', async () => {
  const questions = answering(file(['abc', 'defg'], 'whole', { 'Content-Disposition': 'attachment; filename="r.csv"', 'X-Report-Rows': '12' }));
  const told: number[] = [];
  const { blob, name, rows } = await downloadReport('token', BODY, 'csv', never(), (bytes) => told.push(bytes));
  expect([blob.size, name, rows, told, questions[0]?.path]).toEqual([7, 'r.csv', 12, [3, 7], '/api/reports/download?format=csv']);
});

test.each([
  ['without a word about rows', file(['a'], 'whole'), null],
  ['with no rows', file(['head'], 'whole', { 'X-Report-Rows': '0' }), 0],
  ['without a byte', file([], 'whole'), 0],
  ['of status 204', new Response(null, { status: 204 }), 0],
])('a file %s', async (_, response, rows) => {
  answering(response);
  expect((await downloadReport('token', BODY, 'csv', never(), () => undefined)).rows).toBe(rows);
});

test('a file that breaks off is none', async () => {
  answering(file(['half of'], 'broken'));
  await expect(downloadReport('token', BODY, 'pdf', never(), () => undefined)).rejects.toThrow('The file broke off before its end');
});

test('what a person gives up is no failure of the network', async () => {
  const stop = new AbortController();
  stop.abort();
  answering(() => Promise.reject(new DOMException('', 'AbortError')));
  const error = await showReport('token', BODY, stop.signal).catch((error: unknown) => error);
  expect([error instanceof Failure, (error as DOMException).name]).toEqual([false, 'AbortError']);
});

test('no answer at all is the network', async () => {
  answering(() => Promise.reject(new TypeError('fetch')));
  await expect(showReport('token', BODY, never())).rejects.toThrow('The server cannot be reached.');
});

test.each([
  [1, { day: 9, month: 2, year: 2026 }, '2026-02-09'],
  [2, { month: 2, year: 2026 }, '2026-02'],
  [3, { quarter: 3, year: 2026 }, '2026-Q3'],
  [4, { financialYear: '2025-2026' }, '2025-2026'],
  [5, {}, ''],
  [6, { from: '2026-01-01', to: '2026-01-31' }, '2026-01-01,2026-01-31'],
  [7, { date: '2026-05-05' }, '2026-05-05'],
  [9, { week: 7, year: 2026 }, '2026-W07'],
  [null, {}, ''],
] as const)('frequency %s with %j is the text "%s"', (frequency, period, text) => {
  expect(periodText(frequency, period)).toBe(text);
});
