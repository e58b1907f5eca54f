// A picture of values that are not over a span of time, such as columns by category, curves and gauges, with title, files and states.
import { ChartFrame } from './ChartFrame';
import { Drawn } from './Drawn';
import type { Figure, Key } from './ink';
import { usePalette } from './palette';
import { fullTime } from './ticks';
import { t } from '../words';

interface Props {
  readonly title: string;
  readonly detail?: string | undefined;
  /** What it is of, for files: the asset. */
  readonly subject: string;
  /** None until the first answer: keep the object while nothing about it changes. */
  readonly figure: Figure | null;
  /** Why it is not up to date, or not there. */
  readonly problem?: string;
  readonly onRetry?: () => void;
  readonly isLoading?: boolean;
  readonly zone: string;
  /** The span in words, for files. */
  readonly span?: string;
  readonly height?: number;
  readonly empty?: string;
  /** A stop was chosen, to see what it is made of. */
  readonly onPick?: (stop: number) => void;
}

export function Plot({
  title,
  detail = '',
  subject,
  figure,
  problem = '',
  onRetry = () => undefined,
  isLoading = false,
  zone,
  span = '',
  height = 260,
  empty,
  onPick,
}: Props) {
  const nothing = empty ?? t('charts.noDataFoundToDisplay');
  return (
    <ChartFrame
      title={title}
      about={detail}
      subject={subject}
      zone={zone}
      height={height}
      table={figure?.table ?? null}
      isEmpty={figure?.isEmpty ?? false}
      isLoading={isLoading || (figure === null && !problem)}
      failure={problem}
      onRetry={onRetry}
      empty={nothing}
      picture={() =>
        figure && {
          title,
          subtitle: [subject, detail].filter(Boolean).join(', '),
          figure,
          zone,
          span,
          foot: t('charts.madeAt', { time: fullTime(Date.now(), 60_000, zone) }),
          empty: nothing,
        }
      }
      foot={figure && <Legend keys={figure.keys} />}
    >
      {figure && (
        <Drawn
          figure={figure}
          label={t('charts.chartOf', { title, detail: [subject, detail].filter(Boolean).join(', ') })}
          height={height}
          onPick={onPick}
        />
      )}
    </ChartFrame>
  );
}

function Legend({ keys }: { keys: Figure['keys'] }) {
  const palette = usePalette();
  const lines: readonly Key[] = keys(palette);
  if (lines.length < 2) return null;
  return (
    <ul className="chart-legend">
      {lines.map(({ label, colour, mark }, index) => (
        <li key={`${index} ${label}`}>
          <i data-mark={mark} style={{ color: colour }} />
          {label}
        </li>
      ))}
    </ul>
  );
}
