// What feeds the selected device and what it feeds, by the positions at the moment, with buttons that highlight both on diagram and map.
import { customersText, transformersText } from '../../ui/counts';
import { number } from '../../ui/format';
import type { components } from '../../wire/schema';
import { t } from '../../words';

export type Trace = components['schemas']['NetworkTrace'];
type Side = components['schemas']['NetworkSide'];
type Equipment = components['schemas']['NetworkEquipment'];
type Load = components['schemas']['NetworkLoad'];

interface Props {
  /** Null if the device is not in the network, and before the first answer. */
  readonly trace: Trace | null;
  readonly problem: string;
  /** What is highlighted. */
  readonly shown: 'path' | 'feeds' | null;
  /** Why a highlight was removed. */
  readonly note: string;
  /** Highlights a part, or none. */
  readonly onShow: (kind: 'path' | 'feeds' | null) => void;
}

export function FedFrom({ trace, problem, shown, note, onShow }: Props) {
  if (problem) return <p data-testid="trace-problem">{t('station.traceProblem')}</p>;
  // Without a network there is nothing to say.
  if (!trace) return null;
  const { extent, transformers, load } = trace.feeds;
  const button = (kind: 'path' | 'feeds', text: string) => (
    <button type="button" className="trace-button" aria-pressed={shown === kind} data-testid={`trace-${kind}`} onClick={() => onShow(shown === kind ? null : kind)}>
      {shown === kind ? t('station.hideTrace') : text}
    </button>
  );
  return (
    <div data-testid="trace">
      <h3>{t('station.fedFrom')}</h3>
      {trace.sides.map((side, index) => (
        <p key={index}>{[sideText(side), byText(side)].filter(Boolean).join('; ')}</p>
      ))}
      {trace.sides.some(({ isFed }) => isFed) && button('path', t('station.showPath'))}
      <h3>{t('station.feeds')}</h3>
      {extent.nodes === 0 ? (
        <p>{t('station.feedsNothing')}</p>
      ) : (
        <>
          <p>{t('station.feedsExtent', { transformers: transformersText(transformers), customers: customersText(extent.customers) })}</p>
          <p data-testid="trace-load">{loadText(load)}</p>
          {button('feeds', t('station.showFeeds'))}
        </>
      )}
      {note && (
        <p role="status" data-testid="trace-note">
          {note}
        </p>
      )}
    </div>
  );
}

const megawatts = (kw: number) => number(kw / 1_000, kw < 1_000 ? 3 : 1);

/** The present load, and whether it is measured. */
export function loadText({ measuredKw, measurements, unmeasuredKw }: Load): string {
  if (measurements === 0) return t('station.loadConnected', { load: megawatts(unmeasuredKw) });
  if (unmeasuredKw === 0) return t('station.loadMeasured', { load: megawatts(measuredKw) });
  return t('station.loadPartly', { measured: megawatts(measuredKw), connected: megawatts(unmeasuredKw) });
}

/** The source and the feeder of a side, as text. */
export function sideText(side: Side): string {
  const contradiction = side.contradiction === 'measuredDead' ? t('station.measuredDead') : side.contradiction === 'measuredLive' ? t('station.measuredLive') : '';
  return [supplyText(side), contradiction].filter(Boolean).join('. ');
}

/** On how many positions of its path the supply depends that nothing reports. */
export function byText({ assumed = 0, entered = 0 }: Pick<Side, 'assumed' | 'entered'>): string {
  const parts = [assumed > 0 && t('station.byAssumed', { n: number(assumed, 0) }), entered > 0 && t('station.byEntered', { n: number(entered, 0) })];
  return parts.filter(Boolean).join(', ');
}

function supplyText({ isFed, isLiveByMeasurement, state, source, feeder }: Side): string {
  if (!isFed) return t('station.notFed', { state });
  if (isLiveByMeasurement && !source) return t('station.liveByMeasurement');
  const name = (equipment: Equipment | null | undefined) =>
    equipment ? [equipment.name, equipment.station].filter(Boolean).join(', ') : t('station.outsideOfYourArea');
  return feeder ? t('station.fedOver', { source: name(source), feeder: name(feeder) }) : name(source);
}
