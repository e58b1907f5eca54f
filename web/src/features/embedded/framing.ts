// Rules for framed pages, and the messages to a Power BI frame. Pure.
import * as v from 'valibot';
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

/** Ids in a message to the frame: its own id, which the answer repeats, and the id of the report, which the address of each event contains. */
export interface MessageIds {
  readonly id: string;
  readonly uid: string;
}

/** The address of the frame, with the id of the report as the client library of Power BI adds it. */
export function withReportUid(url: URL, uid: string): URL {
  const next = new URL(url);
  next.searchParams.set('uid', uid);
  return next;
}

/** The message that gives a loaded report a new token. The body is the token itself, as `setAccessToken` of the client library sends it. */
export function tokenRequest({ accessToken }: Pick<EmbedInfo, 'accessToken'>, ids: MessageIds): Readonly<Record<string, unknown>> {
  return { method: 'POST', url: '/report/token', headers: { ...ids }, body: accessToken };
}

/** The message that loads a report in a Power BI frame. The filter is only displayed; the token decides which rows are visible. */
export function loadRequest({ accessToken, embedUrl, reportId, filter }: EmbedInfo, client: number, ids: MessageIds): Readonly<Record<string, unknown>> {
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
    headers: { ...ids },
    body: { type: 'report', tokenType: EMBED_TOKEN, accessToken, embedUrl, id: reportId || new URL(embedUrl).searchParams.get('reportId') || undefined, ...(filters && { filters }) },
  };
}

/** The longest text of Power BI that is shown. */
const TEXT_MOST = 200;

const Fault = v.nullish(v.object({ message: v.nullish(v.string(), ''), detailedMessage: v.nullish(v.string(), ''), errorCode: v.nullish(v.string(), '') }));
type Fault = v.InferOutput<typeof Fault>;
const Headers = v.nullish(v.object({ id: v.nullish(v.string(), '') }));
const Answer = v.object({ statusCode: v.number(), headers: Headers, body: v.optional(v.unknown()) });
const Event = v.object({ method: v.literal('POST'), url: v.string(), headers: Headers, body: v.optional(v.unknown()) });

/** A problem that Power BI reports. `isExpired` if the report needs a new token. */
export interface ReportProblem {
  readonly text: string;
  readonly isExpired: boolean;
}

/** A message of the frame: the answer to the message with this id, or an event of the report. */
export type FrameMessage =
  | { readonly kind: 'answer'; readonly id: string; readonly status: number; readonly problem: ReportProblem | null }
  | { readonly kind: 'event'; readonly id: string; readonly name: string; readonly problem: ReportProblem | null };

/** Parses a message of the frame. Null if it is none of the report with this id. */
export function parseFrameMessage(data: unknown, uid: string): FrameMessage | null {
  const answer = v.safeParse(Answer, data);
  if (answer.success) {
    const { statusCode: status, headers, body } = answer.output;
    return { kind: 'answer', id: headers?.id ?? '', status, problem: status >= 200 && status < 300 ? null : problemIn(body) };
  }
  const event = v.safeParse(Event, data);
  const before = `/reports/${uid}/events/`;
  if (!event.success || !event.output.url.startsWith(before)) return null;
  const name = event.output.url.slice(before.length);
  return { kind: 'event', id: event.output.headers?.id ?? '', name, problem: name === 'error' ? problemIn(event.output.body) : null };
}

function problemIn(body: unknown): ReportProblem {
  const parsed = v.safeParse(Fault, body);
  const fault: Fault = parsed.success ? parsed.output : null;
  const text = (fault?.detailedMessage || fault?.message || '').slice(0, TEXT_MOST);
  return { text, isExpired: [fault?.message, fault?.errorCode].includes('TokenExpired') };
}

/** The answer to an event. The report page waits for it. */
export function eventAnswer(id: string): Readonly<Record<string, unknown>> {
  return { statusCode: 200, headers: { id }, body: null };
}
