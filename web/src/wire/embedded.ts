// Requests and checked answers for embedded pages: the address of the report and the token that opens it for one utility.
import * as v from 'valibot';
import { checked, type Asking } from './history';
import { get } from './rest';

const Text = v.nullish(v.string(), '');

/** `embedUrl` is absent if nothing is configured. The server's token carries the utility's identity, by which the report's rows are filtered. */
const EmbedInfo = v.object({
  accessToken: Text,
  embedUrl: Text,
  reportId: Text,
  /** The column with the client id. The page shows the filter on it as locked; the token decides which rows are visible. */
  filter: v.nullish(v.object({ table: v.string(), column: v.string() }), null),
  /** When the token expires. */
  expires: Text,
});
export type EmbedInfo = v.InferOutput<typeof EmbedInfo>;

export async function getEmbedInfo(token: string, asking: Asking = {}): Promise<EmbedInfo> {
  return checked(EmbedInfo, (await get<unknown>(token, 'powerbi/getembedinfo', asking)).result ?? {});
}

/** The address of the utility's other reports; empty if none is configured. */
export async function getReportsUrl(token: string, client: number, asking?: Asking): Promise<string> {
  return checked(v.object({ reportsEmbedUrl: Text }), (await get<unknown>(token, `client/clientconfiguration/${client}`, asking)).result).reportsEmbedUrl;
}
