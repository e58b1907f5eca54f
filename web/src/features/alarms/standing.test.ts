// Tests of the order and the numbers of alarms.
import { expect, test } from 'vitest';
import type { AlarmRow } from '../../wire/monitoring';
import { byImportance, consequences, occurrenceOf, standing } from './standing';

const NOW = Date.parse('2026-11-01T12:00:00Z');
const row = (id: number, more: Partial<AlarmRow>): AlarmRow => ({
  id, kind: 'high', priority: 2, state: 'active_unacked', pointId: 1, assetId: 1, assetName: 'PTR-1', locationId: 1, locationName: 'Mill', text: 'WTI high', value: 98, limit: 95, unit: '°C',
  customers: 0, raised: '2026-11-01T11:59:00Z', cleared: null, acknowledged: null, acknowledgedBy: null, shelvedUntil: null, shelvedBy: null, shelvedReason: null, owner: null, note: null, count: 1, causeId: null, offset: id, ...more,
});

test('the highest unacknowledged alarm comes first, the newest of equals', () => {
  const rows = [row(1, {}), row(2, { priority: 1, state: 'active_acked' }), row(3, { raised: '2026-11-01T11:59:30Z' }), row(4, { priority: 3 })];
  expect(standing(rows, NOW).first?.id).toBe(3);
  expect([...rows].sort(byImportance).map(({ id }) => id)).toEqual([2, 3, 1, 4]);
});

test('a cleared alarm of months ago is never above an active one', () => {
  const old = row(1, { priority: 1, state: 'cleared_unacked', raised: '2026-06-01T12:00:00Z', cleared: '2026-06-01T12:00:01Z' });
  const active = row(2, { priority: 2 });
  expect(standing([old, active], NOW)).toMatchObject({ first: { id: 2 }, highest: 2, unacknowledged: 2 });
  expect([old, row(3, { priority: 3, state: 'active_acked' }), active].sort(byImportance).map(({ id }) => id)).toEqual([2, 3, 1]);
});

test('a failed command ranks as active until it is acknowledged', () => {
  const failed = row(1, { priority: 1, kind: 'command', state: 'cleared_unacked' });
  expect(standing([row(2, { priority: 2 }), failed], NOW).first?.id).toBe(1);
});

test('an alarm that is raised again comes to the front with its new time', () => {
  const [again, other] = [row(1, { count: 3, raised: '2026-11-01T11:59:50Z' }), row(2, { raised: '2026-11-01T11:59:40Z' })];
  expect(standing([other, again], NOW).first?.id).toBe(1);
  expect(occurrenceOf(again)).not.toBe(occurrenceOf({ ...again, count: 2, raised: '2026-11-01T11:00:00Z' }));
});

test('consequences follow their cause and count nowhere', () => {
  const [trip, low, other] = [row(1, { priority: 1, kind: 'trip' }), row(2, { state: 'suppressed', causeId: 1, priority: 1 }), row(3, { priority: 1, raised: '2026-11-01T10:00:00Z' })];
  expect(standing([low, trip, other], NOW)).toMatchObject({ unacknowledged: 2, active: [2, 0, 0], recent: 1, first: { id: 1 } });
  const { of, order } = consequences([low, trip, other]);
  expect(of.get(1)?.map(({ id }) => id)).toEqual([2]);
  expect([other, low, trip].sort(order).map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(consequences([low]).of.size, 'without its cause it is shown by itself').toBe(0);
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
