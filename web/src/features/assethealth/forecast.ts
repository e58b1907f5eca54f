// The risk of the years to come, doing nothing and with some sections replaced, as two lines and what lies between them. Pure.
import type { Xy } from '../../charts/xy';
import type { RiskForecast } from '../../wire/cable-health';
import { moneyIn } from './sections';
import { t } from '../../words';

export interface Saved {
  /** Of all years together, in the currency. */
  readonly total: number;
  /** Of the last year. */
  readonly last: number;
  readonly lastYear: number | null;
}

/** What replacing takes away of the risk. Where it adds some, that is a negative saving and is shown as one. */
export function savedOf({ years, doNothing, replaced }: RiskForecast): Saved {
  const each = years.map((_, at) => (doNothing[at] ?? 0) - (replaced[at] ?? 0));
  return { total: each.reduce((sum, one) => sum + one, 0), last: each.at(-1) ?? 0, lastYear: years.at(-1) ?? null };
}

/** How much money is written with few digits: thousands and millions have words of their own. */
const SIZES = [
  [1e6, (currency: string) => t('assethealth.millions', { currency })],
  [1e3, (currency: string) => t('assethealth.thousands', { currency })],
  [1, (currency: string) => currency],
] as const;

export function sizeFor(most: number, currency: string): { by: number; unit: string } {
  const [by, unit] = SIZES.find(([from]) => Math.abs(most) >= from) ?? SIZES[2];
  return { by, unit: unit(currency) };
}

export function riskLines(forecast: RiskForecast, hasReplaced: boolean): Xy {
  const { years, doNothing, replaced } = forecast;
  const { by, unit } = sizeFor(Math.max(0, ...doNothing, ...replaced), moneyIn(forecast));
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
      ...(hasReplaced ? [{ name: t('assethealth.riskSaved'), as: 'band' as const, colour: 2, points: band }] : []),
      { name: t('assethealth.doNothing'), as: 'line', colour: 3, points: line(doNothing) },
      ...(hasReplaced ? [{ name: t('assethealth.withReplacement'), as: 'line' as const, colour: 0, dash: [6, 3], points: line(replaced) }] : []),
    ],
  };
}
