// REST requests and their errors. The types come from the generated schema.
import { running } from './running';
import type { components } from './schema';
import { t } from '../words';

export type Schemas = components['schemas'];
export type Login = Schemas['Login'];
export type EventRow = Schemas['EventRow'];
export type LoadCurrentRow = Schemas['LoadCurrentRow'];
export type GatewayRow = Schemas['GatewayRow'];
export type GenericRow = Schemas['GenericRow'];
export type LocationRow = Schemas['LocationRow'];
export type CircleRow = Schemas['CircleRow'];
export type DivisionRow = Schemas['DivisionRow'];
export type RolePage = Schemas['RolePage'];
export type TreeNode = Schemas['TreeNode'];
export type ClientRow = Schemas['ClientRow'];
export type MemberRow = Schemas['MemberRow'];
export type MemberChange = Schemas['MemberChange'];
export type SiteBrand = Schemas['SiteBrand'];
export type HostBrand = Schemas['HostBrand'];
export type BrandChange = Schemas['BrandChange'];
export type RoleAccess = Schemas['RoleAccess'];
export type PageChoice = Schemas['PageChoice'];
export type RoleLevel = Schemas['RoleLevel'];
export type HierarchyItem = Schemas['HierarchyItem'];
export type UtilityConfiguration = Schemas['UtilityConfiguration'];
export type ClientConfiguration = Schemas['ClientConfiguration'];
export type AuditRow = Schemas['AuditRow'];
export type GdsValues = Schemas['GdsValues'];
export type DataValues = Schemas['DataValues'];
export type BreakerStatus = Schemas['BreakerStatus'];
export type DiRow = Schemas['DiRow'];
export type SecondFactor = Schemas['SecondFactorState'];
export type FeedbackRow = Schemas['FeedbackRow'];

/** A failed request. The message is the server's, or describes a network problem. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Details for the program, such as a `code`. */
    readonly result: unknown = null,
  ) {
    super(message);
  }

  /** The `code` in the details, or an empty text. */
  get code(): string {
    return typeof this.result === 'object' && this.result !== null && 'code' in this.result ? String(this.result.code) : '';
  }
}

/** The message of an error for the user. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : t('wire.somethingWentWrong');
}

/** Whether a failed call may have been executed, because the server did not refuse it. */
export function isUncertain(error: unknown): boolean {
  return !(error instanceof Failure) || error.status === 0 || error.status >= 500;
}

async function answer(response: Response): Promise<Record<string, unknown>> {
  let body: Record<string, unknown>;
  try {
    body = (await response.json()) as Record<string, unknown>;
  } catch {
    throw new Failure(response.status, t('wire.somethingWentWrong'));
  }
  if (!response.ok) throw new Failure(response.status, typeof body.message === 'string' ? body.message : t('wire.somethingWentWrong'), refused(body));
  return body;
}

/** The details of an error answer: `result`, or the `faults` of a rejected file. */
const refused = ({ result, faults }: Record<string, unknown>) => result ?? (faults === undefined ? null : { faults });

/** Time limit of a request, ms (specification 1, section 9). The screen shows a long request and offers to cancel it. */
const LIMIT_MS = 600_000;
/** Time limit of requests for which nobody waits, of commands and of signing in, ms: late answers are of no use. */
const QUICK_MS = 30_000;

/** Header that marks a request sent by a timer. Such requests do not extend the session, because they are no activity of the user. */
const BACKGROUND = { 'X-Switchyard-Background': '1' } as const;

/** Options of a read. */
export interface Asking {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a timer sends it. Its limit is short, unless the read is heavy. */
  readonly isBackground?: boolean;
  /** Whether the server can need minutes for the answer. A repetition then has the long limit. */
  readonly isHeavy?: boolean;
}

interface Sending extends Omit<RequestInit, 'signal' | 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the request. */
  readonly stop?: AbortSignal | undefined;
  readonly limitMs?: number;
  /** Whether a long request is shown with a button to cancel it. Only a read for which the user waits is: the outcome of a cancelled change is unknown. */
  readonly isShown?: boolean;
}

/** Sends a request and reads its answer. The error distinguishes a missing connection, a cancelled request, and an answer that took too long. */
async function exchange<T>(path: string, { stop, limitMs = LIMIT_MS, isShown = false, ...init }: Sending, read: (response: Response) => Promise<T>): Promise<T> {
  const own = new AbortController();
  let ended: 'late' | 'cancelled' | null = null;
  const end = (why: 'late' | 'cancelled') => {
    ended = why;
    own.abort();
  };
  const onStop = () => own.abort();
  if (stop?.aborted) onStop();
  stop?.addEventListener('abort', onStop);
  const timer = setTimeout(() => end('late'), limitMs);
  const done = isShown ? running.begin(() => end('cancelled')) : () => undefined;
  try {
    return await read(await fetch(path, { ...init, signal: own.signal }));
  } catch (error) {
    if (error instanceof Failure && ended === null) throw error;
    throw new Failure(0, ended === 'late' ? t('wire.tookTooLong') : ended === 'cancelled' ? t('wire.cancelled') : t('wire.theServerCannotBeReached'));
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', onStop);
    done();
  }
}

const request = (path: string, sending: Sending) => exchange(path, sending, answer);

interface Answer<T> {
  result: T;
  message: string;
  /** The time from which the requested history is kept, epoch ms; null if all of it is kept. */
  keptSince: number | null;
}

/** Reads `keptSince` of an answer, epoch ms. */
export function keptSinceOf({ keptSince }: { readonly keptSince?: unknown }): number | null {
  const at = typeof keptSince === 'string' ? Date.parse(keptSince) : NaN;
  return Number.isNaN(at) ? null : at;
}

function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

async function answered<T>(path: string, sending: Sending): Promise<Answer<T>> {
  const body = await request(`/api/${path}`, sending);
  return { result: body.result as T, message: String(body.message ?? ''), keptSince: keptSinceOf(body) };
}

function json(token: string | null, sent: unknown, more: Readonly<Record<string, string>> = {}): Sending {
  return { method: 'POST', headers: { ...bearer(token), 'Content-Type': 'application/json', ...more }, body: JSON.stringify(sent) };
}

/** Returns `result` and `message` of a GET. `token` is null for the few calls without authentication. */
export function get<T>(token: string | null, path: string, { signal, isBackground = false, isHeavy = false }: Asking = {}): Promise<Answer<T>> {
  const headers = { ...bearer(token), ...(isBackground && BACKGROUND) };
  return answered<T>(path, { headers, stop: signal, limitMs: isBackground && !isHeavy ? QUICK_MS : LIMIT_MS, isShown: !isBackground });
}

/** A GET that is part of a command. It has the limit of a command. */
export const getForCommand = <T>(token: string, path: string) => answered<T>(path, { headers: bearer(token), limitMs: QUICK_MS });

/** Returns `result` and `message` of a read whose question is a JSON body. */
export const postQuestion = <T>(token: string, path: string, sent: unknown, stop?: AbortSignal) => answered<T>(path, { ...json(token, sent), stop, isShown: true });

/** Returns `result` and `message` of a change: a POST or PUT with a JSON body. */
export const post = <T>(token: string | null, path: string, sent: unknown, method: 'POST' | 'PUT' = 'POST', more: Readonly<Record<string, string>> = {}) =>
  answered<T>(path, { ...json(token, sent, more), method });

/** Returns `result` and `message` of a command: a change that is useful only if it takes effect immediately, such as an operation or a tag. */
export const postCommand = <T>(token: string, path: string, sent: unknown, more: Readonly<Record<string, string>> = {}) => answered<T>(path, { ...json(token, sent, more), limitMs: QUICK_MS });

/** Ends a session on the server. The request outlives the page. */
export const endSession = ({ token, id }: Login) => answered<unknown>(`member/logout/${id}`, { headers: bearer(token), limitMs: QUICK_MS, keepalive: true });

/** Returns `result` and `message` of a POST of a file. */
export function postText<T>(token: string | null, path: string, sent: Blob, kind: string): Promise<Answer<T>> {
  return answered<T>(path, { method: 'POST', headers: { ...bearer(token), 'Content-Type': kind }, body: sent });
}

/** Downloads a file. */
export async function getText(token: string | null, path: string): Promise<Blob> {
  return exchange(`/api/${path}`, { headers: bearer(token), isShown: true }, async (response) => {
    if (!response.ok) await answer(response);
    return response.blob();
  });
}

/** Returns `result` and `message` of a DELETE. */
export function remove<T>(token: string | null, path: string): Promise<Answer<T>> {
  return answered<T>(path, { method: 'DELETE', headers: bearer(token) });
}

/** Header that keeps the refresh secret in a cookie that scripts cannot read. A page of another origin cannot send it. */
const COOKIE = { 'X-Switchyard-Session': 'cookie' } as const;

/** Sends POST /token, the only call with a form body: signing in, or renewing the session of the cookie. */
export async function postToken(form: Record<string, string>): Promise<Login> {
  return (await request('/api/token', { method: 'POST', headers: COOKIE, body: new URLSearchParams(form), limitMs: QUICK_MS })) as unknown as Login;
}

/** Sends POST /client/switch, which answers like a sign-in. */
export async function postSwitch(token: string, client: number): Promise<Login> {
  return (await request(`/api/client/switch/${client}`, { method: 'POST', headers: { ...bearer(token), ...COOKIE }, limitMs: QUICK_MS })) as unknown as Login;
}
