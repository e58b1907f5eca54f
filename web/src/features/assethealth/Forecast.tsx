// Risk by year: what happens when nothing is done, and what is saved by replacing the sections that are ticked in the table.
import { useEffect, useMemo, useRef, useState } from 'react';
import { Plot } from '../../charts/Plot';
import { xy } from '../../charts/xy';
import { number } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import { postForecast, type CableSection, type RiskForecast, type SectionId } from '../../wire/cable-health';
import { riskLines, savedOf, sizeFor } from './forecast';
import { moneyIn, nameOf } from './sections';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly substation: number;
  readonly year: number;
  readonly subject: string;
  readonly zone: string;
  readonly sections: readonly CableSection[];
  readonly replaced: ReadonlySet<SectionId>;
  readonly onReplace: (ids: readonly SectionId[], isOn: boolean) => void;
  readonly onSelect: (id: SectionId) => void;
}

const YEARS = { least: 1, most: 40, first: 20 } as const;
/** As many of the list are shown; the others are counted. */
const LISTED = 100;

export function Forecast({ token, substation, year, subject, zone, sections, replaced, onReplace, onSelect }: Props) {
  const [written, setWritten] = useState(String(YEARS.first));
  const years = /^\d{1,2}$/.test(written) && Number(written) >= YEARS.least && Number(written) <= YEARS.most ? Number(written) : null;
  const ids = useMemo(() => sections.filter(({ CableObjectId }) => replaced.has(CableObjectId)).map(({ CableObjectId }) => CableObjectId), [sections, replaced]);
  // A list is another question; the same list is the same one.
  const key = years === null ? null : `health-forecast-${substation}-${year}-${years}-${JSON.stringify(ids)}`;
  const asked = useAsk(key, async () => ({ result: await postForecast(token, substation, year, years ?? YEARS.first, ids) }));
  // While the next answer is on its way the last one stays, and says so.
  const held = useRef<RiskForecast | null>(null);
  useEffect(() => {
    if (asked.data) held.current = asked.data;
  }, [asked.data]);
  const data = asked.data ?? held.current;
  const figure = useMemo(() => data && xy(riskLines(data, ids.length > 0)), [data, ids.length]);
  const saved = data && ids.length > 0 && asked.data ? savedOf(data) : null;
  const money = (value: number) => {
    const { by, unit } = sizeFor(value, data ? moneyIn(data) : '');
    return `${number(value / by, by === 1 ? 0 : 2)} ${unit}`;
  };
  const km = sections.reduce((sum, row) => sum + (replaced.has(row.CableObjectId) ? (row.SectionLengthKM ?? 0) : 0), 0);
  return (
    <div className="analysis">
      <div className="analysis-tools">
        <label className="years">
          {t('assethealth.yearsAhead')}{' '}
          <input
            type="number"
            min={YEARS.least}
            max={YEARS.most}
            value={written}
            aria-invalid={years === null}
            aria-describedby="years-ahead-problem"
            onChange={(event) => setWritten(event.target.value)}
            data-testid="forecast-years"
          />
        </label>
        <span id="years-ahead-problem" className="quiet" role="status">
          {years === null ? t('assethealth.yearsAllowed', { from: YEARS.least, to: YEARS.most }) : ''}
        </span>
      </div>
      <Plot
        title={t('assethealth.riskByYear')}
        detail={ids.length > 0 ? t('assethealth.replacing', { count: ids.length }) : t('assethealth.tickToReplace')}
        subject={subject}
        figure={figure}
        problem={asked.problem}
        onRetry={asked.retry}
        isLoading={key !== null && asked.data === null && !asked.problem}
        zone={zone}
        span={String(year)}
        height={300}
      />
      {saved && (
        <dl className="pairs" data-testid="saved">
          <div>
            <dt>{t('assethealth.savedTotal', { year: saved.lastYear ?? year })}</dt>
            <dd>{money(saved.total)}</dd>
          </div>
          <div>
            <dt>{t('assethealth.savedIn', { year: saved.lastYear ?? year })}</dt>
            <dd>{money(saved.last)}</dd>
          </div>
        </dl>
      )}
      {data && data.notModelled > 0 && <p className="quiet">{t('assethealth.forecastWithout', { count: data.notModelled })}</p>}
      <section className="facts" aria-label={t('assethealth.replacementList')}>
        <div className="facts-head">
          <h3>{t('assethealth.replacementList')}</h3>
          <small className="quiet" data-testid="replacement-count">
            {t('assethealth.sectionsAndKm', { count: ids.length, km: number(km, 2) })}
          </small>
          {ids.length > 0 && (
            <button type="button" onClick={() => onReplace(ids, false)} data-testid="replacement-clear">
              {t('assethealth.clearList')}
            </button>
          )}
        </div>
        {ids.length === 0 && <p className="quiet">{t('assethealth.tickRows')}</p>}
        <ul className="replacement">
          {sections
            .filter(({ CableObjectId }) => replaced.has(CableObjectId))
            .slice(0, LISTED)
            .map((row) => (
              <li key={row.CableObjectId}>
                <button type="button" className="plain" onClick={() => onSelect(row.CableObjectId)}>
                  {nameOf(row)}
                </button>
                <button type="button" className="plain" aria-label={t('assethealth.takeOff', { name: nameOf(row) })} onClick={() => onReplace([row.CableObjectId], false)}>
                  ×
                </button>
              </li>
            ))}
        </ul>
        {ids.length > LISTED && <p className="quiet">{t('assethealth.andMore', { count: ids.length - LISTED })}</p>}
      </section>
    </div>
  );
}
