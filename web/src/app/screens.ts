// The screens of a session: paths, names, and the pages that give access.
import { t } from '../words';

/** The path of the list of switches that are not in their normal position. */
export const ABNORMAL_PATH = '/abnormal';

/** The path of the diagrams of feeders. The id is in the query, because it can contain slashes. */
export const FEEDER_PATH = '/sld/feeder';

export interface Screen {
  readonly path: string;
  readonly title: string;
  /** Other paths of the same screen. */
  readonly also?: readonly string[];
  /** The path of another screen, whose pages give access to this one. */
  readonly opensWith?: string;
  /** SVG path data of the icon, 20 × 20 units. */
  readonly sign: string;
  /** Whether the screen exists. Otherwise its path shows that it is not built yet. */
  readonly isBuilt: boolean;
}

export const SCREENS: readonly Screen[] = [
  { path: '/dashboard', title: t('app.monitoringDashboard2'), sign: 'M3 4h14v9H3zM7 17h6M10 13v4M6 10l2-3 2 2 3-4', isBuilt: true },
  { path: '/faultdashboard', also: ['/home'], title: t('app.faultDashboard'), sign: 'M11 2 4 11h5l-1 7 8-10h-5z', isBuilt: true },
  { path: ABNORMAL_PATH, opensWith: '/dashboard', title: t('app.abnormalSwitching'), sign: 'M2 14h5l7-7M13 14h5M7 14h.01M13 14h.01', isBuilt: true },
  { path: '/eedashboard', title: t('app.energyMonitoring'), sign: 'M3 17h14M5 17V9M10 17V4M15 17v-6', isBuilt: true },
  { path: '/eereportsnew', title: t('app.energyEfficiency'), sign: 'M3 16l4-5 3 3 6-9M12 5h4v4', isBuilt: true },
  { path: '/fareportsnew', title: t('app.faults'), sign: 'M10 3 2 17h16zM10 8v4M10 14.5v.5', isBuilt: true },
  { path: '/lowcarbon', title: t('app.lowCarbon'), sign: 'M5 16C4 8 9 4 16 4c1 8-3 12-9 11M5 17c1-4 4-7 7-8', isBuilt: true },
  { path: '/assetreportsnew', also: ['/asset', '/assetreports'], title: t('app.assetHealth'), sign: 'M3 10h3l2-5 4 10 2-5h3', isBuilt: true },
  { path: '/assethealth', title: t('assethealth.assetHealthMonitoring'), sign: 'M3 4h8v6H3zM3 12h4v5H3zM9 12h8v5H9zM13 4h4v6h-4z', isBuilt: true },
  { path: '/exportreports', title: t('app.reportExport'), sign: 'M5 3h7l3 3v11H5zM8 10h4M8 13h4M12 3v3h3', isBuilt: true },
  { path: '/powerbi', title: t('app.embeddedReport'), sign: 'M3 4h14v12H3zM3 8h14M7 8v8', isBuilt: true },
  { path: '/administration', title: t('app.administration'), sign: 'M10 4a3 3 0 1 0 .01 0M4 17c0-4 2.5-6 6-6s6 2 6 6', isBuilt: true },
  { path: '/tree', title: t('app.hierarchy2'), sign: 'M8 3h4v3H8zM3 14h4v3H3zM13 14h4v3h-4zM10 6v4M5 14v-4h10v4', isBuilt: true },
];

/** Names of screens without an entry in the navigation. */
const OTHERS: Readonly<Record<string, string>> = { '/sldnew': t('app.singleLineDiagram'), [FEEDER_PATH]: t('app.feederDiagram'), '/sa30i': 'SA30i', '/unauthorize': t('app.noAccess') };

/** The paths whose pages give access to a screen. */
export function pathsOf({ path, also = [], opensWith }: Pick<Screen, 'path' | 'also' | 'opensWith'>): readonly string[] {
  return opensWith === undefined ? [path, ...also] : [opensWith];
}

export function screenOf(path: string): Screen | undefined {
  return SCREENS.find((screen) => screen.path === path || screen.also?.includes(path));
}

export function titleOf(path: string): string {
  return screenOf(path)?.title ?? OTHERS[path] ?? t('app.noSuchPage');
}
