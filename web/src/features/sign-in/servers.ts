// The server that this browser uses. The choice is stored in a cookie with a key of the brand's list, by which the proxy routes. The proxy
// accepts only keys of the list. A client never selects a database.
import type { SiteBrand } from '../../wire/rest';

const COOKIE = 'switchyard-server';

/** The stored key if the list still contains it, else the first key. */
export function chosenServer(servers: SiteBrand['servers'], cookies = document.cookie): string {
  const held = cookies.split('; ').find((pair) => pair.startsWith(`${COOKIE}=`));
  const key = held === undefined ? '' : decodeURIComponent(held.slice(COOKIE.length + 1));
  return (servers.find((server) => server.key === key) ?? servers[0])?.key ?? '';
}

/** Stores the choice for a year, for this site only. */
export function chooseServer(key: string): void {
  document.cookie = `${COOKIE}=${encodeURIComponent(key)}; Path=/; Max-Age=31536000; SameSite=Strict${location.protocol === 'https:' ? '; Secure' : ''}`;
}
