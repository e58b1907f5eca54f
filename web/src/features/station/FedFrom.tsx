// What feeds the selected switch and what it feeds, by the positions at the moment.
import { number } from '../../ui/format';
import { useAskRepeated } from '../../ui/useAsk';
import { get } from '../../wire/rest';
import type { components } from '../../wire/schema';
import { t } from '../../words';

type Trace = components['schemas']['NetworkTrace'];
type Side = components['schemas']['NetworkSide'];
type Equipment = components['schemas']['NetworkEquipment'];

/** How often a trace is read again, ms. */
const AGAIN_MS = 10_000;

interface Props {
  readonly token: string;
  /** The position point of the switch. */
  readonly point: number;
}

export function FedFrom({ token, point }: Props) {
  const { data, problem } = useAskRepeated(`trace/${point}`, (asking) => get<Trace | null>(token, `network/trace?point=${point}`, asking), AGAIN_MS);
  if (problem) return <p data-testid="trace-problem">{t('station.traceProblem')}</p>;
  // Without a network there is nothing to say.
  if (!data) return null;
  const { extent, transformers } = data.feeds;
  return (
    <div data-testid="trace">
      <h3>{t('station.fedFrom')}</h3>
      {data.sides.map((side, index) => (
        <p key={index}>{sideText(side)}</p>
      ))}
      <h3>{t('station.feeds')}</h3>
      <p>
        {extent.nodes === 0
          ? t('station.feedsNothing')
          : t('station.feedsExtent', { transformers: number(transformers, 0), customers: number(extent.customers, 0), load: number(extent.loadKw / 1_000, 1) })}
      </p>
    </div>
  );
}

/** The source and the feeder of a side, as text. */
export function sideText(side: Side): string {
  const contradiction = side.contradiction === 'measuredDead' ? t('station.measuredDead') : side.contradiction === 'measuredLive' ? t('station.measuredLive') : '';
  return [supplyText(side), contradiction].filter(Boolean).join('. ');
}

function supplyText({ isFed, isLiveByMeasurement, state, source, feeder }: Side): string {
  if (!isFed) return t('station.notFed', { state });
  if (isLiveByMeasurement && !source) return t('station.liveByMeasurement');
  const name = (equipment: Equipment | null | undefined) =>
    equipment ? [equipment.name, equipment.station].filter(Boolean).join(', ') : t('station.outsideOfYourArea');
  return feeder ? t('station.fedOver', { source: name(source), feeder: name(feeder) }) : name(source);
}
