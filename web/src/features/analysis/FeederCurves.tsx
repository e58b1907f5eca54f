// Feeder curves: load, load duration, voltages, daily profile, protection curves and faults (specification 3, section 2.1; the definitions
// are ours, docs/reference/history.md).
import { useMemo } from 'react';
import { Column, spanWords } from '../../charts/Column';
import { useGroup } from '../../charts/group';
import { Panel } from '../../charts/Panel';
import { Plot } from '../../charts/Plot';
import type { Preset } from '../../charts/range';
import type { Source } from '../../charts/useSeries';
import type { TableColumn } from '../../table/columns';
import { eventTime, number } from '../../ui/format';
import { getFeederCurves, type FaultPoint, type FeederCurves as Curves, type RelaySetting } from '../../wire/analysis-check';
import type { OfPeriod } from '../../wire/history';
import { curveWords, dayCurve, durationCurve, loadChart, protectionCurves, voltageCurve } from './curves';
import { Doubts, Term } from './Doubts';
import { Facts } from './Facts';
import { shared, useSpanned } from './useSpanned';
import type { ViewProps } from './view';
import { t } from '../../words';
import '../../ui/analysis.css';

/** Time spans of specification 3, section 9, and two longer ones. */
const RANGES: readonly Preset[] = ['1d', '1w', '1m', '6m', '1y', 'all'];
/** A span longer than this, ms, results only from the preset for all data. */
const EVERYTHING_MS = 4 * 366 * 86_400_000;
const HEIGHT = 260;

export function FeederCurves(props: ViewProps) {
  if (props.node.level !== 'asset') {
    return (
      <div className="notice" data-testid="choose-asset">
        <span>{t('app.pleaseSelectAppropriateOptionTo')}</span>
        <span>{t('analytics.curvesOfFeeder')}</span>
      </div>
    );
  }
  return (
    <div className="analysis">
      <Column zone={props.zone} presets={RANGES} initial="1w" now={props.now}>
        <OfFeeder {...props} />
      </Column>
    </div>
  );
}

const SETTINGS: readonly TableColumn<RelaySetting>[] = [
  { key: 'element', name: t('analytics.element'), text: ({ element }) => element },
  {
    key: 'pickup',
    name: t('analytics.pickup'),
    isNumber: true,
    text: ({ pickupA }) => number(pickupA, 0),
    value: ({ pickupA }) => pickupA,
  },
  { key: 'curve', name: t('analytics.curve'), text: ({ curve }) => curveWords(curve) },
  { key: 'tms', name: t('analytics.tms'), isNumber: true, text: ({ tms }) => number(tms, 3), value: ({ tms }) => tms },
  { key: 'time', name: t('analytics.definiteTime'), isNumber: true, text: ({ timeS }) => number(timeS, 3), value: ({ timeS }) => timeS },
];

const FAULTS: readonly TableColumn<FaultPoint>[] = [
  {
    key: 'time',
    name: t('analytics.time'),
    text: ({ time }, { now, zone }) => eventTime(Date.parse(time), now, zone),
    value: ({ time }) => time,
  },
  { key: 'type', name: t('analytics.faultType'), text: ({ type }) => type },
  { key: 'amps', name: t('analytics.faultAmps'), isNumber: true, text: ({ amps }) => number(amps, 0), value: ({ amps }) => amps },
  {
    key: 'opening',
    name: t('analytics.breakerOpeningIn'),
    isNumber: true,
    text: ({ breakerOpeningS }) => number(breakerOpeningS, 3),
    value: ({ breakerOpeningS }) => breakerOpeningS,
  },
  {
    key: 'expected',
    name: t('analytics.expectedIn'),
    isNumber: true,
    text: ({ expectedS }) => number(expectedS, 3),
    value: ({ expectedS }) => expectedS,
  },
  { key: 'element', name: t('analytics.element'), text: ({ element }) => element ?? '–' },
];

/** Why the daily profile is missing. The case without any data has a message elsewhere. */
const HOURS_MISSING: Readonly<Record<string, string>> = { not_kept: t('analytics.hoursNotKept'), too_long: t('analytics.hoursTooLong') };

function OfFeeder({ token, node, zone, now }: ViewProps) {
  const { range, isBackground, begins } = useGroup();
  // One answer contains the load and all curves.
  const ask = useMemo(() => shared<OfPeriod<Curves>>((span, asking) => getFeederCurves(token, node.id, span, asking)), [token, node.id]);
  const asked = useSpanned<OfPeriod<Curves>>(`${node.id} curves`, range, isBackground, ask);
  const source = useMemo<Source>(
    () => ({
      key: `${node.id} load`,
      load: async (span, _, __, isBackground) => {
        const answer = await ask(span, { isBackground });
        const chart = { ...loadChart(answer), keptSince: answer.keptSince };
        const first = chart.times[0];
        // Only an answer for all data shows when the data start.
        if (span.to - span.from > EVERYTHING_MS && first !== undefined) begins(first);
        return chart;
      },
    }),
    [node.id, ask, begins],
  );
  const { data, problem, retry, isLoading } = asked;
  const figures = useMemo(
    () =>
      data && {
        duration: durationCurve(data),
        voltage: voltageCurve(data),
        day: dayCurve(data),
        protection: protectionCurves(data, now(), zone),
      },
    [data, now, zone],
  );
  const plot = { subject: node.name, zone, problem, onRetry: retry, isLoading, span: spanWords(range, zone), height: HEIGHT, keptSince: data?.keptSince };
  return (
    <>
      <Panel
        title={t('analytics.loadCurve')}
        subject={node.name}
        source={source}
        height={HEIGHT}
        empty={t('charts.noDataFoundToDisplay')}
      />
      {data && <Doubts {...data} flags={data.flags.filter((flag) => flag !== 'partial' || (data.coverage ?? 0) < 100)} />}
      {data?.byHourMissing && HOURS_MISSING[data.byHourMissing] && <p className="quiet">{HOURS_MISSING[data.byHourMissing]}</p>}
      {data?.cut && <p className="quiet">{t('analytics.faultsCut', { most: data.faults.length })}</p>}
      <div className="analysis-halves">
        <Plot title={t('analytics.durationCurve')} detail={t('analytics.durationMeans')} figure={figures?.duration ?? null} {...plot} />
        <Plot title={t('analytics.dayShape')} detail={t('analytics.dayShapeMeans')} figure={figures?.day ?? null} {...plot} />
        <Plot title={t('analytics.voltageCurve')} detail={t('analytics.voltageMeans')} figure={figures?.voltage ?? null} {...plot} />
        <Plot
          title={t('analytics.protectionCurves')}
          detail={t('analytics.protectionMeans')}
          figure={figures?.protection ?? null}
          {...plot}
        />
        <Facts
          title={<Term name={t('analytics.relaySettings')} definition={t('analytics.relaySettingsMeans')} />}
          name={`${node.name}-${t('analytics.relaySettings')}`}
          asked={asked}
          rows={data?.protection.settings ?? null}
          columns={SETTINGS}
          keyOf={({ element }) => element}
          zone={zone}
          now={now}
          testId="relay-settings"
          empty={t('analytics.noRelaySettings')}
        />
        <Facts
          title={t('analytics.faults')}
          name={`${node.name}-${t('analytics.faults')}`}
          asked={asked}
          rows={data?.faults ?? null}
          columns={FAULTS}
          keyOf={({ id }) => id}
          zone={zone}
          now={now}
          testId="fault-points"
          keptSince={data?.keptSince}
          empty={t('analytics.noFaults')}
        />
      </div>
    </>
  );
}
