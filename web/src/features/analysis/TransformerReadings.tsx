// Live readings of a transformer: temperatures, oil level, tap position and voltages, with age and quality (specification 3, section 2.1).
import { useMemo } from 'react';
import { gaugeHeight, gauges } from '../../charts/gauge';
import { Plot } from '../../charts/Plot';
import { useLink, useServerSecond } from '../../live/live';
import { eventTime, number } from '../../ui/format';
import { getTransformer } from '../../wire/analysis-energy';
import { Waiting } from './Facts';
import { oilLook, READINGS, standingsOf, temperatures, type ReadingName } from './transformer';
import { useRepeated } from './useRepeated';
import type { ViewProps } from './view';
import { t } from '../../words';
import '../../ui/analysis.css';

/** Interval of updates, ms: the same as for diagram values without a socket (specification 2, section 9). */
const EVERY_MS = 10_000;

export function TransformerReadings({ token, node, zone, now }: ViewProps) {
  const { data, problem, retry } = useRepeated(`${node.id} transformer`, (asking) => getTransformer(token, node.id, asking), EVERY_MS);
  const link = useLink();
  const second = useServerSecond() ?? now();
  const reading = data?.dataStream[0] ?? null;
  const standings = standingsOf(reading, second, link.up);
  // The ages change every second, but the figure is rebuilt only when a text changes.
  const { WTI, OTI, AmbientTemp } = standings;
  const figure = useMemo(
    () =>
      data &&
      gauges(temperatures(reading, { WTI: WTI.doubt, OTI: OTI.doubt, AmbientTemp: AmbientTemp.doubt }), {
        nothing: t('analytics.gaugeNoData'),
        warn: t('administration.high'),
        alarm: t('administration.highHigh'),
        name: t('analytics.quantity'),
        value: t('analytics.value'),
      }),
    [data, reading, WTI.doubt, OTI.doubt, AmbientTemp.doubt],
  );
  if (!data && !problem) return <Waiting />;
  const oil = oilLook(reading?.OilLevel ?? null, reading?.oilLevelPercent ?? null);
  const at = reading?.ReportedDateTime ? Date.parse(reading.ReportedDateTime) : null;
  // A reading without a value has its own text, so only readings with a value get a note.
  const box = (name: ReadingName) => ({ 'data-dim': reading?.[name] != null && !standings[name].isLive });
  const why = (name: ReadingName) => reading?.[name] != null && standings[name].doubt !== null && <small>{standings[name].doubt}</small>;
  const known = READINGS.filter((name) => reading?.[name] != null);
  return (
    <section
      className="transformer"
      aria-label={t('analytics.liveReadings')}
      data-testid="transformer"
      data-live={known.length > 0 && known.every((name) => standings[name].isLive)}
    >
      <Plot
        title={t('analytics.temperatures')}
        subject={node.name}
        figure={figure}
        problem={problem}
        onRetry={retry}
        zone={zone}
        height={gaugeHeight(3)}
      />
      <dl className="boxes">
        <div {...box('OilLevel')}>
          <dt>{t('analytics.oilLevel')}</dt>
          <dd>
            <span className="oil" data-testid="oil-level" style={{ background: oil.ground, color: oil.letters }}>
              {oil.words}
            </span>
            {why('OilLevel')}
          </dd>
        </div>
        <div {...box('TapPosition')}>
          <dt>{t('analytics.tapPosition')}</dt>
          <dd data-testid="tap-position">
            {reading?.TapPosition == null ? t('analytics.na') : number(reading.TapPosition, 0)}
            {why('TapPosition')}
          </dd>
        </div>
        <div>
          <dt>{t('analytics.expectedVoltage')}</dt>
          <dd>{reading?.ExpectedVoltage ?? t('analytics.na')}</dd>
        </div>
        <div {...box('ActualVoltage')}>
          <dt>{t('analytics.actualVoltage')}</dt>
          <dd>
            {reading?.ActualVoltage == null ? t('analytics.na') : number(reading.ActualVoltage, 0)}
            {why('ActualVoltage')}
          </dd>
        </div>
        <div>
          <dt>{t('analytics.reported')}</dt>
          <dd data-testid="reported">
            {at === null ? '-' : eventTime(at, second, zone)}
            {at !== null && <small>{t('analytics.oldestOfThem')}</small>}
          </dd>
        </div>
      </dl>
    </section>
  );
}
