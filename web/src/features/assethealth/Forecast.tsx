// Risk by year, without replacements and with those that are ticked in the table. There are two lists of replacements, so that two
// investments can be compared.
import { useEffect, useMemo, useRef, useState } from 'react';
import { Plot } from '../../charts/Plot';
import { xy } from '../../charts/xy';
import { number } from '../../ui/format';
import { useAsk } from '../../ui/useAsk';
import { postForecast, type CableSection, type RiskForecast, type SectionId } from '../../wire/cable-health';
import { listFigures, LISTS, riskLines, sizeFor, type ListFigures, type ListName } from './forecast';
import { moneyIn, nameOf } from './sections';
import { useSettled } from './useSettled';
import { t } from '../../words';

export type Lists = Readonly<Record<ListName, ReadonlySet<SectionId>>>;

interface Props {
  readonly token: string;
  readonly substation: number;
  readonly year: number;
  readonly subject: string;
  readonly zone: string;
  readonly sections: readonly CableSection[];
  readonly lists: Lists;
  /** The list to which ticked sections are added. */
  readonly list: ListName;
  readonly onList: (list: ListName) => void;
  readonly onReplace: (ids: readonly SectionId[], isOn: boolean) => void;
  readonly onSelect: (id: SectionId) => void;
}

const YEARS = { least: 1, most: 40, first: 20 } as const;
/** Largest number of sections of a list that are shown. Further sections are counted. */
const LISTED = 100;
/** Delay after the last tick before the request, ms, so that several ticks need one request. */
const SETTLED_MS = 500;

export function Forecast({ token, substation, year, subject, zone, sections, lists, list, onList, onReplace, onSelect }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [written, setWritten] = useState(String(YEARS.first));
  const years = /^\d{1,2}$/.test(written) && Number(written) >= YEARS.least && Number(written) <= YEARS.most ? Number(written) : null;
  // In the order of the register, without sections that are not in it.
  const ids = useMemo(() => {
    const of = (name: ListName) => sections.filter(({ CableObjectId }) => lists[name].has(CableObjectId)).map(({ CableObjectId }) => CableObjectId);
    return { A: of('A'), B: of('B') };
  }, [sections, lists]);
  const settled = useSettled(ids, SETTLED_MS);
  // The key contains the lists, so that other lists send another request.
  const key = years === null ? null : `health-forecast-${substation}-${year}-${years}-${JSON.stringify(settled)}`;
  const asked = useAsk(key, async ({ signal }) => ({ result: await postForecast(token, substation, year, years ?? YEARS.first, settled.A, settled.B, signal) }));
  // The last answer is shown until the next arrives, with a note.
  const held = useRef<RiskForecast | null>(null);
  useEffect(() => {
    if (asked.data) held.current = asked.data;
  }, [asked.data]);
  const data = asked.data ?? held.current;
  const isNew = asked.data !== null && settled === ids;
  const sizes = useMemo(() => ({ A: settled.A.length, B: settled.B.length }), [settled]);
  const figure = useMemo(() => data && xy(riskLines(data, sizes)), [data, sizes]);
  const own = lists[list];
  const listed = sections.filter(({ CableObjectId }) => own.has(CableObjectId));
  const km = listed.reduce((sum, row) => sum + (row.SectionLengthKM ?? 0), 0);
  const isEmpty = ids.A.length + ids.B.length === 0;
  return (
    <div className="analysis">
      <div className="analysis-tools">
        <label className="years">
          {t('assethealth.yearsAhead')}{' '}
          <input
            ref={field}
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
        <span className="ticks-onto">
          {t('assethealth.ticksGoTo')}{' '}
          <span className="choice" role="group" aria-label={t('assethealth.ticksGoTo')}>
            {LISTS.map((name) => (
              <button key={name} type="button" aria-pressed={name === list} data-testid={`list-${name}`} onClick={() => onList(name)}>
                {t('assethealth.listSize', { list: name, n: ids[name].length })}
              </button>
            ))}
          </span>
        </span>
      </div>
      <Plot
        title={t('assethealth.riskByYear')}
        detail={isEmpty ? t('assethealth.tickToReplace') : t('assethealth.replacing', { n: ids.A.length + ids.B.length })}
        subject={subject}
        figure={figure}
        // The previous figures do not belong to the invalid number in the field.
        problem={years === null ? t('assethealth.yearsAllowed', { from: YEARS.least, to: YEARS.most }) : asked.problem}
        onRetry={years === null ? () => field.current?.focus() : asked.retry}
        isLoading={key !== null && !isNew && !asked.problem}
        zone={zone}
        span={String(year)}
        height={300}
      />
      {data && isNew && <Savings figures={listFigures(data, sizes)} data={data} year={year} />}
      {data && years !== null && data.notModelled > 0 && <p className="quiet">{t('assethealth.forecastWithout', { n: data.notModelled })}</p>}
      <section className="facts" aria-label={t('assethealth.replacementList', { list })}>
        <div className="facts-head">
          <h3>{t('assethealth.replacementList', { list })}</h3>
          <small className="quiet" data-testid="replacement-count">
            {t('assethealth.sectionsAndKm', { count: listed.length, km: number(km, 2) })}
          </small>
          {listed.length > 0 && (
            <button type="button" onClick={() => onReplace(ids[list], false)} data-testid="replacement-clear">
              {t('assethealth.clearList', { list })}
            </button>
          )}
        </div>
        <p className="quiet">{listed.length === 0 ? t('assethealth.tickRows') : t('assethealth.newCable')}</p>
        <ul className="replacement">
          {listed.slice(0, LISTED).map((row) => (
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
        {listed.length > LISTED && <p className="quiet">{t('assethealth.andMore', { n: listed.length - LISTED })}</p>}
      </section>
    </div>
  );
}

/** Savings and costs of the lists, side by side. */
function Savings({ figures, data, year }: { figures: readonly ListFigures[]; data: RiskForecast; year: number }) {
  if (figures.length === 0) return null;
  const currency = moneyIn(data);
  const money = (value: number) => {
    const { by, unit } = sizeFor(value, currency);
    return `${number(value / by, by === 1 ? 0 : 2)} ${unit}`;
  };
  const last = figures[0]?.lastYear ?? year;
  const rows: readonly (readonly [string, (of: ListFigures) => string, string?])[] = [
    [t('assethealth.sections'), ({ what }) => (what ? t('assethealth.sectionsAndKm', { count: what.sections, km: number(what.km, 2) }) : '–')],
    [t('assethealth.costOfList'), ({ what }) => (what?.cost == null ? t('assethealth.noPrice') : money(what.cost)), t('assethealth.noPriceAbout')],
    [t('assethealth.savedTotal', { year: last }), ({ total }) => money(total)],
    [t('assethealth.savedIn', { year: last }), ({ last: of }) => money(of)],
    [t('assethealth.savedPer', { currency: data.currency }), ({ ratio }) => number(ratio, 3)],
  ];
  return (
    <div className="facts-scroll" tabIndex={0} role="region" aria-label={t('assethealth.replacementLists')}>
      <table className="savings" data-testid="saved">
        <thead>
          <tr>
            <th scope="col">{t('assethealth.replacementLists')}</th>
            {figures.map(({ name }) => (
              <th key={name} scope="col" className="number">
                {t('assethealth.list')} {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, text, about]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {figures.map((of) => (
                <td key={of.name} className="number" data-tip={about && of.what?.cost == null ? about : undefined}>
                  {text(of)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
