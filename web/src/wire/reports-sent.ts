// Long requests for reports: their time limit, their errors, and the download of a file with its progress.
import * as v from 'valibot';
import { Failure } from './rest';
import { t } from '../words';

/** Time limit of a request in the specification, ms. A report of a year can take minutes. */
const PATIENCE_MS = 600_000;

/** Sends a request; an error has the server's message. An abort by the user is rethrown unchanged. Without `body` the request is a GET. */
export async function sent(token: string, path: string, body: unknown, stop: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)]),
    });
  } catch (error) {
    stop.throwIfAborted();
    throw error instanceof DOMException && error.name === 'TimeoutError' ? new Failure(0, t('reports.tookTooLong')) : new Failure(0, t('wire.theServerCannotBeReached'));
  }
  if (response.ok) return response;
  const refusal = v.safeParse(v.object({ message: v.string(), result: v.optional(v.unknown()) }), await response.json().catch(() => null));
  throw new Failure(response.status, refusal.success ? refusal.output.message : t('wire.somethingWentWrong'), refusal.success ? (refusal.output.result ?? null) : null);
}

export interface ReportFile {
  readonly blob: Blob;
  /** The server's file name with the time; empty if the server sends none. */
  readonly name: string;
  /** Number of rows in the file; null if the server does not report it. */
  readonly rows: number | null;
}

/** The name in a Content-Disposition, without any folders. */
export function nameIn(disposition: string): string {
  const wide = /filename\*\s*=\s*UTF-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition);
  let name = plain?.[1] ?? plain?.[2] ?? '';
  try {
    if (wide) name = decodeURIComponent(wide.trim());
  } catch {
    // The value is not percent-encoded: use the plain name.
  }
  return name.split(/[\\/]/).at(-1)?.trim() ?? '';
}

/** Reads the file of a response. `onBytes` receives the number of bytes so far. An incomplete file is a failure. */
export async function fileIn(response: Response, stop: AbortSignal, onBytes: (bytes: number) => void): Promise<ReportFile> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      parts.push(part.value);
      bytes += part.value.length;
      onBytes(bytes);
    }
  } catch {
    stop.throwIfAborted();
    throw new Failure(0, t('reports.brokeOff'));
  }
  const said = response.headers.get('X-Report-Rows');
  return {
    blob: new Blob(parts, { type: response.headers.get('Content-Type') ?? '' }),
    name: nameIn(response.headers.get('Content-Disposition') ?? ''),
    rows: response.status === 204 || bytes === 0 ? 0 : said !== null && /^\d+$/.test(said) ? Number(said) : null,
  };
}
