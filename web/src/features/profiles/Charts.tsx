// A column of an asset's charts: one chart for each measure, over the same span.
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

/** Charts as a utility's configuration names them. */
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
  /** Charts that the utility does not show. */
  readonly hidden?: readonly ChartName[];
  /** Lines that values should stay under or over. */
  readonly limits?: Partial<Record<ChartName, readonly Limit[]>>;
}

/** Specification 2, section 2.7. */
const PRESETS: readonly Preset[] = ['1d', '1w', '1m', '6m'];

/** The present by the server's clock, and by this machine's before it is known. */
export function useNow(): () => number {
  const { connection } = useLive();
  return useMemo(() => () => connection.clock.now() ?? Date.now(), [connection]);
}

/** What stands above and below the charts of a screen, and above each of them, px. */
const AROUND = 264;
const HEAD = 46;
const [LEAST, MOST] = [150, 380];

/** How high charts may be for all of them to be seen at once, within reason. */
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
