// What may stand in a frame, and what a frame of Power BI is told when it has come. Pure.
import type { EmbedInfo } from '../../wire/embedded';

/** Scripts of that page alone, under its own origin: only a foreign origin may have both. */
export const SANDBOX = 'allow-scripts allow-same-origin';

/** The address to frame; null for what is not safe to: not HTTPS, with a name and password in it, or our own origin, which would leave the sandbox. */
export function framed(address: string, own: string): URL | null {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  return url.protocol === 'https:' && url.origin !== own && url.username === '' && url.password === '' ? url : null;
}

/** Embed tokens, which are good for one report, and not a person's. */
const EMBED_TOKEN = 1;

/** The request that loads a report in the frame, as Power BI's frames take it. The filter is for the eye: the token decides what is seen. */
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
