// Tests of requesting a report: rows, files, the specification's messages, and cancelling.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ReportBody } from '../../wire/reports';
import { useReport } from './useReport';

const { hand, notice, toast } = vi.hoisted(() => ({ hand: vi.fn(), notice: vi.fn(), toast: vi.fn() }));
vi.mock('../../ui/exports', () => ({ hand }));
vi.mock('../../ui/notice', () => ({ notice }));
vi.mock('../../ui/toast', () => ({ toast }));

const BODY: ReportBody = { reportId: 2, reportKey: 'EVENT_LOG', type: 'Historic', level: 'division', levelId: [4], frequency: 5, frequencyValue: {}, inputs: {} };

interface Question {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly answer: (response: Response) => Promise<void>;
}

let questions: Question[] = [];

beforeEach(() => {
  questions = [];
  vi.clearAllMocks();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('fetch', (path: string, init: RequestInit) =>
    new Promise<Response>((give, refuse) => {
      const signal = init.signal as AbortSignal;
      signal.addEventListener('abort', () => refuse(signal.reason));
      // Reading the body of a response takes several turns of the event loop.
      const answer = (response: Response) => act(async () => (give(response), await vi.waitFor(() => expect(response.bodyUsed || response.body === null).toBe(true))));
      questions.push({ path, signal, answer });
    }),
  );
});
afterEach(() => vi.unstubAllGlobals());

async function opened() {
  let latest: ReturnType<typeof useReport> | undefined;
  const Shown = () => {
    latest = useReport('token', 'Asia/Kolkata');
    return null;
  };
  const root = createRoot(document.createElement('div'));
  await act(async () => root.render(createElement(Shown)));
  const own = () => latest as ReturnType<typeof useReport>;
  return {
    own,
    show: () => act(async () => void own().show(BODY)),
    download: (format: 'pdf' | 'csv') => act(async () => void own().download(BODY, format, 'Event Log')),
    until: (is: () => boolean) => vi.waitFor(() => act(async () => expect(is()).toBe(true))),
    leave: () => act(async () => root.unmount()),
  };
}

const rows = (...data: unknown[][]) => Response.json({ statusCode: 200, message: '', result: { columns: [{ name: 'A' }], rows: data, more: false } });

test('rows are shown until the form says something else', async () => {
  const { own, show, leave } = await opened();
  await show();
  expect(own().isAsking).toBe(true);
  await questions[0]?.answer(rows(['x']));
  expect([own().isAsking, own().shown?.rows]).toEqual([false, [['x']]]);
  await act(async () => own().clear());
  expect(own().shown).toBeNull();
  expect(toast).not.toHaveBeenCalled();
  await leave();
});

test('no rows are told of in a toast', async () => {
  const { show, leave } = await opened();
  await show();
  await questions[0]?.answer(rows());
  expect(toast.mock.calls).toEqual([['No data returned...', 'error']]);
  await leave();
});

test('a failure is told of in a toast, and in the words of the server on the page', async () => {
  const { own, show, leave } = await opened();
  await show();
  await questions[0]?.answer(Response.json({ statusCode: 400, message: 'levelId: names a place that is not there' }, { status: 400 }));
  expect([own().isAsking, own().problem, toast.mock.calls]).toEqual([false, 'levelId: names a place that is not there', [['Something went wrong...', 'error']]]);
  await leave();
});

test('an answer that was given up does not come back, and is no failure', async () => {
  const { own, show, leave } = await opened();
  await show();
  await act(async () => own().cancelShow());
  expect([questions[0]?.signal.aborted, own().isAsking, own().shown, own().problem, own().said]).toEqual([true, false, null, '', 'Cancelled. Nothing is shown.']);
  expect(toast).not.toHaveBeenCalled();
  await leave();
});

test('a newer question is the one that counts', async () => {
  const { own, show, leave } = await opened();
  await show();
  await show();
  expect([questions[0]?.signal.aborted, own().isAsking]).toEqual([true, true]);
  await questions[1]?.answer(rows(['new']));
  expect(own().shown?.rows).toEqual([['new']]);
  await leave();
});

const file = (text: string, headers: Record<string, string> = {}) => new Response(text, { headers: { 'Content-Disposition': 'attachment; filename="Event-Log_1.pdf"', ...headers } });

test('a file is handed over under its name, and told of', async () => {
  const { own, download, until, leave } = await opened();
  await download('pdf');
  expect([own().loading, questions[0]?.path]).toEqual([{ format: 'pdf', bytes: 0 }, '/api/reports/download?format=pdf']);
  await questions[0]?.answer(file('%PDF', { 'X-Report-Rows': '3' }));
  await until(() => own().loading === null);
  expect(hand).toHaveBeenCalledOnce();
  expect([hand.mock.calls[0]?.[0].size, hand.mock.calls[0]?.[1], hand.mock.calls[0]?.[2]]).toEqual([4, { name: 'Event-Log_1.pdf', file: 'Event Log', extension: 'pdf' }, 'Asia/Kolkata']);
  expect(toast.mock.calls).toEqual([['Your report getting download, Please check on your local drive.']]);
  await leave();
});

test.each([
  ['csv', file('', { 'X-Report-Rows': '0' })],
  ['csv', file('Level,Division\r\n', { 'X-Report-Rows': '0' })],
  ['csv', Response.json({ statusCode: 404, message: 'There are no rows.', result: { code: 'no-data' } }, { status: 404 })],
  ['pdf', file('%PDF', { 'X-Report-Rows': '0' })],
  ['pdf', Response.json({ statusCode: 404, message: 'There are no rows.', result: { code: 'no-data' } }, { status: 404 })],
] as const)('an empty %s is not kept: CSV alerts, the others say so in a toast', async (format, response) => {
  const { own, download, until, leave } = await opened();
  await download(format);
  await questions[0]?.answer(response);
  await until(() => own().loading === null);
  expect(hand).not.toHaveBeenCalled();
  expect([notice.mock.calls, toast.mock.calls]).toEqual(format === 'csv' ? [[['Invalid data']], []] : [[], [['No data returned...', 'error']]]);
  expect(own().problem).toBe('');
  await leave();
});

test('a download goes on while rows are cleared, and is given up on its own', async () => {
  const { own, download, leave } = await opened();
  await download('pdf');
  await act(async () => own().clear());
  expect([own().loading?.format, questions[0]?.signal.aborted]).toEqual(['pdf', false]);
  await act(async () => own().cancelDownload());
  expect([own().loading, questions[0]?.signal.aborted, own().said, toast.mock.calls]).toEqual([null, true, 'Download cancelled. Nothing is kept.', []]);
  await leave();
});

test('who leaves the screen gives both up', async () => {
  const { show, download, leave } = await opened();
  await show();
  await download('pdf');
  await leave();
  expect(questions.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});
