// Tests of the place with which a screen opens.
// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest';
import type { LevelKey } from './levels';
import { lastPlace, openingPlace, rememberPlace } from './opening';

const levels = (...keys: LevelKey[]) => keys.map((key) => ({ key }));
const ALL = levels('client', 'circle', 'division', 'town', 'subdivision', 'section', 'substation', 'asset');

beforeEach(() => localStorage.clear());

test.each([
  [1, 'division'],
  [2, 'division'],
  [3, 'substation'],
  [4, 'division'],
])('role %i opens with the level %s, whatever the last place was', (role, level) => {
  expect(openingPlace(role, ALL, null)).toEqual({ level, id: null });
  expect(openingPlace(role, ALL, { level: 'asset', id: 9 })).toEqual({ level, id: null });
});

test('within the level of the role, the last place is selected', () => {
  expect(openingPlace(2, ALL, { level: 'division', id: 5 })).toEqual({ level: 'division', id: 5 });
});

test('other roles open with their last place, else with their topmost level', () => {
  const own = levels('section', 'substation', 'asset');
  expect(openingPlace(7, own, { level: 'asset', id: 9 })).toEqual({ level: 'asset', id: 9 });
  expect(openingPlace(7, own, null)).toEqual({ level: 'section', id: null });
  // The last place of a role that a user no longer has.
  expect(openingPlace(7, own, { level: 'circle', id: 2 })).toEqual({ level: 'section', id: null });
  expect(openingPlace(7, [], null)).toBeNull();
});

test('each user of each utility has a last place of their own', () => {
  rememberPlace({ id: 7, clientId: 1 }, { level: 'substation', id: 21 });
  expect(lastPlace({ id: 7, clientId: 1 })).toEqual({ level: 'substation', id: 21 });
  expect([lastPlace({ id: 8, clientId: 1 }), lastPlace({ id: 7, clientId: 2 })]).toEqual([null, null]);
  localStorage.setItem('switchyard.place.1.7', 'nowhere/1');
  expect(lastPlace({ id: 7, clientId: 1 })).toBeNull();
});
