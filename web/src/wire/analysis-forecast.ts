// The energy budget of a month as it is served.
import * as v from 'valibot';
import { asked, Flags, Maybe } from './analysis-energy';
import type { Asking } from './history';

/** A day: what was, or is expected to be, used up since the month began, kWh. The band is from the 10th to the 90th percentile. */
export const BudgetDay = v.object({
  day: v.number(),
  month: v.number(),
  year: v.number(),
  timeMs: v.number(),
  EnergyBudgetKwh: Maybe,
  EnergyConsumptionKwh: Maybe,
  type: v.picklist(['actual', 'forecast']),
  q10: Maybe,
  q90: Maybe,
});
export type BudgetDay = v.InferOutput<typeof BudgetDay>;

export const EnergyBudget = v.object({
  forecastValues: v.array(BudgetDay),
  budgetKwh: Maybe,
  /** How the forecast was made; null where there is none. */
  method: v.nullish(v.string(), null),
  issuedAt: v.nullish(v.string(), null),
  /** What the budget was made from; null where there is none. */
  basis: v.nullish(v.string(), null),
  coverage: Maybe,
  flags: Flags,
  missing: Flags,
});
export type EnergyBudget = v.InferOutput<typeof EnergyBudget>;

export const getEnergyBudget = (token: string, scope: string, asking?: Asking) =>
  asked(EnergyBudget, token, `analytics/energybudget/${scope}/month`, asking);
