// Tests of the list of schedules and of their runs in all states: loading, empty, failed, out of date, running, cancelled, done, switched
// off, deleted, and read-only.
// @vitest-environment jsdom
import { act, createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Login } from '../../wire/rest';
import type { ScheduleForm } from './schedule';
import { Schedules } from './Schedules';

const NOW = Date.parse('2026-11-22T08:33:00Z');
const LOGIN = { id: 9, token: 'token', clientId: 1, clientName: 'Harbour', roleId: 4, timeZone: 'Asia/Kolkata', showGDSData: false, fName: 'A', lName: 'B', email: 'a@b.example' } as Login;
const RUN = { id: 3, due: '2026-11-22T00:30:00Z', ready: null, started: null, finished: null, state: 'waiting', rows: null, bytes: null, fileName: null, message: '', mailed: false, period: '2026-11-21,2026-11-21' };
const DONE = { ...RUN, state: 'done', finished: '2026-11-22T00:31:00Z', rows: 7, bytes: 900, fileName: 'e.csv' };
const SCHEDULE = { id: 1, name: 'Morning', question: { report: 'EVENT_LOG', reportType: 'historic', level: 'location', levelId: [17] }, period: 'day', format: 'csv', every: 'day', weekday: null, dayOfMonth: null, time: '06:00', mailTo: [], keepDays: 90, enabled: true, createdBy: 'A', mine: true, nextDue: '2026-11-23T00:30:00Z', lastRun: null };

type Said = { readonly status?: number; readonly result: unknown; readonly message?: string } | 'never';
let says: Record<string, Said>;
let asked: { readonly call: string; readonly body: unknown; readonly isBackground: boolean }[];

beforeAll(() => {
  HTMLDialogElement.prototype.showModal ??= function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function close() {
    this.open = false;
  };
});
beforeEach(() => {
  asked = [];
  says = {
    'GET pfcreport/reportslist': { result: [{ ReportId: 2, ReportName: 'Event Log', ReportKey: 'EVENT_LOG', Historic: true, RealTime: false, ReportFrequencyListIds: [1, 7] }] },
    'GET role/rolesbyroleidinclself/4': { result: [{ roleId: 8, levelName: 'SubstationAdmin', tabsList: '' }] },
    'GET client/clientconfiguration/1': { result: { labels: null } },
    'GET substation/substationsbyuser/9': { result: [{ displayId: 17, displayName: 'Quayside', breadCrumbName: 'Quayside' }] },
  };
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    const call = `${init.method ?? 'GET'} ${path.replace('/api/', '')}`;
    const said = says[call] ?? { status: 404, result: null, message: `nothing at ${call}` };
    asked.push({ call, body: init.body ? JSON.parse(String(init.body)) : null, isBackground: 'X-Switchyard-Background' in (init.headers as object) });
    if (said === 'never') return new Promise(() => undefined);
    const { status = 200, result, message = '' } = said;
    return Promise.resolve(Response.json({ statusCode: status, message, result }, { status }));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

const passes = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function opened(readOnly = false) {
  const Shown = () => {
    const [draft, setDraft] = useState<ScheduleForm | null>(null);
    return createElement(Schedules, { login: LOGIN, now: () => NOW, readOnly, draft, onDraft: setDraft });
  };
  const element = document.body.appendChild(document.createElement('div'));
  const root = createRoot(element);
  await act(async () => root.render(createElement(Shown)));
  await passes(10);
  const find = (testId: string) => element.querySelector<HTMLElement>(`[data-testid="${testId}"]`);
  return {
    text: () => element.textContent ?? '',
    find,
    press: async (testId: string) => {
      await act(async () => find(testId)?.click());
      await passes(10);
    },
    leave: () => act(async () => root.unmount()),
  };
}

const calls = (call: string) => asked.filter((one) => one.call === call);

test('while the list is not known it says that it loads, and not that there is none', async () => {
  says['GET reports/schedules'] = 'never';
  const { text, find, leave } = await opened();
  expect([text().includes('Loading...'), find('schedules-none')]).toEqual([true, null]);
  await leave();
});

test('none is told with what a schedule is for', async () => {
  says['GET reports/schedules'] = { result: [] };
  const { find, leave } = await opened();
  expect(find('schedules-none')?.textContent).toContain('There are no schedules yet.');
  await leave();
});

test('what fails says why, and is asked again by the person', async () => {
  says['GET reports/schedules'] = { status: 503, result: null, message: 'The database does not answer.' };
  const { text, find, leave } = await opened();
  expect([text().includes('The database does not answer.'), find('schedules-none')]).toEqual([true, null]);
  await leave();
});

test('a line tells report, place, when, and the next run in the zone of the utility', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  const { text, leave } = await opened();
  for (const part of ['Morning', 'Event Log · Quayside · CSV', 'Every day at 06:00, of the day before', '23 Nov 2026 06:00', 'Not yet']) expect(text()).toContain(part);
  await leave();
});

test('a list that could not be renewed stays, and says that it is old; what a timer asks is no sign of the person', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  const { text, leave } = await opened();
  says['GET reports/schedules'] = { status: 503, result: null, message: 'The database does not answer.' };
  await passes(30_000);
  expect([text().includes('Not up to date: The database does not answer.'), text().includes('Morning')]).toEqual([true, true]);
  expect(calls('GET reports/schedules').map(({ isBackground }) => isBackground)).toEqual([false, true]);
  await leave();
});

test('a run that is asked for is followed until its file is there, and the list is told', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  says['GET reports/schedules/1/runs'] = { result: [] };
  const { find, press, text, leave } = await opened();
  await press('schedule-1');
  expect(find('runs-none')).not.toBeNull();
  says['POST reports/schedules/1/run'] = { result: RUN };
  says['GET reports/schedules/1/runs'] = { result: [{ ...RUN, state: 'running' }] };
  await press('run-now');
  expect([find('run-progress') !== null, find('run-now')?.getAttribute('aria-disabled')]).toEqual([true, 'true']);
  // A second click sends no request.
  await press('run-now');
  expect(calls('POST reports/schedules/1/run')).toHaveLength(1);
  const before = calls('GET reports/schedules').length;
  says['GET reports/schedules/1/runs'] = { result: [DONE] };
  await passes(2_000);
  expect([find('run-progress'), find('run-3-file') !== null, text().includes('Done · 7 rows · 900 B')]).toEqual([null, true, true]);
  expect(calls('GET reports/schedules').length).toBeGreaterThan(before);
  await leave();
});

test('a run that cannot be asked for says why, and may be asked for again', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  says['GET reports/schedules/1/runs'] = { result: [] };
  says['POST reports/schedules/1/run'] = { status: 429, result: null, message: 'Ten in a minute are enough.' };
  const { find, press, leave } = await opened();
  await press('schedule-1');
  await press('run-now');
  expect([find('schedule-problem')?.textContent, find('run-progress'), find('run-now')?.getAttribute('aria-disabled')]).toEqual(['Ten in a minute are enough.', null, 'false']);
  await leave();
});

test('a run that is made is stopped after one question, and who has stopped it stands there', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  says['GET reports/schedules/1/runs'] = { result: [{ ...RUN, state: 'running' }] };
  const { find, press, leave } = await opened();
  await press('schedule-1');
  await press('run-3-stop');
  await press('run-stop-no');
  expect([find('run-stop-yes'), calls('POST reports/runs/3/stop').length]).toEqual([null, 0]);
  await press('run-3-stop');
  const stopped = { ...RUN, state: 'failed', finished: '2026-11-22T00:30:20Z', message: 'Stopped by Asha Rao.' };
  says['POST reports/runs/3/stop'] = { result: stopped };
  says['GET reports/schedules/1/runs'] = { result: [stopped] };
  find('run-3-stop')?.focus();
  await press('run-stop-yes');
  expect([find('run-stop-yes'), find('run-3-stop'), find('run-progress'), find('run-now')?.getAttribute('aria-disabled')]).toEqual([null, null, null, 'false']);
  expect([find('run-3')?.textContent?.includes('Stopped by Asha Rao.'), calls('POST reports/runs/3/stop').length]).toEqual([true, 1]);
  expect(document.activeElement).toBe(find('schedule-one'));
  await leave();
});

test('a run that has ended meanwhile is not stopped, and how it ended stands there', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  says['GET reports/schedules/1/runs'] = { result: [RUN] };
  says['POST reports/runs/3/stop'] = { status: 409, result: null, message: 'There is nothing to stop any more. The report is made.' };
  const { find, press, leave } = await opened();
  await press('schedule-1');
  await press('run-3-stop');
  says['GET reports/schedules/1/runs'] = { result: [DONE] };
  await press('run-stop-yes');
  expect([find('schedule-problem')?.textContent, find('run-3-file') !== null, find('run-3-stop')]).toEqual(['There is nothing to stop any more. The report is made.', true, null]);
  await leave();
});

test('who may only look sees schedules, runs, files and links, and nothing that changes them', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  says['GET reports/schedules/1/runs'] = { result: [DONE, { ...RUN, id: 4 }] };
  says['GET reports/runs/3/links'] = { result: [{ id: 8, expires: '2026-11-29T00:30:00Z', created: null }] };
  const { find, press, text, leave } = await opened(true);
  await press('schedule-1');
  await press('run-3-links');
  expect([text().includes('Every day at 06:00'), find('run-3-file') !== null, find('link-8') !== null]).toEqual([true, true, true]);
  const writes = ['schedule-new', 'schedule-1-on', 'run-now', 'schedule-edit', 'schedule-delete', 'run-4-stop', 'link-make', 'link-withdraw'];
  expect(writes.filter((testId) => find(testId))).toEqual([]);
  await leave();
  const { find: may, press: presses, leave: go } = await opened();
  await presses('schedule-1');
  await presses('run-3-links');
  expect(writes.filter((testId) => !may(testId)), 'who may write sees them all').toEqual([]);
  await go();
});

test('what failed says why, and has no file', async () => {
  says['GET reports/schedules'] = { result: [{ ...SCHEDULE, lastRun: { ...RUN, state: 'failed' } }] };
  says['GET reports/schedules/1/runs'] = { result: [{ ...RUN, state: 'failed', message: 'The member has no page for reports any more.' }] };
  const { find, press, leave } = await opened();
  await press('schedule-1');
  expect([find('run-3')?.textContent?.includes('The member has no page for reports any more.'), find('run-3-file')]).toEqual([true, null]);
  await leave();
});

test('switching off sends all of the schedule, and only that differs', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  says['PUT reports/schedules/1'] = { result: null };
  const { press, leave } = await opened();
  await press('schedule-1-on');
  const told = ['id', 'createdBy', 'mine', 'nextDue', 'lastRun'];
  const own = Object.fromEntries(Object.entries(SCHEDULE).filter(([field]) => !told.includes(field)));
  expect(calls('PUT reports/schedules/1').map(({ body }) => body)).toEqual([{ ...own, enabled: false }]);
  await leave();
});

test('deleting asks once', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  says['GET reports/schedules/1/runs'] = { result: [] };
  says['DELETE reports/schedules/1'] = { result: 'gone' };
  const { find, press, leave } = await opened();
  await press('schedule-1');
  await press('schedule-delete');
  expect(calls('DELETE reports/schedules/1')).toHaveLength(0);
  says['GET reports/schedules'] = { result: [] };
  await press('schedule-delete-yes');
  expect([calls('DELETE reports/schedules/1').length, find('schedules-none') !== null]).toEqual([1, true]);
  await leave();
});

test('the form of one waits for the list of reports, says why there is none, and stands there when there is', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  says['GET reports/schedules/1/runs'] = { result: [] };
  const list = says['GET pfcreport/reportslist'] as Said;
  says['GET pfcreport/reportslist'] = { status: 503, result: null, message: 'The database does not answer.' };
  const { find, press, text, leave } = await opened();
  await press('schedule-1');
  await press('schedule-edit');
  expect([find('schedule-waits') !== null, text().includes('The database does not answer.'), find('schedule-name')]).toEqual([true, true, null]);
  says['GET pfcreport/reportslist'] = list;
  await act(async () => find('schedule-waits')?.querySelector<HTMLElement>('button:not([data-testid])')?.click());
  await passes(10);
  expect([find('schedule-waits'), (find('schedule-name') as HTMLInputElement | null)?.value, find('schedule-gone')]).toEqual([null, 'Morning', null]);
  await leave();
});

test('where its report is gone, the form says so', async () => {
  says['GET reports/schedules'] = { result: [SCHEDULE] };
  says['GET reports/schedules/1/runs'] = { result: [] };
  says['GET pfcreport/reportslist'] = { result: [] };
  const { find, press, leave } = await opened();
  await press('schedule-1');
  await press('schedule-edit');
  expect(find('schedule-gone')?.textContent).toBe('The report or the level of Morning is not there for you any more.');
  await leave();
});

test('no list is asked for while one is on its way', async () => {
  says['GET reports/schedules'] = 'never';
  const { leave } = await opened();
  await passes(120_000);
  expect(calls('GET reports/schedules')).toHaveLength(1);
  await leave();
});
