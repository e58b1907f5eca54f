// The tabs and screens of a user: the pages of the role, without those that the utility or the user has switched off (specification 1,
// sections 2 and 6; specification 2, sections 2.9 and 6). Pure.
import type { Login, RolePage } from '../wire/rest';

export interface Tab {
  readonly key: string;
  readonly name: string;
  readonly view: string;
  readonly app: string;
  readonly path: string;
  readonly sequence: number;
  readonly readonly: boolean;
}

type Flags = Pick<Login, 'showRTUHealthTab' | 'showAssetTab' | 'showSubstationHealthTab' | 'showNetworkTab' | 'showOutageTab' | 'showPQData'>;

/** Tabs that a flag of the sign-in switches on. */
const SWITCHED: Readonly<Record<string, keyof Flags>> = {
  'dashboard.rtu-health': 'showRTUHealthTab',
  'dashboard.asset': 'showAssetTab',
  'dashboard.substation-health': 'showSubstationHealthTab',
  'dashboard.network': 'showNetworkTab',
  'dashboard.outages': 'showOutageTab',
  'dashboard.power-quality': 'showPQData',
};

/** All tabs of a user, by application and in order. */
export function tabsOf(pages: readonly RolePage[], flags: Flags): readonly Tab[] {
  const isOn = ({ tabKey }: RolePage) => {
    const flag = SWITCHED[tabKey];
    return flag === undefined || flags[flag];
  };
  return pages
    .filter((page) => page.showInTab && isOn(page))
    .map((page) => ({ key: page.tabKey, name: page.tabName, view: page.viewName, app: page.appName, path: page.path, sequence: page.tabSequenceNumber, readonly: page.isReadonly }))
    .sort((a, b) => a.app.localeCompare(b.app) || a.sequence - b.sequence);
}

/** The tabs of an application; the first is the default. */
export function tabsOfApp(tabs: readonly Tab[], app: string): readonly Tab[] {
  return tabs.filter((tab) => tab.app === app);
}

/** The tabs on a path; the first is the default. */
export function tabsOfPath(tabs: readonly Tab[], path: string): readonly Tab[] {
  return tabs.filter((tab) => tab.path === path);
}

/** Whether a user has a tab on a path. */
export function mayOpen(tabs: readonly Tab[], path: string): boolean {
  return tabs.some((tab) => tab.path === path);
}
