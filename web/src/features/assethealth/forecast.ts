// The forecast risk without replacements and with each list of replacements, and the savings and costs of each list. Pure.
import type { Xy } from '../../charts/xy';
import type { ReplacementCost, RiskForecast } from '../../wire/cable-health';
import { moneyIn } from './sections';
import { t } from '../../words';

/** Names of the two lists of replacements. Two lists allow a comparison of investments. */
export const LISTS = ['A', 'B'] as const;
export type ListName = (typeof LISTS)[number];

export interface Saved {
  /** Sum of all years, in the currency. */
  readonly total: number;
  /** Saving of the last year. */
  readonly last: number;
  readonly lastYear: number | null;
}

/** The risk that a list saves. The saving is negative if the list increases the risk. */
export function savedOf({ years, doNothing }: Pick<RiskForecast, 'years' | 'doNothing'>, replaced: readonly number[]): Saved {
  const each = years.map((_, at) => (doNothing[at] ?? 0) - (replaced[at] ?? 0));
  return { total: each.reduce((sum, one) => sum + one, 0), last: each.at(-1) ?? 0, lastYear: years.at(-1) ?? null };
}

export interface ListFigures extends Saved {
  readonly name: ListName;
  readonly what: ReplacementCost | null;
  /** Saved risk for each unit of cost; null if the cost is unknown or 0. */
  readonly ratio: number | null;
}

/** Savings and costs of each list that has sections. */
export function listFigures(forecast: RiskForecast, sizes: Readonly<Record<ListName, number>>): readonly ListFigures[] {
  const { replaced, compared, replacedCost, comparedCost } = forecast;
  const of = (name: ListName, risk: readonly number[] | null, what: ReplacementCost | null): readonly ListFigures[] => {
    if (sizes[name] === 0 || !risk) return [];
    const saved = savedOf(forecast, risk);
    const cost = what?.cost ?? null;
    return [{ name, what, ...saved, ratio: cost ? saved.total / cost : null }];
  };
  return [...of('A', replaced, replacedCost), ...of('B', compared, comparedCost)];
}

/** Units for large amounts: millions and thousands. */
const SIZES = [
  [1e6, (currency: string) => t('assethealth.millions', { currency })],
  [1e3, (currency: string) => t('assethealth.thousands', { currency })],
  [1, (currency: string) => currency],
] as const;

export function sizeFor(most: number, currency: string): { by: number; unit: string } {
  const [by, unit] = SIZES.find(([from]) => Math.abs(most) >= from) ?? SIZES[2];
  return { by, unit: unit(currency) };
}

/** The curves without replacements and with each list that has sections. A band between the first curve and list A shows the saving. */
export function riskLines(forecast: RiskForecast, sizes: Readonly<Record<ListName, number>>): Xy {
  const { years, doNothing, replaced, compared } = forecast;
  const { by, unit } = sizeFor(Math.max(0, ...doNothing, ...replaced, ...(compared ?? [])), moneyIn(forecast));
  const line = (values: readonly number[]) =>
    years.flatMap((x, at) => {
      const value = values[at];
      return value === undefined ? [] : [{ x, y: value / by }];
    });
  const band = years.flatMap((x, at) => {
    const [high, low] = [doNothing[at], replaced[at]];
    return high === undefined || low === undefined ? [] : [{ x, y: Math.max(high, low) / by, low: Math.min(high, low) / by }];
  });
  return {
    head: t('assethealth.course'),
    x: { name: t('assethealth.year'), unit: '', decimals: 0, ...(years[0] !== undefined && { from: years[0], to: Math.max(years.at(-1) ?? 0, years[0] + 1) }) },
    y: { name: t('assethealth.risk'), unit, fromZero: true, decimals: 2 },
    series: [
      ...(sizes.A > 0 ? [{ name: t('assethealth.riskSaved'), as: 'band' as const, colour: 2, points: band }] : []),
      { name: t('assethealth.doNothing'), as: 'line', colour: 3, points: line(doNothing) },
      ...(sizes.A > 0 ? [{ name: t('assethealth.withList', { list: 'A' }), as: 'line' as const, colour: 0, dash: [6, 3], points: line(replaced) }] : []),
      ...(sizes.B > 0 && compared ? [{ name: t('assethealth.withList', { list: 'B' }), as: 'line' as const, colour: 5, dash: [2, 3], points: line(compared) }] : []),
    ],
  };
}
