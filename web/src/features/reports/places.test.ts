// Tests of lists of places, narrowed by division and substation.
import { expect, test } from 'vitest';
import { feedersIn, locationsIn, optionOf } from './places';

const item = (displayId: number, more: object) => ({ displayId, displayName: `N${displayId}`, breadCrumbName: `Up › N${displayId}`, ...more });
const LOCATIONS = [item(10, { divisionId: 1 }), item(11, { divisionId: 2 }), item(12, { divisionId: 1 })];
const FEEDERS = [item(100, { assetPointId: 10 }), item(101, { assetPointId: 11 }), item(102, { assetPointId: 12 }), item(103, {})];
const ids = (rows: readonly { displayId: number }[]) => rows.map(({ displayId }) => displayId);

test.each([
  [null, [10, 11, 12]],
  [1, [10, 12]],
  [3, []],
])('division %s has the substations %j', (division, expected) => {
  expect(ids(locationsIn(LOCATIONS, division))).toEqual(expected);
});

test.each([
  [null, null, [100, 101, 102, 103]],
  [1, null, [100, 102]],
  [1, 12, [102]],
  [null, 11, [101]],
  [3, null, []],
])('division %s and substation %s have the assets %j', (division, location, expected) => {
  expect(ids(feedersIn(FEEDERS, LOCATIONS, division, location))).toEqual(expected);
});

test('a place is found by its name and by what is above it', () => {
  expect(optionOf(item(10, {}))).toEqual({ id: 10, name: 'N10', detail: 'Up › N10' });
});
