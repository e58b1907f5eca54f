// Requests and checked answers: refused steps of energy registers, and their confirmation.
import * as v from 'valibot';
import { asked } from './analysis-energy';
import type { Asking } from './history';
import { post } from './rest';

const Text = v.nullish(v.string(), null);

export const RegisterStep = v.object({
  assetId: v.number(),
  assetName: v.string(),
  pointId: v.number(),
  isImport: v.boolean(),
  from: v.string(),
  fromKwh: v.number(),
  at: v.string(),
  atKwh: v.number(),
  amountKwh: v.number(),
  allowedKwh: v.number(),
  /** The user who has confirmed the step; null if it is refused. */
  confirmedBy: Text,
  confirmed: Text,
  note: Text,
});
export type RegisterStep = v.InferOutput<typeof RegisterStep>;

export const RegisterSteps = v.object({ rows: v.array(RegisterStep), cut: v.boolean() });
export type RegisterSteps = v.InferOutput<typeof RegisterSteps>;

export const getRegisterSteps = (token: string, scope: string, days: number, asking?: Asking) =>
  asked(RegisterSteps, token, `analytics/registersteps/${scope}/${days}`, asking);

/** Confirms that a step was real, or withdraws the confirmation. */
export const confirmStep = (token: string, { assetId, pointId, at }: RegisterStep, isReal: boolean, note: string) =>
  post<boolean>(token, `analytics/registerstep/${assetId}`, { pointId, at, isReal, note }, 'PUT');
