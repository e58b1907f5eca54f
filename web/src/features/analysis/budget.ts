// The energy budget of a month as curves: daily budget and consumption, and the dotted forecast with its band. Pure.
import { DOTTED } from '../../charts/bars';
import type { Xy, XyPoint } from '../../charts/xy';
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

const BASES: Readonly<Record<string, string>> = { last_year: t('analytics.basisLastYear'), four_weeks: t('analytics.basisFourWeeks') };

/** The basis of a budget as text. */
export function basisWords(basis: string | null): string {
  return basis === null ? t('analytics.basisNone') : (BASES[basis] ?? basis);
}

/** The method of a forecast as text. An unknown method is shown by its code. */
export function methodWords(method: string | null): string {
  return method === null ? t('analytics.methodNone') : (METHODS[method] ?? method);
}
