// Tests of the groups of tabs, and of the assets that each tab offers.
import { expect, test } from 'vitest';
import type { Tab } from './tabs';
import { groups, tabFor, typesOn } from './views';

const tab = (key: string): Tab => ({ key: `dashboard.${key}`, name: key, view: key, app: 'DASHBOARD', path: '/dashboard', sequence: 1, readonly: true });

test('tabs about the network stand apart from those about a place', () => {
  const { network, place } = groups(['map', 'network', 'rtu-health', 'outages', 'sld', 'event-log'].map(tab));
  expect(network.map(({ name }) => name)).toEqual(['map', 'network', 'rtu-health', 'outages']);
  expect(place.map(({ name }) => name)).toEqual(['sld', 'event-log']);
});

test('the assets to choose from follow the tab, counted from 0 in the specification: 1 resets, 2 and 3 take 1 and 4, 4 takes 2 and 5', () => {
  expect([typesOn('sld'), typesOn('faults'), typesOn('analog-log'), typesOn('power-quality'), typesOn('asset'), typesOn('event-log')]).toEqual([null, [], [1, 4], [1, 4], [2, 5], null]);
});

test('type 11 forces Substation Health', () => {
  expect([tabFor(11, 'sld'), tabFor(1, 'sld'), tabFor(null, 'sld')]).toEqual(['substation-health', 'sld', 'sld']);
});
