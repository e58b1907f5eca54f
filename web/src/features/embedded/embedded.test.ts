// What may be framed, and what the frame of Power BI is told.
import { expect, test } from 'vitest';
import { framed, loadRequest, SANDBOX } from './framing';

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

const INFO = { accessToken: 'secret', embedUrl: 'https://app.powerbi.com/reportEmbed?reportId=7', reportId: '', filter: null };

test('a report is loaded with the token of this utility; its id stands in the address where it is not told', () => {
  const { method, url, body } = loadRequest(INFO, 16, 'a') as { method: string; url: string; body: Record<string, unknown> };
  expect([method, url, body.accessToken, body.id, body.tokenType]).toEqual(['POST', '/report/load', 'secret', '7', 1]);
  expect(body).not.toHaveProperty('filters');
});

test('the filter holds the client id alone and is locked', () => {
  const { body } = loadRequest({ ...INFO, filter: { table: 'Sites', column: 'ClientId' } }, 16, 'a') as { body: { filters: unknown[] } };
  expect(body.filters).toEqual([expect.objectContaining({ target: { table: 'Sites', column: 'ClientId' }, operator: 'In', values: [16], displaySettings: { isLockedInViewMode: true } })]);
});
