// Where a user goes whose role has no page on a path. Pure.
import { FEEDER_PATH, SCREENS, pathsOf, screenOf, type Screen } from './screens';
import { mayOpen, type Tab } from './tabs';

/** The path on which signing in ends. */
const AT_FIRST = '/dashboard';

const isOpen = (tabs: readonly Tab[], screen: Pick<Screen, 'path' | 'also' | 'opensWith'>) => pathsOf(screen).some((path) => mayOpen(tabs, path));

/** The diagram of a feeder belongs to the screens with the diagrams of substations. */
const DIAGRAMS = { path: '/dashboard', also: ['/sldnew'] };

/** Returns null if the user may open the path. From the path of signing in, it leads to the first screen of the user. */
export function redirectOf(tabs: readonly Tab[], pathname: string): string | null {
  const screen = screenOf(pathname) ?? (pathname === FEEDER_PATH ? DIAGRAMS : { path: pathname });
  if (isOpen(tabs, screen)) return null;
  const first = pathname === AT_FIRST ? SCREENS.find((screen) => isOpen(tabs, screen)) : undefined;
  return first?.path ?? '/unauthorize';
}
