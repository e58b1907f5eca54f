// Request and checked answer: the energy budget of a month.
import * as v from 'valibot';
import { asked, Flags, Maybe } from './analysis-energy';
import type { Asking } from './history';

/** Consumption since the start of the month at the end of one day, actual or forecast, kWh. The band runs from the 10th to the 90th percentile. */
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
  /** The method of the forecast; null if there is no forecast. */
  method: v.nullish(v.string(), null),
  issuedAt: v.nullish(v.string(), null),
  /** The basis of the budget; null if there is no budget. */
  basis: v.nullish(v.string(), null),
  coverage: Maybe,
  flags: Flags,
  missing: Flags,
});
export type EnergyBudget = v.InferOutput<typeof EnergyBudget>;

export const getEnergyBudget = (token: string, scope: string, asking?: Asking) =>
  asked(EnergyBudget, token, `analytics/energybudget/${scope}/month`, asking);
