// Tests of the order and the numbers of alarms.
import { expect, test } from 'vitest';
import type { AlarmRow } from '../../wire/monitoring';
import { byImportance, standing } from './standing';

const NOW = Date.parse('2026-11-01T12:00:00Z');
const row = (id: number, more: Partial<AlarmRow>): AlarmRow => ({
  id, kind: 'high', priority: 2, state: 'active_unacked', pointId: 1, assetId: 1, assetName: 'PTR-1', locationId: 1, locationName: 'Mill', text: 'WTI high', value: 98, limit: 95, unit: '°C',
  customers: 0, raised: '2026-11-01T11:59:00Z', cleared: null, acknowledged: null, acknowledgedBy: null, shelvedUntil: null, shelvedBy: null, shelvedReason: null, owner: null, note: null, count: 1, offset: id, ...more,
});

test('the highest unacknowledged alarm comes first, the newest of equals', () => {
  const rows = [row(1, {}), row(2, { priority: 1, state: 'active_acked' }), row(3, { raised: '2026-11-01T11:59:30Z' }), row(4, { priority: 3 })];
  expect(standing(rows, NOW).first?.id).toBe(3);
  expect([...rows].sort(byImportance).map(({ id }) => id)).toEqual([2, 3, 1, 4]);
});

test('shelved ones are counted apart and come back when their time is over', () => {
  const rows = [row(1, { priority: 1, shelvedUntil: '2026-11-01T12:30:00Z' }), row(2, { priority: 1, shelvedUntil: '2026-11-01T11:30:00Z' })];
  expect(standing(rows, NOW)).toMatchObject({ shelved: 1, unacknowledged: 1, active: [1, 0, 0], first: { id: 2 } });
});

test('what has cleared still waits for somebody, and is not active any more', () => {
  expect(standing([row(1, { state: 'cleared_unacked' })], NOW)).toMatchObject({ unacknowledged: 1, active: [0, 0, 0], highest: 2 });
  expect(standing([], NOW)).toMatchObject({ first: null, highest: null });
});

test('alarms of the last ten minutes are counted', () => {
  expect(standing([row(1, {}), row(2, { raised: '2026-11-01T11:40:00Z' })], NOW).recent).toBe(1);
});
