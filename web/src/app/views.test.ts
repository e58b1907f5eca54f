// Tests of the groups of tabs, and of the assets that each tab offers.
import { expect, test } from 'vitest';
import type { Tab } from './tabs';
import { addressOf, groups, paneTabs, sideBySide, tabFor, typesOn } from './views';

const tab = (key: string): Tab => ({ key: `dashboard.${key}`, name: key, view: key, app: 'DASHBOARD', path: '/dashboard', sequence: 1, readonly: true });

test('tabs about the network stand apart from those about a place', () => {
  const { network, place } = groups(['map', 'network', 'rtu-health', 'outages', 'sld', 'event-log'].map(tab));
  expect(network.map(({ name }) => name)).toEqual(['map', 'network', 'rtu-health', 'outages']);
  expect(place.map(({ name }) => name)).toEqual(['sld', 'event-log']);
});

test('the assets to choose from follow the tab, counted from 0 in the specification: 2 and 3 take 1 and 4, 4 takes 2 and 5', () => {
  expect([typesOn('sld'), typesOn('analog-log'), typesOn('power-quality'), typesOn('asset'), typesOn('event-log')]).toEqual([null, [1, 4], [1, 4], [2, 5], null]);
});

test('faults are filtered by line or transformer', () => {
  expect(typesOn('faults')).toEqual([1, 4, 2, 5]);
});

test('another location keeps tab, pane and view, and no asset or device of the last one', () => {
  const before = new URLSearchParams('location=3&tab=analog-realtime&view=points&area=network&of=7&asset=7&device=CB&point=9');
  expect(addressOf(4, 'analog-realtime', before).toString()).toBe('location=4&tab=analog-realtime&view=points&area=network');
});

test('the left pane offers the diagram to users with its tab', () => {
  const offered = (keys: string[]) => paneTabs(groups(keys.map(tab))).map(([key]) => key);
  expect(offered(['map', 'outages', 'sld', 'faults'])).toEqual(['map', 'outages', 'diagram']);
  expect(offered(['map', 'faults'])).toEqual(['map']);
});

test('the diagram is shown on one side only', () => {
  const tabs = [['sld', 'SLD'], ['faults', 'Faults']] as const;
  expect(sideBySide({ area: 'diagram' }, { area: null, tab: 'sld' }, tabs)).toEqual({ area: 'diagram', tab: 'faults' });
  expect(sideBySide({ area: 'diagram' }, { area: null, tab: 'event-log' }, tabs)).toEqual({ area: 'diagram' });
  expect(sideBySide({ tab: 'sld' }, { area: 'diagram', tab: 'faults' }, tabs)).toEqual({ area: null, tab: 'sld' });
  expect(sideBySide({ tab: 'faults' }, { area: 'diagram', tab: 'event-log' }, tabs)).toEqual({ tab: 'faults' });
});

test('type 11 forces Substation Health', () => {
  expect([tabFor(11, 'sld'), tabFor(1, 'sld'), tabFor(null, 'sld')]).toEqual(['substation-health', 'sld', 'sld']);
});
