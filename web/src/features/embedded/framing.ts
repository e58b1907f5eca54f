// Rules for framed pages, and the messages to a Power BI frame. Pure.
import type { EmbedInfo } from '../../wire/embedded';

/** The page may run scripts under its own origin. Both permissions together are safe only for a foreign origin. */
export const SANDBOX = 'allow-scripts allow-same-origin';

/** The address to frame. Null if it is unsafe: not HTTPS, with user name and password, or our own origin, which could remove the sandbox. */
export function framed(address: string, own: string): URL | null {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  return url.protocol === 'https:' && url.origin !== own && url.username === '' && url.password === '' ? url : null;
}

/** Power BI's code for an embed token, which is valid for one report, in contrast to a user's token. */
const EMBED_TOKEN = 1;

/** How long before its end a token is renewed, ms. The server issues no token that expires within five minutes. */
const BEFORE_MS = 4 * 60_000;
const SOONEST_MS = 60_000;
const LATEST_MS = 50 * 60_000;

/** Time until the next request for a token, ms. The limits avoid too many or no requests if this computer's clock is wrong. */
export function renewalMs(expires: string, now: number): number {
  const left = Date.parse(expires) - now - BEFORE_MS;
  return Number.isNaN(left) ? LATEST_MS : Math.min(Math.max(left, SOONEST_MS), LATEST_MS);
}

/** The message that gives a loaded report a new token. */
export function tokenRequest({ accessToken }: Pick<EmbedInfo, 'accessToken'>, id: string): Readonly<Record<string, unknown>> {
  return { method: 'POST', url: '/report/token', headers: { id, uid: id }, body: { accessToken, tokenType: EMBED_TOKEN } };
}

/** The message that loads a report in a Power BI frame. The filter is only displayed; the token decides which rows are visible. */
export function loadRequest({ accessToken, embedUrl, reportId, filter }: EmbedInfo, client: number, id: string): Readonly<Record<string, unknown>> {
  const filters = filter && [
    {
      $schema: 'http://powerbi.com/product/schema#basic',
      target: filter,
      operator: 'In',
      values: [client],
      filterType: 1,
      displaySettings: { isLockedInViewMode: true },
    },
  ];
  return {
    method: 'POST',
    url: '/report/load',
    headers: { id, uid: id },
    body: { type: 'report', tokenType: EMBED_TOKEN, accessToken, embedUrl, id: reportId || new URL(embedUrl).searchParams.get('reportId') || undefined, ...(filters && { filters }) },
  };
}
