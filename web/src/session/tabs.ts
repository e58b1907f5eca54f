// Coordination of the tabs of one browser. They share one session: the cookie with its refresh secret, and the access token by messages.
import type { Login } from '../wire/rest';

/** Name of the lock and of the channel. */
const NAME = 'switchyard.session';
/** Storage key whose presence means that the browser may have a session. It is needed because scripts cannot read the cookie. It is no secret. */
const MARK = 'switchyard.session';

/** A message to the other tabs. */
export type TabMessage = { readonly kind: 'login'; readonly login: Login } | { readonly kind: 'signed-out' };

/** What a new tab does with the cookie: continue its session, end it (a sign-out did not reach the server), or nothing. */
export type Mark = 'open' | 'leaving' | null;

export const mark = {
  read: (): Mark => {
    const text = localStorage.getItem(MARK);
    return text === 'open' || text === 'leaving' ? text : null;
  },
  write: (value: Mark): void => {
    if (value === null) localStorage.removeItem(MARK);
    else localStorage.setItem(MARK, value);
  },
};

/**
 * Runs `work` while no other tab does. Browsers offer locks only on pages with TLS and on this machine. Elsewhere the tabs can renew at the
 * same time, and the server gives each of them a token.
 */
export async function alone<T>(work: () => Promise<T>): Promise<T> {
  const locks = (navigator as { readonly locks?: LockManager }).locks;
  return locks ? await locks.request(NAME, work) : work();
}

/** Opens the channel to the other tabs. Without channels in the browser, each tab renews the session by itself. */
export function openChannel(hear: (message: TabMessage) => void): (message: TabMessage) => void {
  if (typeof BroadcastChannel === 'undefined') return () => undefined;
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => hear(data);
  return (message) => channel.postMessage(message);
}
