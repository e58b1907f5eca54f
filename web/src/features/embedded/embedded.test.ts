// Tests of the addresses that may be framed, and of the messages to the Power BI frame.
import { expect, test } from 'vitest';
import { framed, loadRequest, parseFrameMessage, renewalMs, SANDBOX, tokenRequest } from './framing';

const OWN = 'https://scada.example';

test.each([
  ['https://app.powerbi.com/reportEmbed?reportId=7', true],
  ['https://reports.example:8443/', true],
  ['https://scada.example/anything', false],
  ['http://reports.example/', false],
  ['https://user:secret@reports.example/', false],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['/powerbi', false],
  ['', false],
])('%s may be framed: %s', (address, may) => {
  expect(framed(address, OWN) !== null).toBe(may);
});

test('a frame runs scripts and keeps its origin, and nothing else', () => {
  expect(SANDBOX.split(' ').sort()).toEqual(['allow-same-origin', 'allow-scripts']);
});

const IDS = { id: 'a', uid: 'r' };
const INFO = { accessToken: 'secret', embedUrl: 'https://app.powerbi.com/reportEmbed?reportId=7', reportId: '', filter: null, expires: '2026-11-22T13:00:00.000Z' };

test('a report is loaded with the token of this utility; its id is in the address if the server does not send it', () => {
  const { method, url, body } = loadRequest(INFO, 16, IDS) as { method: string; url: string; body: Record<string, unknown> };
  expect([method, url, body.accessToken, body.id, body.tokenType]).toEqual(['POST', '/report/load', 'secret', '7', 1]);
  expect(body).not.toHaveProperty('filters');
});

test('the filter holds the client id alone and is locked', () => {
  const { body } = loadRequest({ ...INFO, filter: { table: 'Sites', column: 'ClientId' } }, 16, IDS) as { body: { filters: unknown[] } };
  expect(body.filters).toEqual([expect.objectContaining({ target: { table: 'Sites', column: 'ClientId' }, operator: 'In', values: [16], displaySettings: { isLockedInViewMode: true } })]);
});

test.each([
  ['2026-11-22T12:00:00Z', 50],
  ['2026-11-22T12:30:00Z', 26],
  ['2026-11-22T12:58:00Z', 1],
  ['2026-11-22T14:00:00Z', 1],
])('a token that ends at one is renewed in time at %s: in %s minutes', (now, minutes) => {
  expect(renewalMs(INFO.expires, Date.parse(now))).toBe(minutes * 60_000);
});

test('a token without a known end is renewed at the latest, and goes to the report that is there', () => {
  expect(renewalMs('', 0)).toBe(50 * 60_000);
  const { url, body } = tokenRequest({ accessToken: 'next' }, IDS) as { url: string; body: unknown };
  expect([url, body]).toEqual(['/report/token', 'next']);
});

const event = (url: string, body: unknown = {}) => ({ method: 'POST', url, headers: { id: 'e' }, body });

test.each([
  [{ statusCode: 202, headers: { id: 'a' }, body: {} }, { kind: 'answer', id: 'a', status: 202, problem: null }],
  [{ statusCode: 403, headers: { id: 'a' }, body: { message: 'TokenExpired' } }, { kind: 'answer', id: 'a', status: 403, problem: { text: 'TokenExpired', isExpired: true } }],
  [{ statusCode: 500, headers: { id: 'a' }, body: 'no object' }, { kind: 'answer', id: 'a', status: 500, problem: { text: '', isExpired: false } }],
  [event('/reports/r/events/loaded'), { kind: 'event', id: 'e', name: 'loaded', problem: null }],
  [event('/reports/r/events/error', { message: 'm', detailedMessage: 'The model is gone.' }), { kind: 'event', id: 'e', name: 'error', problem: { text: 'The model is gone.', isExpired: false } }],
  [event('/reports/other/events/loaded'), null],
  [event('/ready/r'), null],
  ['text', null],
  [null, null],
])('a message of the frame is parsed: %o', (data, message) => {
  expect(parseFrameMessage(data, 'r')).toEqual(message);
});

test('a text of Power BI is shown up to 200 characters', () => {
  const message = parseFrameMessage(event('/reports/r/events/error', { message: 'x'.repeat(500) }), 'r');
  expect(message?.problem?.text).toHaveLength(200);
});
