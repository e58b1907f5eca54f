// Tests of tabs by application, role, level and node, of places in addresses, and of the line of a breaker.
import { expect, test } from 'vitest';
import type { LevelKey } from '../ui/levels';
import { writePreset } from '../features/hierarchy/preset';
import { deviceIn, lineOf, optimiserPages, optimiserPlace, placeIn, queryOf, tabsAt } from './analytics';
import type { Tab } from './tabs';

const tab = (key: string, name: string, path: string): Tab => ({ key, name, view: '', app: '', path, sequence: 0, readonly: true });
const TABS = [
  tab('ee.energy', 'Energy', '/eereportsnew'),
  tab('ee.reliability', 'Reliability', '/eereportsnew'),
  tab('ee.quality-check', 'Quality Check', '/eereportsnew'),
  tab('fault.feeder-curves', 'Feeder Curves', '/fareportsnew'),
  tab('asset.live-readings', 'Live Readings', '/assetreportsnew'),
  tab('asset.permissible-loading', 'Permissible Loading', '/assetreportsnew'),
  tab('asset.battery', 'Battery', '/assetreportsnew'),
];
const ALL = TABS.map(({ key }) => key);
const node = (level: LevelKey, tabs: readonly string[] | null = null) => ({ level, id: 4, tabs });
const keys = (path: string, at: Parameters<typeof tabsAt>[2], built = ALL) => tabsAt(TABS, path, at, built).map(({ key }) => key);

test('before a place is chosen there is no tab', () => {
  expect(keys('/eereportsnew', null)).toEqual([]);
});

test.each([
  ['/eereportsnew', 'division', ['ee.energy', 'ee.reliability']],
  ['/eereportsnew', 'asset', ['ee.energy', 'ee.reliability', 'ee.quality-check']],
  ['/fareportsnew', 'substation', ['fault.feeder-curves']],
  ['/assetreportsnew', 'substation', ['asset.battery']],
  ['/assetreports', 'asset', ['asset.live-readings', 'asset.permissible-loading', 'asset.battery']],
  ['/asset', 'asset', ['asset.live-readings', 'asset.permissible-loading', 'asset.battery']],
  ['/lowcarbon', 'asset', []],
] as const)('on %s a %s has %j', (path, level, expected) => {
  expect(keys(path, node(level))).toEqual(expected);
});

test('what the level does not allow and what is not built is not there', () => {
  expect(keys('/eereportsnew', node('asset', ['Reliability', 'Quality Check']))).toEqual(['ee.reliability', 'ee.quality-check']);
  expect(keys('/eereportsnew', node('asset'), ['ee.energy'])).toEqual(['ee.energy']);
});

test('a place is read as it was written, and as links carry it', () => {
  const place = { level: 'town', id: 12 } as const;
  expect(placeIn(`?${queryOf(place, 'ee.demand')}`)).toEqual(place);
  expect(queryOf(place, 'ee.demand').get('tab')).toBe('ee.demand');
  expect(queryOf(place, null).has('tab')).toBe(false);
  expect(placeIn(writePreset(4, 17, 33))).toEqual({ level: 'asset', id: 33 });
  expect(placeIn(`${writePreset(4, 17)}&tab=ee.energy`)).toEqual({ level: 'substation', id: 17 });
});

test('a site stands in the address beside its place, and what is none is not read', () => {
  const place = { level: 'substation', id: 12 } as const;
  const query = `?${queryOf(place, null, 12_193)}`;
  expect([placeIn(query), deviceIn(query)]).toEqual([place, 12_193]);
  expect(queryOf(place, null).has('site')).toBe(false);
  expect(['', '?site=', '?site=x', '?site=1e3', '?site=1.5'].map(deviceIn)).toEqual([null, null, null, null, null]);
});

test('the pages of the role decide what of the optimiser is seen, wherever it is', () => {
  const own = [tab('lc.site-analytics', 'Site Analytics', '/lowcarbon'), tab('lc.power-flow', 'Power Flow', '/lowcarbon'), tab('lc.other', 'Other', '/lowcarbon')];
  expect(optimiserPages([...TABS, ...own])).toEqual(['lc.site-analytics', 'lc.power-flow']);
  expect(optimiserPages(TABS)).toEqual([]);
});

test('at an asset the sites are those of its substation', () => {
  expect(optimiserPlace({ level: 'asset', id: 4, name: 'F2', location: 9 })).toEqual({ level: 'substation', id: 9, name: 'F2' });
  expect(optimiserPlace({ level: 'division', id: 4, name: 'Harbour', location: null })).toMatchObject({ level: 'division', id: 4 });
});

test.each([
  '',
  '?tab=ee.energy',
  '?level=asset',
  '?level=planet&node=4',
  '?level=asset&node=-4',
  '?level=asset&node=4e3',
  '?level=asset&node=<b>',
])('%s is no place', (search) => {
  expect(placeIn(search)).toBeNull();
});

const rows = [
  { assetId: 1, pointName: 'F1/Ir' },
  { assetId: 2, pointName: 'F1/CB/Pos' },
  { assetId: 3, pointName: 'F11/Ir' },
  { assetId: 4, pointName: 'BUS/BC/Pos' },
  { assetId: 5, pointName: 'RTU/a' },
  { assetId: 6, pointName: 'RTU/b' },
  { assetId: 7, pointName: 'RTU/c' },
];
const lines = [1, 3, 5, 6].map((assetId) => ({ assetId }));

test.each([
  ['a line is its own', 3, 3],
  ['a breaker is of the line in its bay', 2, 1],
  ['a bus coupler is of none', 4, null],
  ['where all stand in one bay nobody can say', 7, null],
  ['what reports nothing is of none', 99, null],
])('%s', (_, asset, expected) => {
  expect(lineOf(asset, rows, lines)).toBe(expected);
});
