// REST requests and their errors. The types come from the generated schema.
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

async function request(path: string, init: RequestInit): Promise<Record<string, unknown>> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, signal: init.signal ?? AbortSignal.timeout(30_000) });
  } catch {
    throw new Failure(0, t('wire.theServerCannotBeReached'));
  }
  return answer(response);
}

interface Answer<T> {
  result: T;
  message: string;
}

function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

/** Header that marks a request sent by a timer. Such requests do not extend the session, because they are no activity of the user. */
export const BACKGROUND = { 'X-Switchyard-Background': '1' } as const;

/** Returns `result` and `message` of a GET. `token` is null for the few calls without authentication. `stop` aborts the request. */
export async function get<T>(token: string | null, path: string, headers: Record<string, string> = {}, stop?: AbortSignal): Promise<Answer<T>> {
  const signal = stop && AbortSignal.any([stop, AbortSignal.timeout(30_000)]);
  const body = await request(`/api/${path}`, { headers: { ...bearer(token), ...headers }, signal });
  return { result: body.result as T, message: String(body.message ?? '') };
}

/** Returns `result` and `message` of a POST or PUT with a JSON body. `stop` aborts the request. */
export async function post<T>(token: string | null, path: string, sent: unknown, method: 'POST' | 'PUT' = 'POST', more: Record<string, string> = {}, stop?: AbortSignal): Promise<Answer<T>> {
  const headers = { ...bearer(token), 'Content-Type': 'application/json', ...more };
  const signal = stop && AbortSignal.any([stop, AbortSignal.timeout(30_000)]);
  const body = await request(`/api/${path}`, { method, headers, body: JSON.stringify(sent), signal });
  return { result: body.result as T, message: String(body.message ?? '') };
}

/** Time limit of a file upload, ms. Uploading and checking a file takes longer than other requests. */
const FILE_MS = 120_000;

/** Returns `result` and `message` of a POST of a file. */
export async function postText<T>(token: string | null, path: string, sent: Blob, kind: string): Promise<Answer<T>> {
  const headers = { ...bearer(token), 'Content-Type': kind };
  const body = await request(`/api/${path}`, { method: 'POST', headers, body: sent, signal: AbortSignal.timeout(FILE_MS) });
  return { result: body.result as T, message: String(body.message ?? '') };
}

/** Downloads a file. */
export async function getText(token: string | null, path: string): Promise<Blob> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, { headers: bearer(token), signal: AbortSignal.timeout(FILE_MS) });
  } catch {
    throw new Failure(0, t('wire.theServerCannotBeReached'));
  }
  if (!response.ok) await answer(response);
  return response.blob();
}

/** Returns `result` and `message` of a DELETE. */
export async function remove<T>(token: string | null, path: string): Promise<Answer<T>> {
  const body = await request(`/api/${path}`, { method: 'DELETE', headers: bearer(token) });
  return { result: body.result as T, message: String(body.message ?? '') };
}

/** Sends POST /token, the only call with a form body. */
export async function postToken(form: Record<string, string>): Promise<Login> {
  return (await request('/api/token', { method: 'POST', body: new URLSearchParams(form) })) as unknown as Login;
}

/** Sends POST /client/switch, which answers like a sign-in. */
export async function postSwitch(token: string, client: number): Promise<Login> {
  return (await request(`/api/client/switch/${client}`, { method: 'POST', headers: bearer(token) })) as unknown as Login;
}
