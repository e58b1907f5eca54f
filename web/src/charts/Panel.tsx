// A chart over time with its title, export and states.
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { qualityWord } from '../live/freshness';
import { keptSinceText } from '../ui/KeptSince';
import { Chart } from './Chart';
import { ChartFrame } from './ChartFrame';
import { spanWords } from './Column';
import { useGroup } from './group';
import { isEmpty, type ChartData, type Look } from './model';
import { tableOf, type Heads } from './table';
import { fullTime } from './ticks';
import { useSeries, type Source } from './useSeries';
import { t } from '../words';

interface Props {
  readonly title: string;
  /** Text between the title and the length of the buckets, such as L-N. */
  readonly detail?: string;
  /** The asset, for the names of files. */
  readonly subject: string;
  readonly source: Source;
  readonly look?: Partial<Look>;
  readonly height?: number;
  /** The message of a failure, shown before its reason. */
  readonly sentence?: string;
  /** The message of an empty chart. */
  readonly empty?: string;
  /** Controls beside the title. */
  readonly tools?: ReactNode;
}

const NO_LOOK: Look = { styles: {}, limits: [], fromZero: false, kind: 'mean' };

export function Panel({ title, detail, subject, source, look, height = 220, sentence, empty, tools }: Props) {
  const { range, zone, isBackground } = useGroup();
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const { data, isLoading, problem, retry } = useSeries(source, range, width, isBackground);
  const whole = useMemo<Look>(() => ({ ...NO_LOOK, ...look }), [look]);
  useEffect(() => {
    const own = frame.current;
    if (!own) return;
    const sized = new ResizeObserver(() => setWidth(own.clientWidth));
    sized.observe(own);
    return () => sized.disconnect();
  }, []);
  const table = useMemo(() => data && tableOf(data, whole, zone, HEADS), [data, whole, zone]);
  const about = [detail, data && unitsOf(data), data && bucketWords(withoutBands(data, whole), whole)].filter(Boolean).join(', ');
  const isNothing = data !== null && isEmpty(data);
  const failure = problem && (sentence ? `${sentence} ${problem}` : problem);
  const keptSince = data?.keptSince ?? null;
  const nothing = keptSince === null ? (empty ?? t('charts.noDataAvailable')) : keptSinceText(keptSince, zone);
  const picture = () =>
    data && {
      title,
      subtitle: `${subject}, ${about}`,
      data,
      look: whole,
      range,
      zone,
      span: spanWords(range, zone),
      foot: t('charts.madeAt', { time: fullTime(Date.now(), 60_000, zone) }),
      empty: nothing,
    };
  return (
    <ChartFrame
      title={title}
      about={about}
      subject={subject}
      zone={zone}
      height={height}
      table={table}
      isEmpty={isNothing}
      isLoading={isLoading}
      failure={failure}
      onRetry={retry}
      empty={nothing}
      keptSince={keptSince}
      picture={picture}
      tools={tools}
      frame={frame}
    >
      {data && <Chart data={data} look={whole} label={t('charts.chartOf', { title, detail: `${subject}, ${about}` })} height={height} />}
    </ChartFrame>
  );
}

const HEADS: Heads = {
  time: (zone) => t('charts.time', { zone }),
  min: (name) => t('charts.minimumOf', { name }),
  max: (name) => t('charts.maximumOf', { name }),
  quality: t('charts.quality'),
  word: qualityWord,
};

/** Leaves out columns whose band is not the range from minimum to maximum. */
function withoutBands({ bucketMs, columns }: ChartData, { styles }: Look): Pick<ChartData, 'bucketMs' | 'columns'> {
  return { bucketMs, columns: columns.filter(({ code }) => !styles[code]?.band) };
}

/** The distinct units of the columns. */
function unitsOf({ columns }: ChartData): string {
  return [...new Set(columns.map(({ unit }) => unit).filter(Boolean))].join(', ');
}

const LENGTHS = [
  [86_400_000, (count: number) => t('charts.bucketDays', { n: count })],
  [3_600_000, (count: number) => t('charts.bucketHours', { n: count })],
  [60_000, (count: number) => t('charts.bucketMinutes', { n: count })],
  [1_000, (count: number) => t('charts.bucketSeconds', { n: count })],
] as const;

/** How a value is computed, such as `10-min mean with min/max`. */
export function bucketWords({ bucketMs, columns }: Pick<ChartData, 'bucketMs' | 'columns'>, { kind }: Pick<Look, 'kind'>): string {
  if (bucketMs <= 0) return t('charts.everyValue');
  const [length, name] =
    LENGTHS.find(([length]) => bucketMs >= length && (bucketMs % length === 0 || bucketMs >= 2 * length)) ?? LENGTHS[3];
  const bucket = name(Number((bucketMs / length).toFixed(1)));
  if (kind === 'sum') return t('charts.sumOf', { bucket });
  if (kind === 'whole') return t('charts.wholeOf', { bucket });
  if (kind === 'last') return t('charts.lastOf', { bucket });
  return columns.some(({ min, max }) => min.length > 0 && max.length > 0)
    ? t('charts.meanOfWithEnvelope', { bucket })
    : t('charts.meanOf', { bucket });
}
