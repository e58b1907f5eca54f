// Demand: peaks by band of the day, demand over time, a table of peaks, and for assets a comparison with the forecast (specification 3,
// section 2.1).
import { useEffect, useMemo, useState } from 'react';
import { bars } from '../../charts/bars';
import { Column } from '../../charts/Column';
import { useGroup } from '../../charts/group';
import { Panel } from '../../charts/Panel';
import { Plot } from '../../charts/Plot';
import type { Preset } from '../../charts/range';
import { fullTime } from '../../charts/ticks';
import type { Source } from '../../charts/useSeries';
import type { TableColumn } from '../../table/columns';
import { number } from '../../ui/format';
import {
  getDemand,
  getForecastVsActual,
  getPeakProfile,
  getPeakTable,
  type ForecastVsActual,
  type PeakRow,
} from '../../wire/analysis-demand';
import { DEMAND_LOOK, demandChart, FORECAST_LOOK, forecastChart, intervalName, peakBars, precisionIn, readingTime } from './demand';
import { Doubts, Term } from './Doubts';
import { doubtLine, type Doubtful } from './doubts';
import { Facts } from './Facts';
import { useRepeated } from './useRepeated';
import { scopeOf, type ViewProps } from './view';
import { t } from '../../words';
import '../../ui/analysis.css';
import '../../ui/screens.css';

/** Time spans of specification 3, section 9. */
const RANGES: readonly Preset[] = ['1d', '1w', '1m', 'all'];

export function Demand(props: ViewProps) {
  return (
    <div className="analysis">
      <div className="analysis-halves first-row">
        <PeakProfile {...props} />
        <PeakTable {...props} />
      </div>
      <Column zone={props.zone} presets={RANGES} initial="1d" now={props.now}>
        <OverTime {...props} />
      </Column>
      {props.node.level === 'asset' && <ActualVsForecast key={props.node.id} {...props} />}
    </div>
  );
}

const PERIODS = [
  ['day', t('demand.periodDay')],
  ['month', t('demand.periodMonth')],
  ['year', t('demand.periodYear')],
] as const;
type Period = (typeof PERIODS)[number][0];

function PeakProfile({ token, node, zone }: ViewProps) {
  const scope = scopeOf(node);
  const [period, setPeriod] = useState<Period>('day');
  const { data, problem, retry } = useRepeated(`${scope} peaks ${period}`, (asking) => getPeakProfile(token, scope, period, asking));
  const figure = useMemo(() => data && bars(peakBars(data, zone)), [data, zone]);
  const periodName = PERIODS.find(([key]) => key === period)?.[1] ?? '';
  return (
    <div>
      <Plot
        title={t('demand.peakDemandProfile')}
        detail={[periodName, data?.unit, data?.blockMinutes != null && t('demand.blocks', { n: data.blockMinutes })]
          .filter(Boolean)
          .join(', ')}
        subject={node.name}
        figure={figure}
        problem={problem}
        onRetry={retry}
        zone={zone}
        span={periodName}
        keptSince={data?.keptSince}
        height={230}
      />
      <div className="analysis-tools">
        <div className="choice" role="group" aria-label={t('demand.period')}>
          {PERIODS.map(([key, name]) => (
            <button key={key} type="button" aria-pressed={key === period} data-testid={`period-${key}`} onClick={() => setPeriod(key)}>
              {name}
            </button>
          ))}
        </div>
      </div>
      {data && <Doubts {...data} />}
    </div>
  );
}

function PeakTable({ token, node, zone, now }: ViewProps) {
  const scope = scopeOf(node);
  const asked = useRepeated(`${scope} peak table`, (asking) => getPeakTable(token, scope, asking));
  const unit = asked.data?.unit ?? '';
  const columns = useMemo<readonly TableColumn<PeakRow>[]>(
    () => [
      { key: 'interval', name: t('demand.timeInterval'), text: intervalName },
      { key: 'from', name: t('demand.readingFrom'), text: ({ readingFrom, name }) => readingFrom ?? name },
      {
        key: 'time',
        name: t('demand.timeOfReading'),
        text: (row) => readingTime(row, zone),
        value: ({ reportedDateTime }) => reportedDateTime,
      },
      {
        key: 'demand',
        name: unit ? t('demand.demandIn', { unit }) : t('demand.demand'),
        isNumber: true,
        text: ({ peakDemand }) => number(peakDemand, 2),
        value: ({ peakDemand }) => peakDemand,
      },
    ],
    [unit, zone],
  );
  return (
    <Facts
      title={<Term name={t('demand.peakDemandTable')} definition={t('demand.peakMeans')} />}
      name={t('demand.peakDemandTable')}
      asked={asked}
      rows={asked.data?.rows ?? null}
      keptSince={asked.data?.keptSince}
      columns={columns}
      keyOf={({ timeInterval }) => timeInterval}
      doubt={doubtLine}
      zone={zone}
      now={now}
      testId="peaks"
    />
  );
}

const NOTHING: Doubtful = { coverage: null, flags: [] };

function OverTime({ token, node }: ViewProps) {
  const { begins } = useGroup();
  const [doubt, setDoubt] = useState<Doubtful>(NOTHING);
  const [daysOf, setDaysOf] = useState<number | null>(null);
  const source = useMemo<Source>(
    () => ({
      key: `${scopeOf(node)} demand`,
      load: async (range, _, signal, isBackground) => {
        const answer = await getDemand(token, scopeOf(node), { from: range.from, to: range.to }, { signal, isBackground, isHeavy: true });
        setDoubt(answer);
        setDaysOf(answer.byDay ? answer.blockMinutes : null);
        const first = answer.rows.find(({ demand }) => demand !== null)?.timeMs;
        // Only a span that begins before anything was measured shows when that was.
        if (first !== undefined && first - range.from > YEAR) begins(first);
        return { ...demandChart(answer), keptSince: answer.keptSince };
      },
    }),
    [token, node, begins],
  );
  return (
    <>
      <Panel
        title={t('demand.demandOverTime')}
        detail={daysOf === null ? undefined : t('demand.byDay', { minutes: daysOf })}
        subject={node.name}
        source={source}
        look={DEMAND_LOOK}
        height={240}
        empty={t('charts.noDataFoundToDisplay')}
      />
      <Doubts {...doubt} />
    </>
  );
}

const YEAR = 366 * 86_400_000;
const HOUR = 3_600_000;
/** The choices of days before today. */
const BACK = [7, 1, 30, 90] as const;
function ActualVsForecast({ token, node, zone, now }: ViewProps) {
  const [days, setDays] = useState<number>(BACK[0]);
  const [initial, setInitial] = useState<Preset>('all');
  const asked = useRepeated(`${node.id} forecast ${days}`, (asking) => getForecastVsActual(token, node.id, days, asking));
  const { data, problem, retry } = asked;
  const last = data?.rows.at(-1)?.timeMs ?? null;
  // The span ends at the end of the forecast, so it changes only when another hour is added.
  const end = () => (last === null ? now() : Math.max(last + HOUR, now()));
  return (
    <section aria-label={t('demand.actualVsForecast')} data-testid="forecast">
      <div className="analysis-tools">
        <label className="pick">
          <span>{t('demand.back')}</span>
          <select
            value={days}
            data-testid="forecast-days"
            onChange={(event) => {
              setInitial('all');
              setDays(Number(event.target.value));
            }}
          >
            {[...BACK]
              .sort((a, b) => a - b)
              .map((count) => (
                <option key={count} value={count}>
                  {t('demand.backDays', { n: count })}
                </option>
              ))}
          </select>
        </label>
        {data && <small className="quiet">{issued(data, zone)}</small>}
      </div>
      {data ? (
        <>
          <Column key={days} zone={zone} presets={FORECAST_RANGES} initial={initial} now={end}>
            <Compared
              name={node.name}
              data={data}
              days={days}
              onMonth={() => {
                setInitial('1m');
                setDays(MONTH_DAYS);
              }}
              problem={problem}
              onRetry={retry}
            />
          </Column>
          <Doubts coverage={data.coverage} flags={data.flags} />
        </>
      ) : (
        <Plot
          title={t('demand.actualVsForecast')}
          subject={node.name}
          figure={null}
          problem={problem}
          onRetry={retry}
          zone={zone}
          height={260}
        />
      )}
    </section>
  );
}

const FORECAST_RANGES: readonly Preset[] = ['1d', '1w', '1m', 'all'];
/** The days to request for the preset of a month. */
const MONTH_DAYS = 30;
const DAY = 24 * HOUR;

interface ComparedProps {
  readonly name: string;
  readonly data: ForecastVsActual;
  /** The requested days before today. */
  readonly days: number;
  /** The user wants to see a month, and fewer days were requested. */
  readonly onMonth: () => void;
  readonly problem: string;
  readonly onRetry: () => void;
}

/** The chart of forecast and demand. Its title has the mean error of the visible span. */
function Compared({ name, data, days, onMonth, problem, onRetry }: ComparedProps) {
  const { range, begins } = useGroup();
  const span = range.to - range.from;
  const isMonth = span >= 28 * DAY && span <= 32 * DAY && days < MONTH_DAYS;
  useEffect(() => {
    if (isMonth) onMonth();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- called once for each change to a month
  }, [isMonth]);
  const first = data.rows[0]?.timeMs;
  useEffect(() => {
    if (first !== undefined) begins(first);
  }, [first, begins]);
  const chart = useMemo(() => forecastChart(data), [data]);
  // The answer covers every span, so zooming sends no request.
  const source = useMemo<Source>(() => ({ key: versionOf(data), load: () => Promise.resolve(chart) }), [data, chart]);
  const seen = precisionIn(data.rows, range);
  return (
    <>
      <Panel
        title={t('demand.actualVsForecastWith', { mape: number(seen.mape, 2) })}
        detail={t('demand.band')}
        subject={name}
        source={source}
        look={FORECAST_LOOK}
        height={260}
        empty={t('charts.noDataFoundToDisplay')}
      />
      {problem && (
        <p className="stale-line" role="alert">
          {t('charts.notUpToDate', { problem })}{' '}
          <button type="button" className="plain" onClick={onRetry}>
            {t('charts.tryAgain')}
          </button>
        </p>
      )}
      <dl className="pairs" data-testid="precision">
        <div>
          <dt>
            <Term name="WAPE" definition={t('demand.wapeMeans')} />
          </dt>
          <dd>
            {number(seen.wape, 2)} <small>%</small>
          </dd>
        </div>
        <div>
          <dt>
            <Term name={t('demand.skill')} definition={t('demand.skillMeans')} />
          </dt>
          <dd>{number(seen.skill, 2)}</dd>
        </div>
        <div>
          <dt>
            <Term name={t('demand.hoursUsed')} definition={t('demand.hoursUsedMeans')} />
          </dt>
          <dd>
            {seen.used} <small>{seen.skipped > 0 ? t('demand.skipped', { n: seen.skipped }) : ''}</small>
          </dd>
        </div>
      </dl>
    </>
  );
}

/** A key that changes with the values: at a new forecast, or when an hour has ended. */
function versionOf({ issuedAt, rows }: ForecastVsActual): string {
  return `${issuedAt} ${rows[0]?.timeMs} ${rows.length} ${rows.filter(({ actual }) => actual !== null).length}`;
}

const METHODS: Readonly<Record<string, string>> = {
  mstl_ets: t('demand.methodMstl'),
  mean_of_4_weeks: t('demand.methodFourWeeks'),
  yesterday: t('demand.methodYesterday'),
};

/** Method and time of the newest forecast as text. */
function issued({ method, issuedAt }: ForecastVsActual, zone: string): string {
  if (!method) return t('demand.noForecast');
  const how = METHODS[method] ?? method;
  return issuedAt ? t('demand.issued', { how, time: fullTime(Date.parse(issuedAt), 60_000, zone) }) : how;
}
