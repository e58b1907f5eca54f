// A chart with its title, its files and its states: loading, nothing there, failed with the last picture kept.
import { useEffect, useMemo, useRef, useState } from 'react';
import { qualityWord } from '../live/freshness';
import { Menu } from '../ui/Menu';
import { run, useExports } from '../ui/exports';
import { notice } from '../ui/notice';
import { problemOf } from '../wire/rest';
import { Chart } from './Chart';
import { spanWords } from './Column';
import { DataTable } from './DataTable';
import { useGroup } from './group';
import { isEmpty, type ChartData, type Look } from './model';
import { tableOf, type Heads } from './table';
import { fullTime } from './ticks';
import { useSeries, type Source } from './useSeries';
import { t } from '../words';

interface Props {
  readonly title: string;
  /** What stands beside the title before the length of the buckets, such as L-N. */
  readonly detail?: string;
  /** What it is of, for files: the asset. */
  readonly subject: string;
  readonly source: Source;
  readonly look?: Partial<Look>;
  readonly height?: number;
  /** What is said when it failed, before the reason. */
  readonly sentence?: string;
}

const NO_LOOK: Look = { styles: {}, limits: [], fromZero: false, kind: 'mean' };
const FORMATS = [
  ['png', 'PNG'],
  ['jpg', 'JPEG'],
  ['pdf', 'PDF'],
  ['svg', 'SVG'],
  ['csv', 'CSV'],
  ['xlsx', 'XLS(X)'],
] as const;

export function Panel({ title, detail, subject, source, look, height = 220, sentence }: Props) {
  const { range, zone, isBackground } = useGroup();
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [isTable, setTable] = useState(false);
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
  const about = [detail, data && unitsOf(data), data && bucketWords(data, whole)].filter(Boolean).join(', ');
  const isNothing = data !== null && isEmpty(data);
  const failure = problem && (sentence ? `${sentence} ${problem}` : problem);
  const make = async (format: (typeof FORMATS)[number][0]) => {
    if (!data || !table || isNothing) return null;
    const { files } = await import('./export/files');
    const foot = t('charts.madeAt', { time: fullTime(Date.now(), 60_000, zone) });
    return files[format](
      {
        title,
        subtitle: `${subject}, ${about}`,
        data,
        look: whole,
        range,
        zone,
        span: spanWords(range, zone),
        foot,
        empty: t('charts.noDataAvailable'),
      },
      table,
    );
  };
  const file = `${subject}-${title}`;
  useExports([{ name: t('charts.asCsv', { title }), file, extension: 'csv', make: () => make('csv') }]);
  const save = (format: (typeof FORMATS)[number][0]) => {
    run({ name: title, file, extension: format, make: () => make(format) }, zone).catch((error: unknown) => notice(problemOf(error)));
  };
  const menu = [
    ...FORMATS.map(([key, name]) => ({ name, testId: `save-${key}`, onChoose: () => save(key) })),
    { name: isTable ? t('charts.viewChart') : t('charts.viewData'), testId: 'view-data', onChoose: () => setTable(!isTable) },
  ];
  return (
    <article className="chart-panel" aria-busy={isLoading}>
      <header>
        <h3>{title}</h3>
        <small>{about}</small>
        {isLoading && data && <small className="chart-late">{t('charts.loading')}</small>}
        <Menu label={t('charts.exportAs', { title })} testId="chart-export" items={menu}>
          {t('charts.export')} ▾
        </Menu>
      </header>
      {failure && data && (
        <p className="stale" role="alert">
          {t('charts.notUpToDate', { problem: failure })}
          <button type="button" onClick={retry}>
            {t('charts.tryAgain')}
          </button>
        </p>
      )}
      <div ref={frame} className="chart-frame" style={{ minHeight: height }} data-stale={Boolean(failure)}>
        {data &&
          !isNothing &&
          (isTable && table ? (
            <DataTable table={table} label={t('charts.data', { title })} height={height} />
          ) : (
            <Chart data={data} look={whole} label={t('charts.chartOf', { title, detail: `${subject}, ${about}` })} height={height} />
          ))}
        {isNothing && <p className="chart-said">{t('charts.noDataAvailable')}</p>}
        {!data && !failure && (
          <div className="chart-waiting" role="status">
            <span className="visually-hidden">{t('charts.loading')}</span>
          </div>
        )}
        {!data && failure && (
          <div className="chart-said" role="alert">
            <p>{failure}</p>
            <button type="button" onClick={retry}>
              {t('charts.tryAgain')}
            </button>
          </div>
        )}
      </div>
    </article>
  );
}

const HEADS: Heads = {
  time: (zone) => t('charts.time', { zone }),
  min: (name) => t('charts.minimumOf', { name }),
  max: (name) => t('charts.maximumOf', { name }),
  quality: t('charts.quality'),
  word: qualityWord,
};

/** The units of the columns, each once. */
function unitsOf({ columns }: ChartData): string {
  return [...new Set(columns.map(({ unit }) => unit).filter(Boolean))].join(', ');
}

const LENGTHS = [
  [86_400_000, (count: number) => t('charts.bucketDays', { count })],
  [3_600_000, (count: number) => t('charts.bucketHours', { count })],
  [60_000, (count: number) => t('charts.bucketMinutes', { count })],
  [1_000, (count: number) => t('charts.bucketSeconds', { count })],
] as const;

/** What a value stands for: 10-min mean with min/max. */
export function bucketWords({ bucketMs, columns }: Pick<ChartData, 'bucketMs' | 'columns'>, { kind }: Pick<Look, 'kind'>): string {
  if (bucketMs <= 0) return t('charts.everyValue');
  const [length, name] =
    LENGTHS.find(([length]) => bucketMs >= length && (bucketMs % length === 0 || bucketMs >= 2 * length)) ?? LENGTHS[3];
  const bucket = name(Number((bucketMs / length).toFixed(1)));
  if (kind === 'sum') return t('charts.sumOf', { bucket });
  if (kind === 'last') return t('charts.lastOf', { bucket });
  return columns.some(({ min, max }) => min.length > 0 && max.length > 0)
    ? t('charts.meanOfWithEnvelope', { bucket })
    : t('charts.meanOf', { bucket });
}
