// A column of charts of an asset: one for each measure, with the same time span.
import { useMemo, useSyncExternalStore } from 'react';
import { Column } from '../../charts/Column';
import { Panel } from '../../charts/Panel';
import type { Limit, Look } from '../../charts/model';
import type { Preset } from '../../charts/range';
import { useLive } from '../../live/live';
import type { Measure } from '../../wire/history';
import type { Schemas } from '../../wire/rest';
import { historySource } from '../../charts/history';
import type { ProfileProps } from './source';

/** The name of a chart in the utility's configuration. */
export type ChartName = Schemas['Chart'];

/** One chart of a profile. */
export interface Plan {
  readonly name: ChartName;
  readonly title: string;
  readonly measure: Measure;
  readonly detail?: string;
  readonly look?: Partial<Look>;
  readonly sentence?: string;
  readonly codes?: readonly string[];
}

export interface ChartsProps extends ProfileProps {
  /** Charts that the utility has hidden. */
  readonly hidden?: readonly ChartName[];
  /** Limits of the values by chart. */
  readonly limits?: Partial<Record<ChartName, readonly Limit[]>>;
}

/** Presets of specification 2, section 2.7. */
const PRESETS: readonly Preset[] = ['1d', '1w', '1m', '6m'];

/** The server's time, epoch ms; this computer's time until the server's is known. */
export function useNow(): () => number {
  const { connection } = useLive();
  return useMemo(() => () => connection.clock.now() ?? Date.now(), [connection]);
}

/** Height above and below the charts of a screen, and of each chart's heading, px. */
const AROUND = 264;
const HEAD = 46;
const [LEAST, MOST] = [150, 380];

/** The height of a chart with which all charts are visible at once, within limits, px. */
export function heightFor(charts: number, screen: number): number {
  return Math.round(Math.min(MOST, Math.max(LEAST, (screen - AROUND) / Math.max(charts, 1) - HEAD)));
}

function onResize(tell: () => void): () => void {
  window.addEventListener('resize', tell);
  return () => window.removeEventListener('resize', tell);
}

export function Charts({ plans, hidden = [], limits = {}, ...profile }: ChartsProps & { plans: readonly Plan[] }) {
  const now = useNow();
  const shown = plans.filter(({ name }) => !hidden.includes(name));
  const height = useSyncExternalStore(onResize, () => heightFor(shown.length, window.innerHeight));
  return (
    <Column key={profile.assetId} zone={profile.zone} presets={PRESETS} now={now}>
      {shown.map((plan) => (
        <OfMeasure key={plan.name} plan={plan} limits={limits[plan.name] ?? NO_LIMITS} height={height} {...profile} />
      ))}
    </Column>
  );
}

const NO_LIMITS: readonly Limit[] = [];

function OfMeasure({
  plan,
  limits,
  height,
  token,
  assetId,
  assetName,
}: ProfileProps & { plan: Plan; limits: readonly Limit[]; height: number }) {
  const { title, measure, detail, look, sentence, codes } = plan;
  const source = useMemo(
    () => historySource({ token, assetId }, measure, { codes, kind: look?.kind }),
    [token, assetId, measure, codes, look?.kind],
  );
  const whole = useMemo(() => ({ ...look, limits }), [look, limits]);
  return <Panel title={title} detail={detail} subject={assetName} source={source} look={whole} height={height} sentence={sentence} />;
}
