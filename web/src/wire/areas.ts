// Requests about areas of responsibility and desks.
import { get, post, postCommand, type Asking, type Schemas } from './rest';

export type Areas = Schemas['AreasRow'];
export type Area = Schemas['AreaRow'];
export type AreaRequest = Schemas['AreaRequestRow'];
export type Desk = Schemas['DeskRow'];
export type SeatRequest = Schemas['SeatRequestRow'];
export type AreaPlan = Schemas['AreaPlan'];
export type PlannedArea = Schemas['PlannedArea'];
export type PlannedPart = Schemas['PlannedPart'];

/** Acts about an area, and what each sends. */
export interface Acts {
  readonly request: { readonly reason: string };
  readonly offer: { readonly deskId: number; readonly reason: string };
  readonly consent: { readonly requestId: number };
  readonly refuse: { readonly requestId: number };
  readonly take: Readonly<Record<string, never>>;
  readonly move: { readonly deskId: number; readonly reason: string };
}

export const getAreas = (token: string, asking?: Asking) => get<Areas>(token, 'areas', asking);
export const sit = (token: string, deskId: number, reason?: string) => post<Areas>(token, 'areas/desk', { deskId, reason: reason ?? null }, 'PUT');
export const askForSeat = (token: string, deskId: number, reason: string) => postCommand<Areas>(token, 'areas/desk/request', { deskId, reason });
export const answerSeat = (token: string, act: 'consent' | 'refuse', requestId: number) => postCommand<Areas>(token, `areas/desk/${act}`, { requestId });
export const handOver = <A extends keyof Acts>(token: string, area: number, act: A, body: Acts[A]) => postCommand<Areas>(token, `areas/${area}/${act}`, body);
export const putAreas = (token: string, plan: AreaPlan) => post<Areas>(token, 'admin/areas', plan, 'PUT');
