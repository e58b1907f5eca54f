// Tests of the place with which a screen opens.
// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest';
import type { LevelKey } from './levels';
import { lastPlace, openingNode, openingPlace, rememberPlace } from './opening';

const levels = (...keys: LevelKey[]) => keys.map((key) => ({ key }));
const ALL = levels('client', 'circle', 'division', 'town', 'subdivision', 'section', 'substation', 'asset');

beforeEach(() => localStorage.clear());

test.each([
  [1, 'division'],
  [2, 'division'],
  [3, 'substation'],
  [4, 'division'],
])('role %i opens with the level %s, whatever the last place was', (role, level) => {
  expect(openingPlace(role, ALL, null)).toEqual({ level, id: null, crumb: '' });
  expect(openingPlace(role, ALL, { level: 'asset', id: 9, crumb: 'C › D › S › F' })).toEqual({ level, id: null, crumb: 'C › D › S › F' });
});

test('within the level of the role, the last place is selected', () => {
  expect(openingPlace(2, ALL, { level: 'division', id: 5, crumb: 'C › D' })).toEqual({ level: 'division', id: 5, crumb: 'C › D' });
});

test('other roles open with their last place, else with their topmost level', () => {
  const own = levels('section', 'substation', 'asset');
  expect(openingPlace(7, own, { level: 'asset', id: 9, crumb: '' })).toEqual({ level: 'asset', id: 9, crumb: '' });
  expect(openingPlace(7, own, null)).toEqual({ level: 'section', id: null, crumb: '' });
  // The last place of a role that a user no longer has.
  expect(openingPlace(7, own, { level: 'circle', id: 2, crumb: 'C' })).toEqual({ level: 'section', id: null, crumb: 'C' });
  expect(openingPlace(7, [], null)).toBeNull();
});

test('a level above the last place opens with the node above it', () => {
  const rows = [
    { displayId: 1, breadCrumbName: 'North › Har' },
    { displayId: 2, breadCrumbName: 'North › Harbour' },
  ];
  const place = { level: 'division' as const, id: null };
  expect(openingNode({ ...place, crumb: 'North › Harbour › Quayside › F2' }, rows)?.displayId).toBe(2);
  expect(openingNode({ ...place, crumb: 'South › Mill' }, rows)?.displayId).toBe(1);
  expect(openingNode({ ...place, id: 2, crumb: 'North › Har › Pier' }, rows)?.displayId).toBe(2);
  expect(openingNode({ ...place, crumb: '' }, [])).toBeNull();
});

test('each user of each utility has a last place of their own', () => {
  rememberPlace({ id: 7, clientId: 1 }, { level: 'substation', id: 21, crumb: 'C › D 1/2 › S' });
  expect(lastPlace({ id: 7, clientId: 1 })).toEqual({ level: 'substation', id: 21, crumb: 'C › D 1/2 › S' });
  expect([lastPlace({ id: 8, clientId: 1 }), lastPlace({ id: 7, clientId: 2 })]).toEqual([null, null]);
  localStorage.setItem('switchyard.place.1.7', 'nowhere/1');
  expect(lastPlace({ id: 7, clientId: 1 })).toBeNull();
});
