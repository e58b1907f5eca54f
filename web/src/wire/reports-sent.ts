// What takes as long as a report takes: asked for with patience, refused in the server's words; and files as they come, byte by byte.
import * as v from 'valibot';
import { Failure } from './rest';
import { t } from '../words';

/** The specification's limit of a call, ms: a report of a year takes its time. */
const PATIENCE_MS = 600_000;

/** Asks, and refuses in the server's words; an abort by the person is thrown as it is. Without `body` it is a GET. */
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
  /** As the server calls it, with the time; empty when it does not say. */
  readonly name: string;
  /** How many rows are in it; null when the server does not say. */
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
    // Not percent-encoded after all: the plain name serves.
  }
  return name.split(/[\\/]/).at(-1)?.trim() ?? '';
}

/** The file of an answer; `onBytes` is told how much of it has come. What breaks off half-way is no file. */
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
