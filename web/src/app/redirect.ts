// The path to which a user is redirected if the role has no page on the requested path. Pure.
import { FEEDER_PATH, SCREENS, pathsOf, screenOf, type Screen } from './screens';
import { mayOpen, type Tab } from './tabs';

/** The path that opens after signing in. */
const AT_FIRST = '/dashboard';

const isOpen = (tabs: readonly Tab[], screen: Pick<Screen, 'path' | 'also' | 'opensWith'>) => pathsOf(screen).some((path) => mayOpen(tabs, path));

/** The diagram of a feeder is open to users who have a screen with the diagrams of substations. */
const DIAGRAMS = { path: '/dashboard', also: ['/sldnew'] };

/** Returns the path of the redirection; null if the user may open `pathname`. If `pathname` is the path after signing in, it is the user's first screen. */
export function redirectOf(tabs: readonly Tab[], pathname: string): string | null {
  const screen = screenOf(pathname) ?? (pathname === FEEDER_PATH ? DIAGRAMS : { path: pathname });
  if (isOpen(tabs, screen)) return null;
  const first = pathname === AT_FIRST ? SCREENS.find((screen) => isOpen(tabs, screen)) : undefined;
  return first?.path ?? '/unauthorize';
}
