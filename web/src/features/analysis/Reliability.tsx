// Reliability: the indices of a month, of each month of a year, and the days of the month. Every figure opens the outages from which it is
// computed (specification 3, section 2.1).
import { useMemo, useState } from 'react';
import { bars } from '../../charts/bars';
import { Plot } from '../../charts/Plot';
import type { Range } from '../../charts/range';
import { csv } from '../../ui/csv';
import { useExports } from '../../ui/exports';
import { number } from '../../ui/format';
import type { Asked } from '../../ui/useAsk';
import { getProfile, getScores, getYearly, type Scores, type Yearly } from '../../wire/analysis-reliability';
import { Doubts, Term } from './Doubts';
import { doubtLine } from './doubts';
import { Waiting } from './Facts';
import { Outages } from './Outages';
import {
  FURTHER,
  indexText,
  MAIN,
  monthOf,
  MONTHS,
  profileBars,
  rangeOfDay,
  rangeOfMonth,
  yearsUntil,
  yyyymm,
  type IndexRow,
  type Month,
} from './reliability';
import { useRepeated } from './useRepeated';
import { scopeOf, type ViewProps } from './view';
import { t } from '../../words';
import '../../ui/analysis.css';
import '../../ui/screens.css';

/** The figure for which the list of outages is open. */
interface Opened {
  readonly name: string;
  readonly range: Range;
}

export function Reliability(props: ViewProps) {
  const { token, zone, node, login, now } = props;
  const scope = scopeOf(node);
  const [month, setMonth] = useState<Month>(() => monthOf(now(), zone));
  const [opened, setOpened] = useState<Opened | null>(null);
  const scores = useRepeated(`${scope} scores ${yyyymm(month)}`, (asking) => getScores(token, scope, yyyymm(month), asking));
  const yearly = useRepeated(`${scope} yearly ${month.year}`, (asking) => getYearly(token, scope, month.year, asking));
  const profile = useRepeated(`${scope} profile ${yyyymm(month)}`, (asking) => getProfile(token, scope, yyyymm(month), asking));
  const figure = useMemo(() => profile.data && bars(profileBars(profile.data)), [profile.data]);
  const openMonth = (of: Month) => setOpened({ name: nameOf(of), range: rangeOfMonth(of, zone) });
  const openDay = (stop: number) => {
    const row = profile.data?.rows[stop];
    // A row with only a day belongs to the selected month.
    const date = row?.date ?? (row && `${month.year}-${String(month.month).padStart(2, '0')}-${row.dt.slice(0, 2)}`);
    const range = date ? rangeOfDay(date, zone) : null;
    if (row && range) setOpened({ name: row.dt, range });
  };
  // Flags of the indices are not repeated below.
  const said = scores.data?.flags ?? [];
  const again = () => [scores, yearly, profile].forEach(({ retry }) => retry());
  return (
    <div className="analysis">
      <div className="analysis-tools">
        <label className="pick">
          <span>{t('reliability.selectMonth')}</span>
          <select
            value={month.month}
            data-testid="reliability-month"
            onChange={(event) => setMonth({ ...month, month: Number(event.target.value) })}
          >
            {MONTHS.map((name, index) => (
              <option key={name} value={index + 1}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="pick">
          <span>{t('reliability.selectYear')}</span>
          <select
            value={month.year}
            data-testid="reliability-year"
            onChange={(event) => setMonth({ ...month, year: Number(event.target.value) })}
          >
            {yearsUntil(now(), zone).map((year) => (
              <option key={year}>{year}</option>
            ))}
          </select>
        </label>
      </div>
      <IndicesOf asked={scores} of={nameOf(month)} onOpen={() => openMonth(month)} />
      <YearTable asked={yearly} month={month} subject={node.name} said={said} onChoose={setMonth} onOpen={openMonth} />
      <Plot
        title={t('reliability.monthlyProfile')}
        detail={t('reliability.profileMeans')}
        subject={node.name}
        figure={figure}
        problem={profile.problem}
        keptSince={profile.data?.keptSince}
        onRetry={profile.retry}
        zone={zone}
        span={nameOf(month)}
        height={260}
        onPick={openDay}
      />
      {profile.data && <Doubts coverage={null} words={DOUBTS} flags={profile.data.flags.filter((flag) => !said.includes(flag))} />}
      {opened && (
        <Outages
          key={`${opened.range.from} ${opened.range.to}`}
          {...{ token, zone, scope, now }}
          title={t('reliability.outagesIn', { name: node.name, span: opened.name })}
          range={opened.range}
          canCorrect={login.canOperate}
          onChanged={again}
          onClose={() => setOpened(null)}
        />
      )}
    </div>
  );
}

const nameOf = ({ year, month }: Month) => `${MONTHS[month - 1] ?? ''} ${year}`;

const WEIGHTINGS: Readonly<Record<string, string>> = {
  customers: t('reliability.weightedByCustomers'),
  connected_kva: t('reliability.weightedByKva'),
  feeders: t('reliability.weightedByFeeders'),
};

/** Texts of the flags for outages. The general texts are about readings, and outages are not readings. */
const DOUBTS: Readonly<Record<string, string>> = {
  no_data: t('reliability.flagNoData'),
  partial: t('reliability.flagPartial'),
  no_customers: t('reliability.flagNoCustomers'),
};

/** What is counted instead of customers. */
const UNITS: Readonly<Record<string, string>> = { connected_kva: t('reliability.unitKva'), feeders: t('reliability.unitFeeders') };

function IndicesOf({ asked: { data, problem, retry }, of, onOpen }: { asked: Asked<Scores>; of: string; onOpen: () => void }) {
  const [isWithout, setWithout] = useState(false);
  const indices = isWithout ? (data?.withoutMajorEventDays ?? null) : data;
  return (
    <section className="facts" aria-label={t('reliability.indices')} data-testid="indices">
      <div className="facts-head">
        <h3>{t('reliability.indices')}</h3>
        <small className="quiet">{of}</small>
        {data?.withoutMajorEventDays && (
          <div className="choice" role="group" aria-label={t('reliability.majorEventDay')}>
            {[false, true].map((without) => (
              <button
                key={String(without)}
                type="button"
                aria-pressed={isWithout === without}
                data-testid={without ? 'without-major' : 'with-major'}
                onClick={() => setWithout(without)}
              >
                {without ? t('reliability.withoutMajorDays') : t('reliability.withMajorDays')}
              </button>
            ))}
          </div>
        )}
      </div>
      {problem && (
        <p className={data ? 'stale' : 'failed'} role="alert">
          {data ? t('charts.notUpToDate', { problem }) : problem}{' '}
          <button type="button" className="plain" onClick={retry}>
            {t('charts.tryAgain')}
          </button>
        </p>
      )}
      {!data && !problem && <Waiting />}
      {data && (
        <>
          <dl className="indices" data-stale={Boolean(problem)}>
            {MAIN.map((row) => (
              <Index key={row.key} row={row} value={indices?.[row.key]} of={of} onOpen={onOpen} />
            ))}
          </dl>
          <dl className="indices small" data-stale={Boolean(problem)}>
            {FURTHER.map((row) => (
              <Index key={row.key} row={row} value={indices?.[row.key]} of={of} onOpen={onOpen} />
            ))}
            <Count name={t('reliability.customersServed')} value={data.customersServed} unit={UNITS[data.weighting ?? '']} />
            <Count name={t('reliability.customersInterrupted')} value={data.customersInterrupted} unit={UNITS[data.weighting ?? '']} />
            <Count name={t('reliability.customerInterruptions')} value={data.customerInterruptions} unit={UNITS[data.weighting ?? '']} />
            <Count name={t('reliability.customerMinutes')} value={data.customerMinutes} />
            <div>
              <dt>{t('reliability.sustainedOutages')}</dt>
              <dd>
                <button type="button" className="figure" data-testid="open-outages" onClick={onOpen}>
                  {number(data.sustainedOutages, 0)}
                </button>{' '}
                {data.openOutages !== null && data.openOutages > 0 && (
                  <small className="open">{t('reliability.stillOpen', { n: data.openOutages })}</small>
                )}
              </dd>
            </div>
            <div>
              <dt>{t('reliability.momentaryOutages')}</dt>
              <dd>
                <button type="button" className="figure" data-testid="momentary-outages" onClick={onOpen}>
                  {number(data.momentaryOutages, 0)}
                </button>
              </dd>
            </div>
          </dl>
          <p className="quiet">{aboutIndices(data)}</p>
          <Doubts coverage={null} words={DOUBTS} flags={data.flags} />
        </>
      )}
    </section>
  );
}

/** The weighting of the indices, the limit of momentary interruptions, and the major event days. */
function aboutIndices({ weighting, momentaryThresholdMin, majorEventDays, tMed }: Scores): string {
  const days = majorEventDays.map(({ day, saidi }) => `${day} (${number(saidi, 2)} min)`).join(', ');
  return [
    weighting && (WEIGHTINGS[weighting] ?? weighting),
    momentaryThresholdMin !== null && t('reliability.momentaryUpTo', { minutes: momentaryThresholdMin }),
    days ? t('reliability.majorDays', { days }) : t('reliability.noMajorDays'),
    tMed !== null && t('reliability.limitOfMajor', { minutes: number(tMed, 2) }),
  ]
    .filter(Boolean)
    .join(' ');
}

function Index({ row, value, of, onOpen }: { row: IndexRow; value: number | null | undefined; of: string; onOpen: () => void }) {
  const text = indexText(row, value);
  return (
    <div>
      <dd>
        <button
          type="button"
          className="figure"
          aria-label={t('reliability.showOutages', { name: row.name, value: `${text} ${row.unit}`, of })}
          data-testid={`index-${row.key}`}
          onClick={onOpen}
        >
          {text}
        </button>
      </dd>
      <dt>
        <Term name={row.name} definition={row.definition} /> <small>{row.unit}</small>
      </dt>
    </div>
  );
}

function Count({ name, value, unit }: { name: string; value: number | null; unit?: string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {number(value, 0)} {unit && <small>{unit}</small>}
      </dd>
    </div>
  );
}

const YEARLY = [
  ['SAIDI', 'saidi'],
  ['SAIFI', 'saifi'],
  ['CAIDI', 'caidi'],
  ['CAIFI', 'caifi'],
  ['MAIFI', 'maifi'],
] as const;
const DEFINITIONS = [...MAIN, ...FURTHER];

interface YearProps {
  readonly asked: Asked<Yearly>;
  readonly month: Month;
  readonly subject: string;
  /** Flags that are already shown above. */
  readonly said: readonly string[];
  readonly onChoose: (month: Month) => void;
  readonly onOpen: (month: Month) => void;
}

/** A table with a column for each month and one for the year. */
function YearTable({ asked: { data, problem, retry }, month, subject, said, onChoose, onOpen }: YearProps) {
  const title = t('reliability.yearlyIndices');
  const months = data?.rows ?? [];
  const monthAt = (index: number): Month => ({ year: data?.year ?? month.year, month: index + 1 });
  useExports([
    {
      name: t('charts.asCsv', { title }),
      file: `${subject}-${title}`,
      extension: 'csv',
      make: () => {
        if (!data) return null;
        const head = [t('reliability.index'), ...months.map((_, index) => MONTHS[index] ?? ''), String(data.year)];
        return new Blob(
          [
            csv(
              head,
              YEARLY.map(([key]) => [key, ...months.map((row) => row[key]), data.total?.[key] ?? null]),
            ),
          ],
          { type: 'text/csv' },
        );
      },
    },
  ]);
  return (
    <section className="facts" aria-label={title}>
      <h3>
        {title} {data && <small className="quiet">{data.year}</small>}
      </h3>
      {problem && (
        <p className={data ? 'stale' : 'failed'} role="alert">
          {data ? t('charts.notUpToDate', { problem }) : problem}{' '}
          <button type="button" className="plain" onClick={retry}>
            {t('charts.tryAgain')}
          </button>
        </p>
      )}
      {!data && !problem && <Waiting />}
      {data && months.length === 0 && <p className="quiet">{t('charts.noDataFoundToDisplay')}</p>}
      {data && months.length > 0 && (
        <div className="facts-scroll" tabIndex={0} role="region" aria-label={title}>
          <table data-testid="yearly" aria-label={title}>
            <thead>
              <tr>
                <th scope="col">{t('reliability.index')}</th>
                {months.map((row, index) => ({ row, index, doubts: doubtLine({ coverage: null, flags: row.flags, words: DOUBTS }) })).map(({ row, index, doubts }) => (
                  <th
                    key={row.yyyymm}
                    scope="col"
                    className="number"
                    data-chosen={row.yyyymm === yyyymm(month)}
                    data-tip={doubts || undefined}
                  >
                    <button
                      type="button"
                      className="plain"
                      aria-pressed={row.yyyymm === yyyymm(month)}
                      onClick={() => onChoose(monthAt(index))}
                    >
                      {(MONTHS[index] ?? String(row.month)).slice(0, 3)}
                      {row.flags.some((flag) => flag !== 'no_data') && <b aria-hidden="true"> !</b>}
                    </button>
                    {doubts && <span className="visually-hidden">{doubts}</span>}
                  </th>
                ))}
                <th scope="col" className="number">
                  {data.year}
                </th>
              </tr>
            </thead>
            <tbody>
              {YEARLY.map(([key, own]) => (
                <tr key={key} data-testid={`yearly-${key}`}>
                  <th scope="row">
                    <Term name={key} definition={DEFINITIONS.find((row) => row.key === own)?.definition ?? ''} />
                  </th>
                  {months.map((row, index) => (
                    <td key={row.yyyymm} className="number" data-chosen={row.yyyymm === yyyymm(month)}>
                      {row[key] === null ? (
                        '–'
                      ) : (
                        <button
                          type="button"
                          className="figure"
                          aria-label={t('reliability.showOutages', { name: key, value: number(row[key], 2), of: nameOf(monthAt(index)) })}
                          onClick={() => onOpen(monthAt(index))}
                        >
                          {number(row[key], 2)}
                        </button>
                      )}
                    </td>
                  ))}
                  <td className="number">{number(data.total?.[key], 2)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && <Doubts coverage={null} words={DOUBTS} flags={data.flags.filter((flag) => !said.includes(flag))} />}
    </section>
  );
}
