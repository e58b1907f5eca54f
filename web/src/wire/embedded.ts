// What the embedded pages are told by our server: where the report is, and what opens it for this utility alone.
import * as v from 'valibot';
import { checked, type Asking } from './history';
import { BACKGROUND, get } from './rest';

const Text = v.nullish(v.string(), '');

/** Without `embedUrl` nobody has configured it. The token is made by the server, with the utility as the identity that its rows are filtered by. */
const EmbedInfo = v.object({
  accessToken: Text,
  embedUrl: Text,
  reportId: Text,
  /** The column that holds the client id; the filter on it is shown locked. What is seen is decided by the token. */
  filter: v.nullish(v.object({ table: v.string(), column: v.string() }), null),
  /** When the token ends. */
  expires: Text,
});
export type EmbedInfo = v.InferOutput<typeof EmbedInfo>;

export async function getEmbedInfo(token: string, { signal, isBackground }: Asking = {}): Promise<EmbedInfo> {
  return checked(EmbedInfo, (await get<unknown>(token, 'powerbi/getembedinfo', isBackground ? BACKGROUND : {}, signal)).result ?? {});
}

/** Where the utility's other reports are; empty while nobody has configured it. */
export async function getReportsUrl(token: string, client: number): Promise<string> {
  return checked(v.object({ reportsEmbedUrl: Text }), (await get<unknown>(token, `client/clientconfiguration/${client}`)).result).reportsEmbedUrl;
}
