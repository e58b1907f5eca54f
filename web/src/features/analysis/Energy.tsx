// Energy: efficiency and losses over time, the last quarter of an hour, losses since several starts, and changes of the efficiency
// (specification 3, section 2.1).
import { useMemo, useState } from 'react';
import { Column } from '../../charts/Column';
import { gaugeHeight, gauges } from '../../charts/gauge';
import { useGroup } from '../../charts/group';
import { Panel } from '../../charts/Panel';
import { Plot } from '../../charts/Plot';
import type { Preset } from '../../charts/range';
import type { Source } from '../../charts/useSeries';
import type { TableColumn } from '../../table/columns';
import { eventTime, number } from '../../ui/format';
import {
  getChanges,
  getEfficiencyNow,
  getEnergyOverTime,
  getLosses,
  type ChangeRow,
  type EfficiencyNow,
  type LossRow,
} from '../../wire/analysis-energy';
import { Doubts, Term } from './Doubts';
import { doubtLine, type Doubtful } from './doubts';
import { bucketsFor, efficiencyScale, ENERGY_LOOK, energyChart } from './energy';
import { Facts } from './Facts';
import { RegisterSteps } from './RegisterSteps';
import { useRepeated } from './useRepeated';
import { scopeOf, type ViewProps } from './view';
import { t } from '../../words';
import '../../ui/analysis.css';

/** Time spans of specification 3, section 9. */
const RANGES: readonly Preset[] = ['1d', '1w', '1m', 'all'];

export function Energy(props: ViewProps) {
  const { token, node, zone, login, now } = props;
  // A confirmed step changes all figures, so they are requested again.
  const [version, setVersion] = useState(0);
  return (
    <div className="analysis">
      <Column zone={props.zone} presets={RANGES} initial="1w" now={props.now}>
        <OverTime key={version} {...props} />
      </Column>
      <RegisterSteps token={token} scope={scopeOf(node)} zone={zone} canConfirm={login.canOperate} now={now} onChanged={() => setVersion((before) => before + 1)} />
      <div className="analysis-thirds" key={`figures ${version}`}>
        <Now {...props} />
        <LossTable {...props} />
        <ChangeTable {...props} />
      </div>
    </div>
  );
}

/** A span longer than this, ms, results only from the preset for all data. */
const EVERYTHING_MS = 4 * 366 * 86_400_000;

const NOTHING: Doubtful = { coverage: null, flags: [] };

function OverTime({ token, node }: ViewProps) {
  const { begins } = useGroup();
  const [doubt, setDoubt] = useState<Doubtful>(NOTHING);
  const source = useMemo<Source>(
    () => ({
      key: `${scopeOf(node)} energy`,
      load: async (range, width, signal, isBackground) => {
        const answer = await getEnergyOverTime(token, scopeOf(node), range, bucketsFor(range, width), { signal, isBackground, isHeavy: true });
        setDoubt(answer);
        // Only an answer for all data shows when the data start.
        const first = answer.rows.find(({ energyIn_KWh, energyOut_KWh }) => energyIn_KWh !== null || energyOut_KWh !== null);
        if (first && range.to - range.from > EVERYTHING_MS) begins(first.timeMs);
        return { ...energyChart(answer), keptSince: answer.keptSince };
      },
    }),
    [token, node, begins],
  );
  return (
    <>
      <Panel
        title={t('analytics.efficiencyOverTime')}
        subject={node.name}
        source={source}
        look={ENERGY_LOOK}
        height={280}
        empty={t('charts.noDataFoundToDisplay')}
      />
      <Doubts {...doubt} />
    </>
  );
}

/** A span as local times, with the date of a time that is not today. */
function spanOf({ from, to }: Pick<LossRow, 'from' | 'to'>, now: number, zone: string): string {
  if (!from || !to) return '';
  const [first, last] = [from, to].map((text) => eventTime(Date.parse(text), now, zone).replace(/:\d\d$/, ''));
  return t('charts.to', { from: first ?? '', to: last ?? '' });
}

function Now({ token, node, zone, now }: ViewProps) {
  const scope = scopeOf(node);
  const { data, problem, retry } = useRepeated(`${scope} efficiency`, (asking) => getEfficiencyNow(token, scope, asking));
  const figure = useMemo(
    () =>
      data &&
      gauges([rowOf(data)], {
        nothing: t('analytics.gaugeNoData'),
        warn: '',
        alarm: '',
        name: t('analytics.quantity'),
        value: t('analytics.value'),
      }),
    [data],
  );
  return (
    <section className="facts" data-testid="efficiency-now" aria-label={t('analytics.realTimeEfficiency')}>
      <Plot
        title={t('analytics.realTimeEfficiency')}
        detail={data ? spanOf(data, now(), zone) : ''}
        subject={node.name}
        figure={figure}
        problem={problem}
        onRetry={retry}
        zone={zone}
        height={gaugeHeight(1)}
      />
      {data && (
        <>
          <dl className="pairs">
            <Pair
              name={t('analytics.energyIn')}
              value={data.energyIn_KWh}
              unit="kWh"
              decimals={1}
              definition={t('analytics.energyInMeans')}
            />
            <Pair
              name={t('analytics.energyOut')}
              value={data.energyOut_KWh}
              unit="kWh"
              decimals={1}
              definition={t('analytics.energyOutMeans')}
            />
            <Pair name={t('analytics.loss')} value={data.loss} unit="kWh" decimals={1} definition={t('analytics.lossMeans')} />
            <Pair name={t('analytics.coverage')} value={data.coverage} unit="%" decimals={1} definition={t('analytics.coverageMeans')} />
          </dl>
          <Doubts {...data} />
        </>
      )}
    </section>
  );
}

/** The row of the gauge. It is dimmed if it is not current; other doubts are listed below it. */
function rowOf(data: EfficiencyNow) {
  return {
    name: t('analytics.efficiency'),
    value: data.efficiency,
    unit: '%',
    decimals: 2,
    ...efficiencyScale(data.efficiency),
    doubt: data.flags.includes('late') ? doubtLine({ coverage: null, flags: ['late'] }) : null,
  };
}

function Pair({
  name,
  value,
  unit,
  decimals,
  definition,
}: {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
  readonly decimals: number;
  readonly definition: string;
}) {
  return (
    <div>
      <dt>
        <Term name={name} definition={definition} />
      </dt>
      <dd>
        {number(value, decimals)} <small>{unit}</small>
      </dd>
    </div>
  );
}

function LossTable({ token, node, zone, now }: ViewProps) {
  const scope = scopeOf(node);
  const asked = useRepeated(`${scope} losses`, (asking) => getLosses(token, scope, asking));
  const columns = useMemo<readonly TableColumn<LossRow>[]>(
    () => [
      {
        key: 'timescale',
        name: t('analytics.timescale'),
        text: ({ interval }) => interval,
        title: (row, moment) => spanOf(row, moment.now, moment.zone),
      },
      {
        key: 'losses',
        name: t('analytics.lossesKwh'),
        isNumber: true,
        text: ({ accumulatedLosses_KWh }) => number(accumulatedLosses_KWh, 2),
        value: ({ accumulatedLosses_KWh }) => accumulatedLosses_KWh,
      },
    ],
    [],
  );
  return (
    <Facts
      title={<Term name={t('analytics.accumulatedLosses')} definition={t('analytics.lossMeans')} />}
      name={t('analytics.accumulatedLosses')}
      asked={asked}
      rows={asked.data?.rows ?? null}
      keptSince={asked.data?.keptSince}
      columns={columns}
      keyOf={({ interval }) => interval}
      doubt={doubtLine}
      zone={zone}
      now={now}
      testId="losses"
    />
  );
}

function ChangeTable({ token, node, zone, now }: ViewProps) {
  const scope = scopeOf(node);
  const asked = useRepeated(`${scope} changes`, (asking) => getChanges(token, scope, asking));
  const rows = asked.data?.rows ?? null;
  const columns = useMemo<readonly TableColumn<ChangeRow>[]>(
    () => [
      {
        key: 'time',
        name: t('analytics.timeOfReading'),
        text: ({ interval }) => t('analytics.ago', { interval }),
        title: (row, moment) => spanOf(row, moment.now, moment.zone),
      },
      {
        key: 'efficiency',
        name: t('analytics.efficiencyPercent'),
        isNumber: true,
        text: ({ efficiency }) => number(efficiency, 2),
        value: ({ efficiency }) => efficiency,
      },
      {
        key: 'change',
        name: t('analytics.changePercent'),
        isNumber: true,
        text: ({ changePercent }) => signed(changePercent),
        value: ({ changePercent }) => changePercent,
      },
    ],
    [],
  );
  return (
    <div>
      <Facts
        title={<Term name={t('analytics.efficiencyChange')} definition={t('analytics.efficiencyChangeMeans')} />}
        name={t('analytics.efficiencyChange')}
        asked={asked}
        rows={rows}
        columns={columns}
        keyOf={({ interval }) => interval}
        doubt={rowDoubt}
        doubtInFile={doubtLine}
        zone={zone}
        now={now}
        testId="changes"
      />
      {rows?.some(({ flags }) => flags.includes(COARSE)) && <Doubts coverage={null} flags={[COARSE]} />}
    </div>
  );
}

/** The flag of a figure of an hour in place of a quarter. Most rows can have it, so it is said once below the table. */
const COARSE = 'coarse';

function rowDoubt(row: ChangeRow): string {
  return doubtLine({ ...row, flags: row.flags.filter((flag) => flag !== COARSE) });
}

/** A change with its sign. */
const signed = (value: number | null) => (value !== null && value > 0 ? `+${number(value, 2)}` : number(value, 2));
