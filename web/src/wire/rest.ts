// REST: one way to call, one way to fail. Shapes come from the generated schema.
import type { components } from './schema';

export type Schemas = components['schemas'];
export type Login = Schemas['Login'];
export type EventRow = Schemas['EventRow'];
export type LoadCurrentRow = Schemas['LoadCurrentRow'];
export type GatewayRow = Schemas['GatewayRow'];
export type GenericRow = Schemas['GenericRow'];
export type LocationRow = Schemas['LocationRow'];
export type CircleRow = Schemas['CircleRow'];
export type DivisionRow = Schemas['DivisionRow'];

/** A call that did not succeed: the server's sentence, or one about the network. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function answer(response: Response): Promise<Record<string, unknown>> {
  let body: Record<string, unknown>;
  try {
    body = (await response.json()) as Record<string, unknown>;
  } catch {
    throw new Failure(response.status, 'Something went wrong...');
  }
  if (!response.ok) throw new Failure(response.status, typeof body.message === 'string' ? body.message : 'Something went wrong...');
  return body;
}

async function request(path: string, init: RequestInit): Promise<Record<string, unknown>> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, signal: init.signal ?? AbortSignal.timeout(30_000) });
  } catch {
    throw new Failure(0, 'The server cannot be reached. Check the connection and try again.');
  }
  return answer(response);
}

/** The `result` of an enveloped GET, with the sentence that came with it. */
export async function get<T>(token: string, path: string): Promise<{ result: T; message: string }> {
  const body = await request(`/api/${path}`, { headers: { Authorization: `Bearer ${token}` } });
  return { result: body.result as T, message: String(body.message ?? '') };
}

/** POST /token, the one call with a form. */
export async function postToken(form: Record<string, string>): Promise<Login> {
  return (await request('/api/token', { method: 'POST', body: new URLSearchParams(form) })) as unknown as Login;
}
