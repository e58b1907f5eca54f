// The server that this browser uses. The choice is stored in a cookie with a key of the brand's list, by which the proxy routes. The proxy
// sends requests without a known key to the first server, so the first entry of the list has no key. A client never selects a database.
import type { SiteBrand } from '../../wire/rest';

const COOKIE = 'switchyard-server';

/** The key in the cookie; empty if there is none. */
export function heldServer(cookies = document.cookie): string {
  return cookies.split('; ').find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? '';
}

/** The servers to select from. The first one has no key. */
export function offeredServers(servers: SiteBrand['servers']): SiteBrand['servers'] {
  return servers.map(({ key, name }, at) => ({ key: at === 0 ? '' : key, name }));
}

/** The stored key if the list still contains it, else that of the first server, which is empty. */
export function chosenServer(servers: SiteBrand['servers'], cookies = document.cookie): string {
  const held = heldServer(cookies);
  return offeredServers(servers).some(({ key }) => key === held) ? held : '';
}

/** Stores the choice for a year, for this site only. An empty key removes it. The proxy compares the raw text, so it is not encoded. */
export function chooseServer(key: string): void {
  document.cookie = `${COOKIE}=${key}; Path=/; Max-Age=${key === '' ? 0 : 31_536_000}; SameSite=Strict${location.protocol === 'https:' ? '; Secure' : ''}`;
}
