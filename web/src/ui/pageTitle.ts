// The title of the page: the place that a screen shows, the screen, and the site. It tells the tabs of a browser apart.
import { useEffect, useSyncExternalStore } from 'react';

let place = '';
const listeners = new Set<() => void>();

function set(next: string): void {
  place = next;
  for (const listener of listeners) listener();
}

/** Names the place of the current screen in the title. */
export function useTitlePlace(name: string): void {
  useEffect(() => {
    set(name);
    return () => set('');
  }, [name]);
}

/** Sets the title of the page to the place, the screen and the site. */
export function usePageTitle(screen: string, site: string): void {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => place,
  );
  useEffect(() => {
    document.title = [shown, screen, site].filter(Boolean).join(' · ');
    return () => void (document.title = site);
  }, [shown, screen, site]);
}
