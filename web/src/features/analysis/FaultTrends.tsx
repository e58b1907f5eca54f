// Fault trends: number and duration of faults by type, day and place (specification 3, section 2.1).
import { useMemo, useState } from 'react';
import { bars } from '../../charts/bars';
import { spanWords } from '../../charts/Column';
import { Plot } from '../../charts/Plot';
import { instantOf, wallOf } from '../../charts/zone';
import type { TableColumn } from '../../table/columns';
import { number } from '../../ui/format';
import { getFaultTrends, type FaultTrendRow } from '../../wire/analysis-faults';
import { Doubts } from './Doubts';
import { Facts } from './Facts';
import { daysOf, DAYS_MOST, faultBars, placeKey, PLACES_MOST, placesOf } from './faulttrends';
import { useRepeated } from './useRepeated';
import { scopeOf, type ViewProps } from './view';
import { t } from '../../words';
import '../../ui/analysis.css';
import '../../ui/screens.css';

const DAY = 86_400_000;
/** The choices of days, the default first. */
const SPANS = [30, 7, 90, 365] as const;

/** The selected column, whose faults are listed. */
interface Picked {
  readonly by: 'day' | 'place';
  readonly key: string;
  readonly title: string;
}

export function FaultTrends({ token, zone, node, now }: ViewProps) {
  const scope = scopeOf(node);
  const [days, setDays] = useState<number>(SPANS[0]);
  const [picked, setPicked] = useState<Picked | null>(null);
  // Whole days in the utility's time zone, including today.
  const spanNow = () => {
    const to = now();
    const midnight = Math.floor(wallOf(to, zone) / DAY) * DAY;
    return { from: instantOf(midnight - (days - 1) * DAY, zone), to };
  };
  const asked = useRepeated(`${scope} faults ${days}`, async (asking) => {
    const span = spanNow();
    return { ...(await getFaultTrends(token, scope, span, asking)), span };
  });
  const { data, problem, retry } = asked;
  const isOneSubstation = node.level === 'substation' || node.level === 'asset';
  const byDay = useMemo(() => {
    if (!data) return null;
    const { days: categories, cut } = daysOf(data.span, zone, data.keptFrom === null ? null : Date.parse(data.keptFrom));
    return {
      categories,
      cut,
      forgotten: categories.filter(({ isForgotten }) => isForgotten).length,
      figure: bars(
        withRows(
          data.rows,
          faultBars(data.rows, t('faulttrends.day'), categories, ({ Dt }) => Dt),
        ),
      ),
    };
  }, [data, zone]);
  const byPlace = useMemo(() => {
    if (!data) return null;
    const { places, cut } = placesOf(data.rows, isOneSubstation);
    const head = isOneSubstation ? t('faulttrends.asset') : t('faulttrends.location');
    return { categories: places, cut, figure: bars(faultBars(data.rows, head, places, (row) => placeKey(row, isOneSubstation))) };
  }, [data, isOneSubstation]);
  const rows = useMemo(() => {
    if (!data || !picked) return data?.rows ?? null;
    return data.rows.filter((row) => (picked.by === 'day' ? row.Dt : placeKey(row, isOneSubstation)) === picked.key);
  }, [data, picked, isOneSubstation]);
  const pick =
    (by: Picked['by'], categories: readonly { readonly key: string; readonly title: string }[] | undefined) => (stop: number) => {
      const category = categories?.[stop];
      if (category)
        setPicked((before) => (before?.by === by && before.key === category.key ? null : { by, key: category.key, title: category.title }));
    };
  const span = data ? spanWords(data.span, zone) : '';
  const shared = { subject: node.name, problem, onRetry: retry, zone, span, keptSince: data?.keptSince };
  return (
    <div className="analysis">
      <div className="analysis-tools">
        <label className="pick">
          <span>{t('faulttrends.span')}</span>
          <select
            value={days}
            data-testid="fault-span"
            onChange={(event) => {
              setDays(Number(event.target.value));
              setPicked(null);
            }}
          >
            {[...SPANS]
              .sort((a, b) => a - b)
              .map((count) => (
                <option key={count} value={count}>
                  {t('faulttrends.lastDays', { count })}
                </option>
              ))}
          </select>
        </label>
        <span className="quiet">{span}</span>
      </div>
      <Plot
        {...shared}
        title={t('faulttrends.overTime')}
        detail={t('faulttrends.overTimeMeans')}
        figure={byDay?.figure ?? null}
        height={280}
        onPick={pick('day', byDay?.categories)}
      />
      {byDay !== null && byDay.cut > 0 && <p className="quiet">{t('faulttrends.daysCut', { days: DAYS_MOST })}</p>}
      {byDay !== null && byDay.forgotten > 0 && <p className="quiet">{t('faulttrends.daysForgotten', { count: byDay.forgotten })}</p>}
      <Plot
        {...shared}
        title={t('faulttrends.overLocation')}
        detail={isOneSubstation ? t('faulttrends.byAsset') : t('faulttrends.byLocation')}
        figure={byPlace?.figure ?? null}
        height={280}
        onPick={pick('place', byPlace?.categories)}
      />
      {byPlace !== null && byPlace.cut > 0 && (
        <p className="quiet">{t('faulttrends.placesCut', { places: PLACES_MOST, more: byPlace.cut })}</p>
      )}
      {data && <Doubts coverage={null} flags={data.flags.filter((flag) => !SAID.includes(flag))} />}
      {data !== null && data.open > 0 && <p className="quiet">{t('faulttrends.stillOpen', { many: data.open })}</p>}
      {data?.cut && <p className="quiet">{t('faulttrends.cut')}</p>}
      <div className="analysis-list">
        {picked && (
          <button type="button" className="plain" data-testid="fault-all" onClick={() => setPicked(null)}>
            {t('faulttrends.showAll')}
          </button>
        )}
        <Facts
          title={picked ? t('faulttrends.faultsOf', { name: picked.title }) : t('faulttrends.faults')}
          name={t('faulttrends.faults')}
          asked={asked}
          rows={rows}
          keptSince={data?.keptSince}
          columns={COLUMNS}
          keyOf={({ Dt, assetId, FaultType }) => `${Dt} ${assetId} ${FaultType}`}
          doubt={({ open }) => (open > 0 ? t('faulttrends.stillOpen', { many: open }) : '')}
          zone={zone}
          now={now}
          testId="fault-trend"
        />
      </div>
    </div>
  );
}

/** Flags without a note here. Some are shown in a different form. `no_data` is no doubt, because an answer without faults is certain. */
const SAID: readonly string[] = ['no_data', 'open', 'partial'];

/** Keeps the days without faults. Without any fault the chart is empty. */
function withRows<T extends { readonly categories: readonly string[] }>(rows: readonly FaultTrendRow[], data: T): T {
  return rows.length > 0 ? data : { ...data, categories: [] };
}

const COLUMNS: readonly TableColumn<FaultTrendRow>[] = [
  { key: 'day', name: t('faulttrends.day'), text: ({ Dt, dt }) => `${dt}/${Dt.slice(0, 4)}`, value: ({ Dt }) => Dt },
  { key: 'location', name: t('faulttrends.location'), text: ({ locationName }) => locationName ?? '–' },
  { key: 'asset', name: t('faulttrends.asset'), text: ({ assetName }) => assetName },
  { key: 'type', name: t('faulttrends.faultType'), text: ({ FaultType }) => FaultType },
  {
    key: 'times',
    name: t('faulttrends.times'),
    isNumber: true,
    text: ({ NoOfTimes }) => number(NoOfTimes, 0),
    value: ({ NoOfTimes }) => NoOfTimes,
  },
  {
    key: 'minutes',
    name: t('faulttrends.minutes'),
    isNumber: true,
    text: ({ Duration }) => number(Duration, 2),
    value: ({ Duration }) => Duration,
  },
];
