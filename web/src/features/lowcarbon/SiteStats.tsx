// The totals of a day: planned energies beside yesterday's measured ones, cost, and the sources of the plan.
import { eventTime, number } from '../../ui/format';
import { csv } from '../../ui/csv';
import { useExports } from '../../ui/exports';
import type { Optimised, Stats } from '../../wire/lowcarbon';
import { dayWords, storedChange } from './figures';
import { t } from '../../words';

export const KWH = 'kWh';
/** The energies of a day in the order of the specification. */
export const ENERGIES: readonly (readonly [keyof Stats, string])[] = [
  ['site', t('lowcarbon.siteConsumption')],
  ['solar', t('lowcarbon.solarGeneration')],
  ['grid_import', t('lowcarbon.gridImport')],
  ['grid_export', t('lowcarbon.gridExport')],
  ['battery_charge', t('lowcarbon.batteryCharge')],
  ['battery_discharge', t('lowcarbon.batteryDischarge')],
];

/** The table of energies. `forecastName` names the day of the plan. */
export function SiteStats({ name, data, forecastName }: { name: string; data: Optimised; forecastName: string }) {
  const historical = data.historical?.stats ?? null;
  const before = data.historical ? dayWords(data.historical.day) : '';
  const file = `${name}-${t('lowcarbon.siteStats')}`;
  useExports([
    {
      name: t('tables.asCsv', { title: t('lowcarbon.siteStats') }),
      file,
      extension: 'csv',
      make: () =>
        new Blob(
          [
            csv(
              [t('lowcarbon.energyKwhHead'), `${forecastName} ${data.day}`, `${t('lowcarbon.reportedYesterday')} ${data.historical?.day ?? ''}`.trim()],
              ENERGIES.map(([key, words]) => [words, rounded(data.stats[key]), rounded(historical?.[key] ?? null)]),
            ),
          ],
          { type: 'text/csv' },
        ),
    },
  ]);
  return (
    <section className="site-stats" aria-label={t('lowcarbon.siteStats')}>
      <h3>
        {t('lowcarbon.siteStats')} <small>{KWH}</small>
      </h3>
      <table data-testid="site-stats">
        <thead>
          <tr>
            <th aria-label={t('lowcarbon.energyKwhHead')} />
            <th className="number">{forecastName}</th>
            <th className="number">
              {t('lowcarbon.reportedYesterday')} {before && <small data-testid="reported-day">{before}</small>}
            </th>
          </tr>
        </thead>
        <tbody>
          {ENERGIES.map(([key, words]) => (
            <tr key={key} data-testid={`stat-${key}`}>
              <th scope="row">{words}</th>
              <td className="number">{number(data.stats[key], 2)}</td>
              <td className="number">{number(historical?.[key] ?? null, 2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="hint">
        {data.historical === null
          ? t('lowcarbon.nothingReported')
          : data.historical.coverage !== null && data.historical.coverage < 100
            ? t('lowcarbon.coverage', { percent: number(data.historical.coverage, 0) })
            : ''}
      </p>
    </section>
  );
}

const rounded = (value: number | null) => (value === null ? null : Number(value.toFixed(2)));

const DEMANDS: Readonly<Record<string, string>> = {
  file: t('lowcarbon.fromFile'),
  forecast: t('lowcarbon.fromForecast'),
  mean: t('lowcarbon.fromMean'),
};
const SUNS: Readonly<Record<string, string>> = {
  profile: t('lowcarbon.fromProfile'),
  'clear-sky': t('lowcarbon.fromClearSky'),
  none: t('lowcarbon.noSun'),
};

/** The cost of the day, the saving by the battery, and the sources of demand and solar power. */
export function Money({ data, zone, now }: { data: Optimised; zone: string; now: number }) {
  const { currency, storageKwh } = data;
  const change = storedChange(storageKwh);
  const signed = (value: number) => `${value > 0 ? '+' : ''}${number(value, 1)}`;
  return (
    <dl className="figures-line" data-testid="money">
      <div>
        <dt>{t('lowcarbon.costOfTheDay')}</dt>
        <dd data-testid="cost">
          {number(data.cost, 2)} <small>{currency}</small>
        </dd>
      </div>
      <div>
        <dt>{t('lowcarbon.withoutBattery')}</dt>
        <dd data-testid="cost-without">
          {number(data.costWithoutBattery, 2)} <small>{data.costWithoutBattery === null ? t('lowcarbon.notPossible') : currency}</small>
        </dd>
      </div>
      <div>
        <dt>{t('lowcarbon.saving')}</dt>
        <dd data-testid="saving">
          {number(data.saving, 2)} <small>{data.saving === null ? '' : currency}</small>
        </dd>
      </div>
      <div>
        <dt>{t('lowcarbon.batteryAtTheEnd')}</dt>
        <dd>
          {number(storageKwh.at(-1) ?? null, 1)} <small>{t('lowcarbon.kwhChange', { change: signed(change) })}</small>
        </dd>
      </div>
      <div className="words">
        <dt>{t('lowcarbon.demand')}</dt>
        <dd>
          {DEMANDS[data.demandFrom] ?? data.demandFrom}
          {data.issued && <small> {t('lowcarbon.issued', { time: eventTime(Date.parse(data.issued), now, zone) })}</small>}
        </dd>
      </div>
      <div className="words">
        <dt>{t('lowcarbon.sun')}</dt>
        <dd>{SUNS[data.solarFrom] ?? data.solarFrom}</dd>
      </div>
    </dl>
  );
}
