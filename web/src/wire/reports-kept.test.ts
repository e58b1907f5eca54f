// Tests of saved report data, received and sent: absent fields are null, one place becomes a list, and null fields are not sent.
import { afterEach, expect, test, vi } from 'vitest';
import { asSent, downloadRun, getKept, getLinks, getSchedules, makeLink, runNow } from './reports-kept';

afterEach(() => vi.unstubAllGlobals());

function answering(result: unknown, status = 200) {
  const questions: { path: string; init: RequestInit }[] = [];
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    questions.push({ path, init });
    return Promise.resolve(Response.json({ statusCode: status, message: status === 200 ? '' : 'There is no such schedule.', result }, { status }));
  });
  return questions;
}

const never = () => new AbortController().signal;
const QUESTION = { report: 'EVENT_LOG', level: 'location', levelId: 17, frequency: 7, frequencyValue: '2026-11-01', limit: null };
const RUN = { id: 3, due: '2026-11-22T00:30:00Z', ready: null, started: null, finished: null, state: 'waiting', rows: null, bytes: null, fileName: null, message: '', mailed: false, period: '2026-11-21,2026-11-21' };
const SCHEDULE = { id: 1, name: 'A', question: { report: 'EVENT_LOG', level: 'division', levelId: [4] }, period: 'day', format: 'pdf', every: 'day', weekday: null, dayOfMonth: null, time: '06:00', mailTo: [], keepDays: 90, enabled: true, createdBy: null, mine: false, nextDue: null, lastRun: RUN };

test('a saved question is read with one place as a list and absence as null, and sent back without what is not asked', async () => {
  answering([{ id: 1, name: 'Here', question: QUESTION, format: 'csv', created: '2026-11-01T00:00:00Z' }]);
  const [kept] = await getKept('token');
  expect(kept?.question).toEqual({ report: 'EVENT_LOG', reportType: 'historic', level: 'location', levelId: [17], frequency: 7, frequencyValue: '2026-11-01', excludeMomentary: null, limit: null, quantity: null, sampleMinutes: null });
  expect(kept && asSent(kept.question)).toEqual({ report: 'EVENT_LOG', reportType: 'historic', level: 'location', levelId: [17], frequency: 7, frequencyValue: '2026-11-01' });
});

test('a schedule comes with its last run, and its question has no days to send back', async () => {
  const questions = answering([SCHEDULE]);
  const [schedule] = await getSchedules('token', { isBackground: true });
  expect([schedule?.lastRun?.state, schedule?.createdBy, schedule?.mine]).toEqual(['waiting', null, false]);
  expect(schedule && asSent(schedule.question)).toEqual({ report: 'EVENT_LOG', reportType: 'historic', level: 'division', levelId: [4] });
  expect(questions[0]?.init.headers).toMatchObject({ 'X-Switchyard-Background': '1' });
});

test.each([
  ['a state that there is not', [{ ...SCHEDULE, lastRun: { ...RUN, state: 'lost' } }]],
  ['a rhythm that there is not', [{ ...SCHEDULE, every: 'hour' }]],
  ['no list', {}],
])('%s is no answer', async (_, result) => {
  answering(result);
  await expect(getSchedules('token')).rejects.toThrow('Something went wrong...');
});

test('running now answers the run, or the words of the server', async () => {
  const questions = answering(RUN);
  expect((await runNow('token', 1, never())).id).toBe(3);
  expect([questions[0]?.path, questions[0]?.init.method]).toEqual(['/api/reports/schedules/1/run', 'POST']);
  answering(null, 404);
  await expect(runNow('token', 1, never())).rejects.toThrow('There is no such schedule.');
});

test('the file of a run is asked for with the session, and without a body', async () => {
  const questions: RequestInit[] = [];
  vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
    questions.push(init);
    return Promise.resolve(new Response('%PDF', { headers: { 'Content-Disposition': 'attachment; filename="e.pdf"' } }));
  });
  const { name, blob, rows } = await downloadRun('token', 3, never(), () => undefined);
  expect([name, blob.size, rows]).toEqual(['e.pdf', 4, null]);
  expect([questions[0]?.method, questions[0]?.body, questions[0]?.headers]).toEqual(['GET', undefined, { Authorization: 'Bearer token' }]);
});

test('a link tells its address once; those that are out do not', async () => {
  const questions = answering({ id: 5, url: '/api/reports/file/abc', expires: '2026-11-29T00:00:00Z' });
  expect((await makeLink('token', 3, 7)).url).toBe('/api/reports/file/abc');
  expect(JSON.parse(String(questions[0]?.init.body))).toEqual({ days: 7 });
  answering([{ id: 5, url: '/api/reports/file/abc', expires: '2026-11-29T00:00:00Z', created: '2026-11-22T00:00:00Z' }]);
  expect(await getLinks('token', 3)).toEqual([{ id: 5, expires: '2026-11-29T00:00:00Z', created: '2026-11-22T00:00:00Z' }]);
});
