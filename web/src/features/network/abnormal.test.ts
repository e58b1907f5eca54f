// The texts of the list of switches that are not in their normal position.
import { expect, test } from 'vitest';
import { presentText, sinceText, type AbnormalSwitch } from './AbnormalTable';

const row: AbnormalSwitch = {
  equipment: { id: 'Q/F1CB', name: 'F1 CB', kind: 'Breaker', stationId: 1, station: 'Quayside', assetId: 2, pointId: 3 },
  feederId: null,
  feeder: null,
  normal: 'closed',
  present: 'open',
  since: '2026-05-01T10:00:00Z',
  lastKnown: 'open',
  reported: '2026-05-01T11:00:00Z',
  customers: 7,
};
const now = Date.parse('2026-05-01T12:00:00Z');
const since = (changes: Partial<AbnormalSwitch>) => sinceText({ ...row, ...changes }, now, 'UTC');

test('says since when a switch has its position, and what is not known of it', () => {
  expect(since({})).toBe('10:00:00');
  expect(since({ since: null })).toBe('not known; reported 11:00:00');
  expect(since({ since: null, present: 'unknown' })).toBe('last report 11:00:00');
  expect(since({ since: null, reported: null, present: 'unknown' })).toBe('never reported');
});

test('an entered position is marked, with the time at which it was observed', () => {
  expect(presentText({ ...row, observed: '2026-05-01T09:00:00Z' })).toBe('S Open');
  expect(since({ since: null, reported: null, observed: '2026-05-01T09:00:00Z' })).toBe('observed 09:00:00');
});

test('a position that is not known has the last one beside it', () => {
  expect(presentText(row)).toBe('Open');
  expect(presentText({ ...row, present: 'unknown' })).toBe('Not known, last open');
  expect(presentText({ ...row, present: 'unknown', lastKnown: null })).toBe('Not known');
});
