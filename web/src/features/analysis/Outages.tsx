// The outages from which reliability is computed: the list, an outage with its events, and its correction by users with permission to
// operate.
import { useEffect, useMemo, useState, type FormEvent } from 'react';
import type { Range } from '../../charts/range';
import { Feed } from '../../live/feed';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { DateField } from '../../ui/DateField';
import { Dialog } from '../../ui/Dialog';
import { FormFoot } from '../../ui/FormFoot';
import { eventTime, number } from '../../ui/format';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import { getOutage, getOutages, putOutage, type Outage, type OutageEvent, type OutageRow } from '../../wire/analysis-reliability';
import { problemOf } from '../../wire/rest';
import { Doubts } from './Doubts';
import { CAUSES, causeName, className, computedForm, correctionOf, countsText, formOf, type Corrected } from './reliability';
import { useRepeated } from './useRepeated';
import { t } from '../../words';
import '../../ui/screens.css';

interface Props {
  readonly token: string;
  readonly zone: string;
  /** A level and an id, such as `division/4`. */
  readonly scope: string;
  readonly range: Range;
  readonly title: string;
  readonly canCorrect: boolean;
  readonly now: () => number;
  /** Called after a correction, which changes the indices. */
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

const keyOf = ({ id }: OutageRow) => id;
/** Sorts the newest first. */
const order = (a: OutageRow, b: OutageRow) => b.started.localeCompare(a.started) || b.id - a.id;
const bar = (row: OutageRow) => (row.class === 'open' ? 'alarm' : row.majorEventDay ? 'warn' : undefined);

const time = (at: string | null, now: number, zone: string) => (at ? eventTime(Date.parse(at), now, zone) : '–');
const COLUMNS: readonly TableColumn<OutageRow>[] = [
  {
    key: 'started',
    name: t('reliability.started'),
    text: (row, { now, zone }) => time(row.started, now, zone),
    value: (row) => row.started,
  },
  {
    key: 'ended',
    name: t('reliability.ended'),
    text: (row, { now, zone }) => (row.ended ? time(row.ended, now, zone) : t('reliability.lasts')),
    value: (row) => row.ended,
  },
  {
    key: 'minutes',
    name: t('reliability.minutesHead'),
    isNumber: true,
    text: (row) => number(row.minutes, 2),
    value: (row) => row.minutes,
  },
  { key: 'class', name: t('reliability.class'), text: (row) => className(row.class) },
  { key: 'cause', name: t('reliability.cause'), text: (row) => causeName(row.cause) },
  { key: 'asset', name: t('reliability.asset'), text: (row) => row.assetName },
  { key: 'location', name: t('reliability.location'), text: (row) => row.locationName ?? '–', title: (row) => row.breadCrumbName ?? '' },
  {
    key: 'customers',
    name: t('reliability.customers'),
    isNumber: true,
    text: (row) => number(row.customers, 0),
    value: (row) => row.customers,
  },
  { key: 'counts', name: t('reliability.counts'), text: countsText },
  {
    key: 'by',
    name: t('reliability.by'),
    text: (row) => (row.corrected ? (row.correctedBy ?? t('reliability.yes')) : '–'),
    title: (row) => row.note ?? '',
  },
];

export function Outages({ token, zone, scope, range, title, canCorrect, now, onChanged, onClose }: Props) {
  const { data, problem, retry } = useRepeated(`${scope} outages ${range.from} ${range.to}`, (asking) =>
    getOutages(token, scope, range, asking),
  );
  const feed = useMemo(() => new Feed<OutageRow>({ key: keyOf, order }), []);
  useEffect(() => {
    if (data) feed.replace(data.rows, undefined, data.keptSince);
  }, [feed, data]);
  useEffect(() => {
    if (problem) feed.fail(problem);
  }, [feed, problem]);
  const [chosen, setChosen] = useState<number | null>(null);
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="outages" data-testid="outages">
        <div className="outage-list">
          <LiveTable
            title={t('reliability.outages')}
            name="outages"
            feed={feed}
            keyOf={keyOf}
            columns={COLUMNS}
            order={order}
            bar={bar}
            zone={zone}
            testId="outage"
            selected={chosen}
            onSelect={(key) => setChosen(Number(key))}
            empty={t('reliability.noOutages')}
          />
          {data?.cut && <p className="quiet">{t('reliability.cut')}</p>}
        </div>
        {chosen !== null && (
          <One
            key={chosen}
            {...{ token, zone, canCorrect, now }}
            id={chosen}
            onBack={() => setChosen(null)}
            onChanged={() => {
              retry();
              onChanged();
            }}
          />
        )}
      </div>
      <div className="actions">
        {problem && (
          <button type="button" onClick={retry}>
            {t('charts.tryAgain')}
          </button>
        )}
        <button type="button" data-first="" data-testid="outages-close" onClick={onClose}>
          {t('reliability.close')}
        </button>
      </div>
    </Dialog>
  );
}

interface OneProps extends Pick<Props, 'token' | 'zone' | 'canCorrect' | 'now' | 'onChanged'> {
  readonly id: number;
  readonly onBack: () => void;
}

function One({ token, zone, canCorrect, now, id, onBack, onChanged }: OneProps) {
  const asked = useAsk(`outage ${id}`, async (asking) => ({ result: await getOutage(token, id, asking) }));
  const [isEditing, setEditing] = useState(false);
  return (
    <section className="outage-one" aria-live="polite" data-testid="outage-one">
      <Answered asked={asked}>
        {(outage) => (
          <>
            <h3>{t('reliability.outage', { name: outage.assetName })}</h3>
            {isEditing ? (
              <CorrectionForm
                {...{ token, zone, now, outage }}
                onClose={() => setEditing(false)}
                onDone={() => {
                  setEditing(false);
                  toast(t('reliability.corrected'));
                  asked.retry();
                  onChanged();
                }}
              />
            ) : null}
            <Known outage={outage} zone={zone} now={now()} />
            {!isEditing && (
              <>
                <Events events={outage.events} zone={zone} now={now()} />
                <div className="actions">
                  <button type="button" onClick={onBack}>
                    {t('reliability.backToList')}
                  </button>
                  {canCorrect && (
                    <button type="button" data-testid="outage-correct" onClick={() => setEditing(true)}>
                      {t('reliability.correct')}
                    </button>
                  )}
                </div>
              </>
            )}
          </>
        )}
      </Answered>
    </section>
  );
}

/** The valid values of an outage, and beside them the computed values that a correction replaced. */
function Known({ outage, zone, now }: { outage: Outage; zone: string; now: number }) {
  const { computed } = outage;
  const beside = (held: string, own: string | null | undefined) =>
    outage.corrected && own != null && own !== held ? (
      <small>
        {t('reliability.computed')}: {own}
      </small>
    ) : null;
  const facts: readonly (readonly [string, string, string | null | undefined])[] = [
    [t('reliability.started'), time(outage.started, now, zone), computed && time(computed.started, now, zone)],
    [
      t('reliability.ended'),
      outage.ended ? time(outage.ended, now, zone) : t('reliability.lasts'),
      computed && time(computed.ended, now, zone),
    ],
    [t('reliability.minutesHead'), number(outage.minutes, 2), null],
    [t('reliability.class'), className(outage.class), null],
    [t('reliability.cause'), causeName(outage.cause), computed?.cause == null ? null : causeName(computed.cause)],
    [t('reliability.location'), outage.breadCrumbName ?? outage.locationName ?? '–', null],
    [t('reliability.customers'), number(outage.customers, 0), null],
    [t('reliability.counts'), countsText(outage), null],
    ...(outage.corrected
      ? ([
          [t('reliability.by'), outage.correctedBy ?? '–', null],
          [t('reliability.note'), outage.note ?? '–', null],
        ] as const)
      : []),
  ];
  return (
    <>
      <dl className="known">
        {facts.map(([name, held, own]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {held} {beside(held, own)}
            </dd>
          </div>
        ))}
      </dl>
      <Doubts coverage={null} flags={outage.flags} />
    </>
  );
}

/** Events with the device's time in milliseconds, which shows their order. */
function Events({ events, zone, now }: { events: readonly OutageEvent[]; zone: string; now: number }) {
  return (
    <>
      <h4>{t('reliability.events')}</h4>
      {events.length === 0 ? (
        <p className="quiet">{t('reliability.noEvents')}</p>
      ) : (
        <div className="facts-scroll">
          <table data-testid="outage-events">
            <thead>
              <tr>
                <th scope="col">{t('reliability.time')}</th>
                <th scope="col">{t('reliability.asset')}</th>
                <th scope="col">{t('reliability.signal')}</th>
                <th scope="col">{t('reliability.value')}</th>
              </tr>
            </thead>
            <tbody>
              {events.map((event) => (
                <tr key={event.offset}>
                  <td>{eventTime(Date.parse(event.source), now, zone, true)}</td>
                  <td>{event.assetName}</td>
                  <td>{event.signal}</td>
                  <td>{event.changeTo || number(event.value, 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

interface FormProps extends Pick<Props, 'token' | 'zone' | 'now' | 'onClose'> {
  readonly outage: Outage;
  readonly onDone: () => void;
}

/** The form of a correction. Errors are shown at their fields, and computed values beside the entered ones. */
function CorrectionForm({ token, zone, now, outage, onClose, onDone }: FormProps) {
  const [form, setForm] = useState<Corrected>(() => formOf(outage, zone));
  const computed = computedForm(outage, zone);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const put = (part: Partial<Corrected>) => setForm((held) => ({ ...held, ...part }));
  const send = (event: FormEvent) => {
    event.preventDefault();
    const correction = correctionOf(outage, form, now(), zone);
    if (typeof correction === 'string') return setProblem(correction);
    setBusy(true);
    putOutage(token, outage.id, correction).then(onDone, (error: unknown) => {
      setProblem(problemOf(error));
      setBusy(false);
    });
  };
  return (
    <form className="fields" onSubmit={send} noValidate aria-label={t('reliability.correctionOf', { name: outage.assetName })}>
      <label className="field">
        {t('reliability.startedIn', { zone })}
        <DateField hasTime value={form.started} onChange={(started) => put({ started })} testId="outage-started" />
      </label>
      <label className="field">
        {t('reliability.endedIn', { zone })}
        <DateField hasTime value={form.ended} onChange={(ended) => put({ ended })} testId="outage-ended" />
      </label>
      <label className="field">
        {t('reliability.cause')}
        <select value={form.cause} onChange={(event) => put({ cause: event.target.value })} data-testid="outage-cause">
          {CAUSES.map(([key, name]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={form.exclude}
          onChange={(event) => put({ exclude: event.target.checked })}
          data-testid="outage-exclude"
        />{' '}
        {t('reliability.exclude')}
      </label>
      <label className="field">
        {t('reliability.note')}
        <textarea
          rows={2}
          maxLength={1_000}
          value={form.note}
          onChange={(event) => put({ note: event.target.value })}
          data-testid="outage-note"
        />
      </label>
      {outage.corrected && computed && (
        <button type="button" className="plain" data-testid="outage-as-computed" onClick={() => put(computed)}>
          {t('reliability.asComputed')}
        </button>
      )}
      <FormFoot
        problem={problem}
        busy={busy}
        back={t('reliability.cancel')}
        onBack={onClose}
        submit={t('reliability.save')}
        testId="outage-save"
      />
    </form>
  );
}
