// The results of a run: cost, energies, shares, and the day's curves of the plan beside yesterday's measured values.
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { bars } from '../../charts/bars';
import { pie } from '../../charts/pie';
import { Plot } from '../../charts/Plot';
import { wallOf } from '../../charts/zone';
import type { Optimised } from '../../wire/lowcarbon';
import { dayWords, energyBars, powerLines, sharesPie, storageLines } from './figures';
import { Money, SiteStats } from './SiteStats';
import { t } from '../../words';

interface Props {
  readonly name: string;
  readonly zone: string;
  readonly pages: readonly string[];
  /** Null until the first answer. */
  readonly data: Optimised | null;
  readonly problem: string;
  /** Whether the form has changed since the run. */
  readonly isOld: boolean;
  readonly isBusy: boolean;
  readonly now: () => number;
  readonly onRetry: () => void;
  /** Shown below the reason why there is no plan. */
  readonly reported: ReactNode;
}

const DAY = 86_400_000;
const MINUTE = 60_000;

/** The date in a zone as YYYY-MM-DD. */
const dayOf = (ms: number, zone: string) => new Date(wallOf(ms, zone)).toISOString().slice(0, 10);

export function Results({ name, zone, pages, data, problem, isOld, isBusy, now, onRetry, reported }: Props) {
  // Renders once a minute, because a new day can start without any input.
  const [, look] = useState(0);
  useEffect(() => {
    const looking = setInterval(() => look((before) => before + 1), MINUTE);
    return () => clearInterval(looking);
  }, []);
  const isSeen = (page: string) => pages.includes(page);
  const figures = useMemo(
    () =>
      data && {
        shares: pie(sharesPie(data.shares, data.stats.site)),
        sharesBefore: pie(sharesPie(data.historical?.shares ?? null, data.historical?.stats.site ?? null)),
        energy: bars(energyBars(data.results, data.curtailedKw, true)),
        energyBefore: bars(energyBars(data.historical?.results ?? null, null, false)),
        power: bars(powerLines(data.results, data.curtailedKw, true)),
        powerBefore: bars(powerLines(data.historical?.results ?? null, null, false)),
        storage: bars(storageLines(data, data.historical)),
      },
    [data],
  );
  if (!data && problem) {
    return (
      <>
        <div className="notice" role="alert" data-testid="no-plan">
          <p>{problem}</p>
          <p>
            <button type="button" onClick={onRetry}>
              {t('charts.tryAgain')}
            </button>
          </p>
        </div>
        {reported}
      </>
    );
  }
  const forecastName =
    data?.day === dayOf(now(), zone) || !data
      ? t('lowcarbon.forecastToday')
      : data.day === dayOf(now() + DAY, zone)
        ? t('lowcarbon.forecastTomorrow')
        : t('lowcarbon.forecastOf', { day: data.day });
  // The failure is shown once above all charts, which are dimmed.
  const about = { subject: name, zone, isLoading: isBusy } as const;
  const yesterday = data?.historical ? `${t('lowcarbon.reportedYesterday')}, ${dayWords(data.historical.day)}` : t('lowcarbon.reportedYesterday');
  const before = [data?.historical && dayWords(data.historical.day)];
  const isOver = data !== null && data.day < dayOf(now(), zone);
  const old = !data || problem || isBusy ? '' : isOver ? t('lowcarbon.dayIsOver') : isOld ? t('lowcarbon.planOfBefore') : '';
  const planned = data ? `${forecastName}, ${data.day}` : forecastName;
  return (
    <>
      {data && problem && (
        <p className="stale-line" role="alert" data-testid="stale-plan">
          {t('charts.notUpToDate', { problem })}{' '}
          <button type="button" className="plain" onClick={onRetry}>
            {t('charts.tryAgain')}
          </button>
        </p>
      )}
      <p className={old ? 'stale-line' : 'visually-hidden'} role="status" data-testid="old-plan">
        {old}
      </p>
      <div className="pictures" data-stale={Boolean(problem || old)}>
        {data && isSeen('lc.site-analytics') && <Money data={data} zone={zone} now={now()} />}
        {data && data.warnings.length > 0 && (
          <ul className="warnings" data-testid="warnings">
            {data.warnings.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        )}
        {isSeen('lc.site-analytics') && (
          <div className="thirds" data-testid="site-analytics">
            {data ? <SiteStats name={name} data={data} forecastName={forecastName} /> : <p className="waiting">{t('charts.loading')}</p>}
            <Plot title={t('lowcarbon.consumptionPie')} detail={forecastName} figure={figures?.shares ?? null} span={planned} height={230} {...about} />
            <Plot title={t('lowcarbon.consumptionPie')} detail={yesterday} figure={figures?.sharesBefore ?? null} span={yesterday} height={230} {...about} />
          </div>
        )}
        {isSeen('lc.energy-consumption') && (
          <div className="halves" data-testid="energy-consumption">
            <Plot title={t('lowcarbon.energyHistorical')} detail={[...before, t('lowcarbon.belowIsAway')].filter(Boolean).join('; ')} figure={figures?.energyBefore ?? null} span={yesterday} height={280} {...about} />
            <Plot title={t('lowcarbon.energyForecast')} detail={t('lowcarbon.belowIsAway')} figure={figures?.energy ?? null} span={planned} height={280} {...about} />
          </div>
        )}
        {isSeen('lc.power-flow') && (
          <div className="halves" data-testid="power-flow">
            <Plot title={t('lowcarbon.powerHistorical')} detail={[...before, t('lowcarbon.aboveIsIn')].filter(Boolean).join('; ')} figure={figures?.powerBefore ?? null} span={yesterday} height={280} {...about} />
            <Plot title={t('lowcarbon.powerForecast')} detail={t('lowcarbon.aboveIsIn')} figure={figures?.power ?? null} span={planned} height={280} {...about} />
          </div>
        )}
        {(isSeen('lc.power-flow') || isSeen('lc.site-analytics')) && (
          <Plot title={t('lowcarbon.stateOfCharge')} detail={storedWords(data)} figure={figures?.storage ?? null} span={planned} height={220} {...about} />
        )}
      </div>
    </>
  );
}

/** The battery's charge at the start and at the end of the day as text. */
function storedWords(data: Optimised | null): string {
  const percent = data?.storagePercent?.filter((value) => value !== null);
  if (!percent?.length) return '';
  return t('lowcarbon.fromToPercent', { from: Math.min(...percent).toFixed(0), to: Math.max(...percent).toFixed(0) });
}
