// Requests and checked answers: the energy budget of a month, and the budgets that users enter or import.
import * as v from 'valibot';
import { asked, Flags, Maybe } from './analysis-energy';
import { checked, type Asking } from './history';
import { post, postText } from './rest';

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
  /** Consumption minus budget so far, kWh and %. */
  varianceKwh: Maybe,
  variancePercent: Maybe,
  /** Expected consumption of the month, and its difference to the budget with its band, kWh. */
  expectedKwh: Maybe,
  overrunKwh: Maybe,
  overrunLowKwh: Maybe,
  overrunHighKwh: Maybe,
  coverage: Maybe,
  flags: Flags,
  missing: Flags,
});
export type EnergyBudget = v.InferOutput<typeof EnergyBudget>;

export const getEnergyBudget = (token: string, scope: string, asking?: Asking) =>
  asked(EnergyBudget, token, `analytics/energybudget/${scope}/month`, asking);

/** The entered budget of a month, `YYYY-MM`. */
const EnteredBudget = v.object({ month: v.string(), budgetKwh: v.number() });
export type EnteredBudget = v.InferOutput<typeof EnteredBudget>;

const BudgetsImported = v.object({ added: v.number(), changed: v.number(), same: v.number() });
export type BudgetsImported = v.InferOutput<typeof BudgetsImported>;

export const getEnteredBudgets = (token: string, scope: string, asking?: Asking) =>
  asked(v.array(EnteredBudget), token, `analytics/energybudget/${scope}/entered`, asking);

/** Stores the budget of a month, or removes it with null. Returns all budgets of the place. */
export async function putBudget(token: string, scope: string, month: string, budgetKwh: number | null): Promise<EnteredBudget[]> {
  const { result } = await post<unknown>(token, `admin/energybudget/${scope}`, { month, budgetKwh }, 'PUT');
  return checked(v.array(EnteredBudget), result);
}

/** Imports a file of budgets of any places. */
export async function postBudgets(token: string, file: Blob): Promise<BudgetsImported> {
  const { result } = await postText<unknown>(token, 'admin/energybudgets/import', file, 'text/csv');
  return checked(BudgetsImported, result);
}
