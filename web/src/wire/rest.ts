// REST: one way to call, one way to fail. Shapes come from the generated schema.
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
export type DataValues = Schemas['DataValues'];
export type BreakerStatus = Schemas['BreakerStatus'];
export type DiRow = Schemas['DiRow'];
export type SecondFactor = Schemas['SecondFactorState'];
export type FeedbackRow = Schemas['FeedbackRow'];

/** A call that did not succeed: the server's sentence, or one about the network. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** What a program needs beside the sentence, such as a `code`. */
    readonly result: unknown = null,
  ) {
    super(message);
  }

  /** The code in it, if there is one. */
  get code(): string {
    return typeof this.result === 'object' && this.result !== null && 'code' in this.result ? String(this.result.code) : '';
  }
}

/** What is told of a failure: the server's sentence. */
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

/** What a refusal tells beside its sentence. Of a file, where it is wrong stands beside the result. */
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

/** Marks a call that a timer makes: it is no sign of the person, and so does not keep the session from ending. */
export const BACKGROUND = { 'X-Switchyard-Background': '1' } as const;

/** The `result` of an enveloped GET, with the sentence that came with it. Without a token for the few calls that need none; `stop` gives the question up. */
export async function get<T>(token: string | null, path: string, headers: Record<string, string> = {}, stop?: AbortSignal): Promise<Answer<T>> {
  const signal = stop && AbortSignal.any([stop, AbortSignal.timeout(30_000)]);
  const body = await request(`/api/${path}`, { headers: { ...bearer(token), ...headers }, signal });
  return { result: body.result as T, message: String(body.message ?? '') };
}

/** The same of a POST, or a PUT, with a JSON body; `stop` gives it up. */
export async function post<T>(token: string | null, path: string, sent: unknown, method: 'POST' | 'PUT' = 'POST', more: Record<string, string> = {}, stop?: AbortSignal): Promise<Answer<T>> {
  const headers = { ...bearer(token), 'Content-Type': 'application/json', ...more };
  const signal = stop && AbortSignal.any([stop, AbortSignal.timeout(30_000)]);
  const body = await request(`/api/${path}`, { method, headers, body: JSON.stringify(sent), signal });
  return { result: body.result as T, message: String(body.message ?? '') };
}

/** A whole file takes longer to send, and to go through, than a question. */
const FILE_MS = 120_000;

/** The same of a POST of a file as it is. */
export async function postText<T>(token: string | null, path: string, sent: Blob, kind: string): Promise<Answer<T>> {
  const headers = { ...bearer(token), 'Content-Type': kind };
  const body = await request(`/api/${path}`, { method: 'POST', headers, body: sent, signal: AbortSignal.timeout(FILE_MS) });
  return { result: body.result as T, message: String(body.message ?? '') };
}

/** A file of the server. */
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

/** DELETE, with the `result` that is left. */
export async function remove<T>(token: string | null, path: string): Promise<Answer<T>> {
  const body = await request(`/api/${path}`, { method: 'DELETE', headers: bearer(token) });
  return { result: body.result as T, message: String(body.message ?? '') };
}

/** POST /token, the one call with a form. */
export async function postToken(form: Record<string, string>): Promise<Login> {
  return (await request('/api/token', { method: 'POST', body: new URLSearchParams(form) })) as unknown as Login;
}

/** POST /client/switch, whose answer is a sign-in's. */
export async function postSwitch(token: string, client: number): Promise<Login> {
  return (await request(`/api/client/switch/${client}`, { method: 'POST', headers: bearer(token) })) as unknown as Login;
}
