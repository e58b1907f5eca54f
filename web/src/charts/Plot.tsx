// A figure whose values are not over time, such as columns by category, curves and gauges, with title, export and states.
import { keptSinceText } from '../ui/KeptSince';
import { ChartFrame } from './ChartFrame';
import { Drawn } from './Drawn';
import type { Figure, Key } from './ink';
import { usePalette } from './palette';
import { fullTime } from './ticks';
import { t } from '../words';

interface Props {
  readonly title: string;
  readonly detail?: string | undefined;
  /** The asset, for the names of files. */
  readonly subject: string;
  /** Null until the first answer. Pass the same object while it does not change, because a new object is drawn again. */
  readonly figure: Figure | null;
  /** Why the data are missing or out of date. */
  readonly problem?: string;
  readonly onRetry?: () => void;
  readonly isLoading?: boolean;
  readonly zone: string;
  /** The time span as text, for files. */
  readonly span?: string;
  readonly height?: number;
  readonly empty?: string;
  /** The time from which the data are kept, epoch ms; only if the span begins before this time. */
  readonly keptSince?: number | null | undefined;
  /** Called when the user chooses a stop to see its details. */
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
  keptSince = null,
  onPick,
}: Props) {
  const nothing = keptSince === null ? (empty ?? t('charts.noDataFoundToDisplay')) : keptSinceText(keptSince, zone);
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
      keptSince={keptSince}
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
