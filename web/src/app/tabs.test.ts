// Tests of the tabs of a role, without those that are switched off.
import { expect, test } from 'vitest';
import type { RolePage } from '../wire/rest';
import { mayOpen, tabsOf, tabsOfApp } from './tabs';

const page = (tabKey: string, tabSequenceNumber: number, more: Partial<RolePage> = {}): RolePage => ({ appId: 1, appName: 'DASHBOARD', id: 1, isReadonly: false, pageId: 1, path: '/dashboard', showInTab: true, tabKey, tabName: tabKey, tabSequenceNumber, viewName: 'V', ...more });
const all = { showRTUHealthTab: true, showAssetTab: true, showSubstationHealthTab: true, showNetworkTab: true, showOutageTab: true, showPQData: true };

test('tabs come in their order, the first is the default', () => {
  const tabs = tabsOf([page('dashboard.sld', 110), page('dashboard.map', 10), page('ee.energy', 10, { appName: 'ENERGY_EFFICIENCY', path: '/eereportsnew' })], all);
  expect(tabsOfApp(tabs, 'DASHBOARD').map(({ key }) => key)).toEqual(['dashboard.map', 'dashboard.sld']);
  expect(tabsOfApp(tabs, 'LOW CARBON')).toEqual([]);
});

test.each([
  ['dashboard.rtu-health', 'showRTUHealthTab'],
  ['dashboard.asset', 'showAssetTab'],
  ['dashboard.substation-health', 'showSubstationHealthTab'],
  ['dashboard.network', 'showNetworkTab'],
  ['dashboard.outages', 'showOutageTab'],
  ['dashboard.power-quality', 'showPQData'],
] as const)('%s is there only with %s', (key, flag) => {
  expect(tabsOf([page(key, 1)], all)).toHaveLength(1);
  expect(tabsOf([page(key, 1)], { ...all, [flag]: false })).toEqual([]);
});

test('a page that is not shown in a tab is none, and a path without pages may not be opened', () => {
  const tabs = tabsOf([page('dashboard.sld', 1), page('x', 2, { path: '/lowcarbon', showInTab: false })], all);
  expect(mayOpen(tabs, '/dashboard')).toBe(true);
  expect(mayOpen(tabs, '/lowcarbon')).toBe(false);
});
