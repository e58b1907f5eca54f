// Generated selections, schedules, runs and links. Calls change them while the page is open.
import { NOW } from './reports-data';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const iso = (ms: number) => new Date(ms).toISOString();

interface Row {
  id: number;
  [field: string]: unknown;
}

const question = (report: string, level: string, levelId: number[], more: object = {}) => ({ report, reportType: 'historic', level, levelId, ...more });

let selections: Row[] = [
  { id: 1, name: 'Harbour events, this November', question: question('EVENT_LOG', 'division', [4], { frequency: 6, frequencyValue: '2026-11-01,2026-11-21' }), format: 'xlsx', created: iso(NOW - 5 * DAY) },
  { id: 2, name: 'SAIDI of the last financial year', question: question('SAIDI_SAIFI', 'client', [1], { frequency: 4, frequencyValue: '2025-2026', excludeMomentary: false }), format: 'pdf', created: iso(NOW - 40 * DAY) },
  { id: 3, name: 'Quayside and a place that has gone', question: question('LIMIT_VIOLATION', 'location', [100, 103, 999], { frequency: 2, frequencyValue: '2026-10', quantity: 'current' }), format: 'csv', created: iso(NOW - 2 * DAY) },
];

const run = (id: number, due: number, state: string, more: object = {}) => ({ id, due: iso(due), started: iso(due + 2_000), finished: state === 'running' ? null : iso(due + 40_000), state, rows: null, bytes: null, fileName: null, message: '', mailed: false, period: '2026-11-09,2026-11-15', ...more });
const MONDAY = Date.UTC(2026, 10, 16, 0, 30);
const runs: Record<number, Row[]> = {
  1: [
    run(14, MONDAY, 'done', { rows: 12_408, bytes: 1_843_220, fileName: 'Event-Log_2026-11-16_06-00-00.xlsx', mailed: true }),
    run(13, MONDAY - 7 * DAY, 'empty', { period: '2026-11-02,2026-11-08', message: 'There was no event in these days.' }),
    run(12, MONDAY - 14 * DAY, 'done', { rows: 9_771, bytes: 1_204_118, fileName: 'Event-Log_2026-11-02_06-00-00.xlsx', period: '2026-10-26,2026-11-01', message: 'Mail to asha.rao@harbour.example was refused: mailbox full.' }),
    run(11, MONDAY - 21 * DAY, 'failed', { period: '2026-10-19,2026-10-25', message: 'The utility keeps 1 GiB of files already. Delete some, or keep them for fewer days.' }),
  ],
  2: [run(21, Date.UTC(2026, 10, 1, 1, 30), 'failed', { period: '2026-10-01,2026-10-31', message: 'The member who made it has no page for reports any more.' })],
  3: [],
  4: [],
};

let schedules: Row[] = [
  { id: 1, name: 'Events for the Monday meeting', question: question('EVENT_LOG', 'division', [4, 5]), period: 'week', format: 'xlsx', every: 'week', weekday: 1, dayOfMonth: null, time: '06:00', mailTo: ['meera.iyer@harbour.example', 'asha.rao@harbour.example'], keepDays: 90, enabled: true, createdBy: 'Meera Iyer', mine: true, nextDue: iso(MONDAY + 7 * DAY) },
  { id: 2, name: 'Performance for the board', question: question('MONTHLY_PERFORMANCE', 'client', [1]), period: 'month', format: 'pdf', every: 'month', weekday: null, dayOfMonth: 1, time: '07:00', mailTo: [], keepDays: 365, enabled: true, createdBy: 'Asha Rao', mine: false, nextDue: iso(Date.UTC(2026, 11, 1, 1, 30)) },
  { id: 3, name: 'RTU health at dawn', question: question('RTU_HEALTH', 'location', [100, 101, 102, 103], { reportType: 'realtime' }), period: 'day', format: 'pdf', every: 'day', weekday: null, dayOfMonth: null, time: '05:30', mailTo: [], keepDays: 30, enabled: true, createdBy: 'Meera Iyer', mine: true, nextDue: iso(Date.UTC(2026, 10, 22, 0, 0)) },
  { id: 4, name: 'Limit violations, voltage', question: question('LIMIT_VIOLATION', 'asset', [1000], { quantity: 'voltage' }), period: 'day', format: 'csv', every: 'day', weekday: null, dayOfMonth: null, time: '05:45', mailTo: [], keepDays: 30, enabled: false, createdBy: 'Meera Iyer', mine: true, nextDue: null },
];
const links: Record<number, Row[]> = { 14: [{ id: 1, expires: iso(NOW + 3 * DAY), created: iso(NOW - 4 * DAY) }] };

let next = 100;

/** The rows of a list after a call. */
function changed(rows: Row[], method: string, id: number, body: object | null): Row[] {
  if (method === 'POST') return [...rows, { id: next++, created: iso(NOW), mine: true, createdBy: 'Meera Iyer', nextDue: iso(NOW + DAY), ...body }];
  return method === 'DELETE' ? rows.filter((row) => row.id !== id) : rows.map((row) => (row.id === id ? { ...row, ...body } : row));
}

/** The simulated answer to a call about saved selections, schedules or links. */
export function answerOfKept(call: string, method: string, body: Record<string, unknown> | null, isNone: boolean): { status?: number; result: unknown } {
  const [, area = '', id = '', part = ''] = call.split('/');
  const of = Number(id);
  if (isNone && method === 'GET') return { result: [] };
  if (area === 'selections') {
    if (method !== 'GET') selections = changed(selections, method, of, body);
    return { result: selections };
  }
  if (part === 'runs') {
    // A running run is done at the next request.
    const rows = runs[of] ?? [];
    runs[of] = rows.map((row) => (row.state === 'running' && NOW - Number(row.seen ?? NOW) > 0 ? { ...row, state: 'done', rows: 37, bytes: 48_200, fileName: 'Report_2026-11-22_14-03-00.pdf', finished: iso(NOW) } : { ...row, seen: NOW - 1 }));
    return { result: rows };
  }
  if (part === 'run') {
    const started = run(next++, NOW, 'running', { period: '2026-11-21,2026-11-21' });
    runs[of] = [started, ...(runs[of] ?? [])];
    return { result: started };
  }
  if (part === 'links') {
    if (method === 'GET') return { result: links[of] ?? [] };
    const made = { id: next++, url: '/api/reports/file/3q2-7wAAQm9vb2tlZXBlcnMtYXJlLWZyb20tTWFyczEyMzQ1Njc4', expires: iso(NOW + Number(body?.days) * DAY), created: iso(NOW) };
    links[of] = [...(links[of] ?? []), made];
    return { result: made };
  }
  if (area === 'links') {
    for (const key of Object.keys(links)) links[Number(key)] = (links[Number(key)] ?? []).filter((row) => row.id !== of);
    return { result: null };
  }
  if (method !== 'GET') schedules = changed(schedules, method, of, body);
  return { result: schedules.map((row) => ({ ...row, lastRun: runs[row.id]?.[0] ?? null })) };
}
