// Which of several servers this browser works with. The choice is a cookie with a key of the brand's list; the proxy in front of the servers routes by it,
// and knows no other keys. A server never takes a database from a client.
import type { SiteBrand } from '../../wire/rest';

const COOKIE = 'switchyard-server';

/** The key chosen before, if the list still has it; else the first. */
export function chosenServer(servers: SiteBrand['servers'], cookies = document.cookie): string {
  const held = cookies.split('; ').find((pair) => pair.startsWith(`${COOKIE}=`));
  const key = held === undefined ? '' : decodeURIComponent(held.slice(COOKIE.length + 1));
  return (servers.find((server) => server.key === key) ?? servers[0])?.key ?? '';
}

/** A choice holds for a year, on this site only. */
export function chooseServer(key: string): void {
  document.cookie = `${COOKIE}=${encodeURIComponent(key)}; Path=/; Max-Age=31536000; SameSite=Strict${location.protocol === 'https:' ? '; Secure' : ''}`;
}
