// Tests of runs: a file is sent once before the run, its handle is part of the run, a failure keeps the last plan, and a run can be cancelled.
// @vitest-environment jsdom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useOptimiser, type Wanted } from './useOptimiser';

const NOW = Date.UTC(2026, 10, 22, 8);
const row = (value: number, length = 48) => Array.from({ length }, () => value);
const RESULTS = { hour_of_day: row(0), slot_hours: row(0.5), Base_Demand_Kw: row(40), Battery_Charge_Discharge_Kw: row(0), Battery_Storage_Kwh: row(0), NetDemand_Kw: row(40), PV_Generation_Kw: row(0) };
const plan = (cost: number) => ({ day: '2026-11-22', timeZone: 'UTC', results: RESULTS, stats: {}, shares: null, cost, currency: 'INR', storageKwh: row(0, 49), curtailedKw: row(0), demandFrom: 'mean', solarFrom: 'none', historical: null });

/** A request with fetch that waits for its answer. */
interface Question {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly signal: AbortSignal;
  readonly answer: (status: number, body: unknown) => Promise<void>;
}

/** The parts of `XMLHttpRequest` that an upload uses. */
class Upload extends EventTarget {
  static all: Upload[] = [];
  readonly upload = new EventTarget();
  path = '';
  form: FormData | null = null;
  status = 0;
  responseText = '';
  isAborted = false;
  timeout = 0;
  readonly headers = new Map<string, string>();
  open(_: string, path: string) {
    this.path = path;
  }
  setRequestHeader(name: string, value: string) {
    this.headers.set(name, value);
  }
  send(form: FormData) {
    this.form = form;
    Upload.all.push(this);
  }
  abort() {
    this.isAborted = true;
    this.dispatchEvent(new Event('abort'));
  }
  sent(loaded: number, total: number) {
    return act(async () => void this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded, total })));
  }
  answer(status: number, body: unknown) {
    return act(async () => {
      this.status = status;
      this.responseText = JSON.stringify(body);
      this.dispatchEvent(new Event('load'));
    });
  }
}

let questions: Question[] = [];
let now = NOW;

beforeEach(() => {
  questions = [];
  now = NOW;
  Upload.all = [];
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('XMLHttpRequest', Upload);
  vi.stubGlobal('fetch', (path: string, init: RequestInit) =>
    new Promise<Response>((give, refuse) => {
      const signal = init.signal as AbortSignal;
      signal.addEventListener('abort', () => refuse(new Error('aborted')));
      const answer = (status: number, body: unknown) => act(async () => give(Response.json(body, { status })));
      questions.push({ path, body: JSON.parse(String(init.body)), signal, answer });
    }),
  );
});
afterEach(() => vi.unstubAllGlobals());

async function opened() {
  let latest: ReturnType<typeof useOptimiser> | undefined;
  const Shown = () => {
    latest = useOptimiser('token', 12_193, () => now);
    return null;
  };
  const root = createRoot(document.createElement('div'));
  await act(async () => root.render(createElement(Shown)));
  const own = () => latest as ReturnType<typeof useOptimiser>;
  const run = (part: Partial<Wanted> = {}) => act(async () => void own().run({ body: { BatteryCapacityMaxKwh: 100, day: 'today' }, file: null, place: { lat: '17.7', lon: '83.2' }, ...part }));
  return { own, run, cancel: () => act(async () => own().cancel()), clear: () => act(async () => own().clear()), leave: () => act(async () => root.unmount()) };
}

const file = () => new File(['1\n'], 'demand.csv', { type: 'text/csv' });
const taken = (handle: string, expires = NOW + 86_400_000) => ({ statusCode: 200, message: '', result: { handle, days: null, values: 48, expires: new Date(expires).toISOString() } });
const done = (cost: number) => ({ statusCode: 200, message: '', result: plan(cost) });

test('a run asks with the parameters and shows the plan', async () => {
  const { own, run, leave } = await opened();
  await run();
  expect([own().phase, questions.map(({ path, body }) => [path, body])]).toEqual(['running', [['/api/optimisebattery/12193', { BatteryCapacityMaxKwh: 100, day: 'today' }]]]);
  await questions[0]?.answer(200, done(5));
  expect([own().phase, own().data?.cost, own().problem]).toEqual(['idle', 5, '']);
  await leave();
});

test('a file goes first, with the place, and tells how far it is; its handle goes with this run and with the next', async () => {
  const { own, run, leave } = await opened();
  const held = file();
  await run({ file: held });
  const [upload] = Upload.all;
  expect([own().phase, questions.length, upload?.path, upload?.headers.get('Authorization')]).toEqual(['uploading', 0, '/api/optimisebattery/12193/demandfile', 'Bearer token']);
  expect([upload?.form?.get('lat'), upload?.form?.get('lon'), (upload?.form?.get('file') as File).name]).toEqual(['17.7', '83.2', 'demand.csv']);
  await upload?.sent(50, 200);
  expect(own().progress).toBe(0.25);
  await upload?.answer(200, taken('ab12'));
  expect([own().phase, questions[0]?.body.demandFile]).toEqual(['running', 'ab12']);
  await questions[0]?.answer(200, done(1));
  await run({ file: held });
  expect([Upload.all.length, questions[1]?.body.demandFile]).toEqual([1, 'ab12']);
  await questions[1]?.answer(200, done(2));
  await run({ file: file() });
  expect(Upload.all).toHaveLength(2);
  await leave();
});

test('a file is sent anew when its handle has expired, and after the server has it no more', async () => {
  const { own, run, leave } = await opened();
  const held = file();
  await run({ file: held });
  await Upload.all[0]?.answer(200, taken('one', NOW + 3_600_000));
  await questions[0]?.answer(404, { statusCode: 404, message: 'That file is not there any more. Please choose it again.', result: null });
  expect([own().problem, own().taken]).toEqual(['That file is not there any more. Please choose it again.', null]);
  await run({ file: held });
  expect(Upload.all).toHaveLength(2);
  await Upload.all[1]?.answer(200, taken('two', NOW + 3_600_000));
  await questions[1]?.answer(200, done(2));
  now = NOW + 3_590_000;
  await run({ file: held });
  expect(Upload.all).toHaveLength(3);
  await leave();
});

test('a file that is refused is told of with its faults until they are cleared, nothing runs, and the last plan stays', async () => {
  const { own, run, clear, leave } = await opened();
  await run();
  await questions[0]?.answer(200, done(7));
  await run({ file: file() });
  const faults = [{ line: 3, column: 'kW', what: 'is "x"; a number' }];
  await Upload.all[0]?.answer(400, { statusCode: 400, message: 'line 3, column kW: is "x"; a number', faults });
  expect([own().phase, own().problem, own().faults, own().data?.cost, questions.length]).toEqual(['idle', 'line 3, column kW: is "x"; a number', faults, 7, 1]);
  await clear();
  expect([own().problem, own().faults, own().data?.cost]).toEqual(['', [], 7]);
  await leave();
});

test('what cannot be planned is told in the server’s words, and the last plan stays', async () => {
  const { own, run, leave } = await opened();
  await run();
  await questions[0]?.answer(200, done(7));
  await run();
  await questions[1]?.answer(422, { statusCode: 422, message: 'demand is above the import limit in slot 37', result: null });
  expect([own().phase, own().problem, own().data?.cost]).toEqual(['idle', 'demand is above the import limit in slot 37', 7]);
  await leave();
});

test('a run that is given up, and one that another takes over, say nothing any more', async () => {
  const { own, run, cancel, leave } = await opened();
  await run();
  await run();
  expect([questions[0]?.signal.aborted, questions[1]?.signal.aborted]).toEqual([true, false]);
  await questions[1]?.answer(200, done(2));
  expect([own().data?.cost, own().problem]).toEqual([2, '']);
  await run({ file: file() });
  await cancel();
  expect([Upload.all[0]?.isAborted, own().phase, own().problem, questions.length]).toEqual([true, 'idle', '', 2]);
  await run();
  await leave();
  expect(questions[2]?.signal.aborted).toBe(true);
});

test('who gives up the first run is told that there is no plan', async () => {
  const { own, run, cancel, leave } = await opened();
  await run();
  await cancel();
  expect([own().phase, own().data, own().problem]).toEqual(['idle', null, 'Cancelled: there is no plan yet. Submit works one out.']);
  await leave();
});
