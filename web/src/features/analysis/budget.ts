// The energy budget of a month as curves: daily budget and consumption, and the dotted forecast with its band. Pure.
import { DOTTED } from '../../charts/bars';
import type { Xy, XyPoint } from '../../charts/xy';
import { number } from '../../ui/format';
import type { BudgetDay, EnergyBudget } from '../../wire/analysis-forecast';
import { t } from '../../words';

type Of = (day: BudgetDay) => number | null;

/** The curve of actual or forecast days. A day without a value is a gap. The forecast starts at the last actual day, so that the curves join. */
function curve(days: readonly BudgetDay[], kind: BudgetDay['type'], of: Of): (XyPoint | null)[] {
  const point = (day: BudgetDay) => {
    const y = of(day);
    return y === null ? null : { x: day.day, y };
  };
  const own = days.filter(({ type }) => type === kind);
  const before =
    kind === 'forecast' && own[0] ? days.filter(({ type, day }) => type === 'actual' && day < (own[0]?.day ?? 0)).at(-1) : undefined;
  return [...(before ? [point(before)] : []), ...own.map(point)];
}

export function budgetCurves({ forecastValues }: Pick<EnergyBudget, 'forecastValues'>): Xy {
  const days = [...forecastValues].sort((a, b) => a.day - b.day);
  const [budget, used]: Of[] = [({ EnergyBudgetKwh }) => EnergyBudgetKwh, ({ EnergyConsumptionKwh }) => EnergyConsumptionKwh];
  const band = days.map(({ day, q10, q90 }) => (q10 === null || q90 === null ? null : { x: day, y: q90, low: q10 }));
  const series = [
    { name: t('analytics.consumptionBand'), points: band, as: 'band', colour: 0 },
    { name: t('analytics.energyBudget'), points: curve(days, 'actual', budget!), as: 'line', colour: 3 },
    { name: t('analytics.energyBudgetForecast'), points: curve(days, 'forecast', budget!), as: 'line', colour: 3, dash: DOTTED },
    { name: t('analytics.energyConsumption'), points: curve(days, 'actual', used!), as: 'line', colour: 0 },
    { name: t('analytics.energyConsumptionForecast'), points: curve(days, 'forecast', used!), as: 'line', colour: 0, dash: DOTTED },
  ] as const;
  return {
    x: { name: t('analytics.dayOfMonth'), unit: '', decimals: 0, from: 1, to: Math.max(28, ...days.map(({ day }) => day)) },
    y: { name: t('analytics.cumulativeEnergy'), unit: 'kWh', decimals: 2, fromZero: true },
    series: series.filter(({ points }) => points.some((point) => point !== null)),
    head: t('analytics.curve'),
  };
}

const METHODS: Readonly<Record<string, string>> = {
  mstl_ets: t('analytics.methodMstl'),
  mean_of_4_weeks: t('analytics.methodFourWeeks'),
  last_week: t('analytics.methodLastWeek'),
  yesterday: t('analytics.methodYesterday'),
};

const BASES: Readonly<Record<string, string>> = { entered: t('analytics.basisEntered'), last_year: t('analytics.basisLastYear'), four_weeks: t('analytics.basisFourWeeks') };

/** The basis of a budget as text. */
export function basisWords(basis: string | null): string {
  return basis === null ? t('analytics.basisNone') : (BASES[basis] ?? basis);
}

/** The method of a forecast as text. An unknown method is shown by its code. */
export function methodWords(method: string | null): string {
  return method === null ? t('analytics.methodNone') : (METHODS[method] ?? method);
}

const distance = (kwh: number) => kwh < 0 ? t('analytics.belowBudget', { kwh: number(Math.abs(kwh), 0) }) : t('analytics.aboveBudget', { kwh: number(Math.abs(kwh), 0) });

/** Consumption against the budget so far. */
export function varianceText({ varianceKwh, variancePercent }: Pick<EnergyBudget, 'varianceKwh' | 'variancePercent'>): string {
  if (varianceKwh === null) return '–';
  const sign = variancePercent !== null && variancePercent < 0 ? '−' : '+';
  const share = variancePercent === null ? '' : ` (${sign}${number(Math.abs(variancePercent), 1)} %)`;
  return `${t('analytics.ofBudget', { distance: distance(varianceKwh) })}${share}`;
}

/** The expected difference at the end of the month, with its band. */
export function overrunText({ overrunKwh, overrunLowKwh, overrunHighKwh }: Pick<EnergyBudget, 'overrunKwh' | 'overrunLowKwh' | 'overrunHighKwh'>): string {
  if (overrunKwh === null) return '–';
  const expected = t('analytics.ofBudget', { distance: distance(overrunKwh) });
  return overrunLowKwh === null || overrunHighKwh === null ? expected : t('analytics.withBand', { expected, low: distance(overrunLowKwh), high: distance(overrunHighKwh) });
}

/** A month that can have a budget: its value for the API, and its name. */
export interface BudgetMonth {
  readonly value: string;
  readonly name: string;
}

/** Months before and after the present one for which a budget can be entered. */
const MONTHS_BEFORE = 12;
const MONTHS_AFTER = 24;

/** The name of a month, such as `April 2026`. */
export function monthName(month: string): string {
  const ms = Date.parse(`${month}-01T00:00:00Z`);
  return Number.isNaN(ms) ? month : new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(ms);
}

/** The months that can be chosen around the month of a day. */
export function budgetMonths({ year, month }: Pick<BudgetDay, 'year' | 'month'>): readonly BudgetMonth[] {
  return Array.from({ length: MONTHS_BEFORE + 1 + MONTHS_AFTER }, (_, at) => {
    const value = new Date(Date.UTC(year, month - 1 + at - MONTHS_BEFORE, 1)).toISOString().slice(0, 7);
    return { value, name: monthName(value) };
  });
}

/** The number in a field, kWh: null if the field is empty, and NaN if the text is not a valid budget. Spaces and commas between digits are ignored. */
export function budgetIn(text: string): number | null {
  const plain = text.replace(/[\s,]/g, '');
  if (plain === '') return null;
  const kwh = /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
  return kwh > 0 && kwh < 1e12 ? kwh : Number.NaN;
}
