// What if: plans the same day with the form's parameters and with changed parameters, and shows the differences.
import { useEffect, useMemo, useRef, useState, type FormEvent } from 'react';
import { bars } from '../../charts/bars';
import { Plot } from '../../charts/Plot';
import { number } from '../../ui/format';
import { windowWords } from '../../ui/halfhours';
import { compare, FIELDS, type Compared, type Field, type RunBody } from '../../wire/lowcarbon';
import { problemOf } from '../../wire/rest';
import { comparedGrid, comparedStorage } from './figures';
import { NAMES, OBJECTIVES, readDraft, UNITS, WINDOWS, type Draft, type Faults } from './form';
import { ParameterField } from './Parameters';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly device: number;
  readonly name: string;
  readonly zone: string;
  /** The request of the form; null while the form is invalid. */
  readonly base: RunBody | null;
  readonly draft: Draft;
  /** The site's configured values, which apply to empty fields of the form. */
  readonly own: Draft;
}

type Changes = Readonly<Partial<Record<Field, string>>>;

/** Fields that can be changed. Both plans are of the same site. */
const CHANGED = FIELDS.filter((field) => field !== 'deviceId');

const objectiveWords = (key: string) => OBJECTIVES.find(([own]) => own === key)?.[1] ?? key;

export function WhatIf({ token, device, name, zone, base, draft, own }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [changes, setChanges] = useState<Changes>({});
  const [wrong, setWrong] = useState<Faults>({});
  const [asked, setAsked] = useState<{ readonly of: RunBody; readonly changes: Changes; readonly data: Compared } | null>(null);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const opener = useRef<HTMLButtonElement>(null);
  const section = useRef<HTMLElement>(null);
  const comparing = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  // The pressed button disappears when the section opens or closes, so the focus is moved.
  useEffect(() => {
    if (wasOpen.current !== isOpen) (isOpen ? section : opener).current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (!base || busy) return;
    const read = readDraft(changes);
    if ('faults' in read) return setWrong(read.faults);
    if (Object.keys(read.body).length === 0) return setProblem(t('lowcarbon.nothingChanged'));
    stop.current?.abort();
    const run = new AbortController();
    stop.current = run;
    setBusy(true);
    setProblem('');
    try {
      const data = await compare(token, device, base, { ...base, ...read.body }, run.signal);
      if (!run.signal.aborted) setAsked({ of: base, changes, data });
    } catch (error) {
      if (!run.signal.aborted) setProblem(problemOf(error));
    } finally {
      if (stop.current === run) setBusy(false);
    }
  };
  if (!isOpen) {
    return (
      <div className="actions start">
        <button ref={opener} type="button" data-testid="what-if-open" onClick={() => setOpen(true)}>
          {t('lowcarbon.whatIfOpen')}
        </button>
      </div>
    );
  }
  const change = (field: Field, text: string) => {
    setChanges((before) => ({ ...before, [field]: text }));
    setWrong((before) => ({ ...before, [field]: undefined }));
    setProblem((before) => (before === t('lowcarbon.nothingChanged') ? '' : before));
  };
  const inForm = (field: Field) => draft[field] || own[field];
  const planned = (field: Field) => (field === 'Objective' ? objectiveWords(inForm(field)) : inForm(field));
  const text = (field: Field) => changes[field] || inForm(field);
  const isOld = asked !== null && (asked.of !== base || CHANGED.some((field) => (asked.changes[field] ?? '') !== (changes[field] ?? '')));
  const old = isOld ? t('lowcarbon.formHasChanged') : problem && t('charts.notUpToDate', { problem });
  return (
    <section ref={section} tabIndex={-1} className="what-if" aria-label={t('lowcarbon.whatIf')} data-testid="what-if">
      <header>
        <h3>{t('lowcarbon.whatIf')}</h3>
        <small>{t('lowcarbon.whatIfAbout')}</small>
        <button type="button" className="plain" data-testid="what-if-close" onClick={() => setOpen(false)}>
          {t('lowcarbon.close')}
        </button>
      </header>
      <div className="what-if-sides">
        <form noValidate onSubmit={(event) => void send(event)}>
          <div className="sideways">
            <table>
              <thead>
                <tr>
                  <th>{t('lowcarbon.parameter')}</th>
                  <th className="number">{t('lowcarbon.asPlanned')}</th>
                  <th>{t('lowcarbon.changed')}</th>
                </tr>
              </thead>
              <tbody>
                {CHANGED.map((field) => (
                  <tr key={field} data-changed={Boolean(changes[field])}>
                    <th scope="row" data-tip={field}>
                      {NAMES[field]} <small>{UNITS[field] ?? ''}</small>
                    </th>
                    <td className="number">{planned(field) || '–'}</td>
                    <td>
                      <ParameterField name={field} text={changes[field] ?? ''} own={inForm(field)} fault={wrong[field]} form="changed" isBare onChange={change} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <ul className="hint">
            {WINDOWS.map(([start, end], index) => (
              <li key={start}>
                {index === 0 ? t('lowcarbon.charging') : t('lowcarbon.discharging')}: {windowWords(Number(text(start)), Number(text(end)))}
              </li>
            ))}
          </ul>
          {!base && <p className="hint">{t('lowcarbon.formFirst')}</p>}
          <p className="problem" role="alert" data-testid="what-if-problem">
            {problem}
          </p>
          <div className="actions start">
            <button type="submit" className="primary" data-testid="what-if-compare" ref={comparing} disabled={!base} aria-disabled={busy}>
              {busy && <span className="spinner" aria-hidden="true" />} {t('lowcarbon.compare')}
            </button>
            <button
              type="button"
              className="plain"
              data-testid="what-if-again"
              aria-disabled={busy}
              onClick={() => {
                if (busy) return;
                setChanges({});
                setWrong({});
                setProblem('');
              }}
            >
              {t('lowcarbon.asPlannedAgain')}
            </button>
            {/* The last button, so that no other button moves into its place when it disappears and receives a second click. */}
            {busy && (
              <button
                type="button"
                data-testid="what-if-cancel"
                onClick={() => {
                  stop.current?.abort();
                  setBusy(false);
                  comparing.current?.focus();
                }}
              >
                {t('lowcarbon.cancel')}
              </button>
            )}
          </div>
        </form>
        {asked ? <Differences name={name} zone={zone} data={asked.data} old={old} /> : <p className="hint">{t('lowcarbon.differencesHere')}</p>}
      </div>
    </section>
  );
}

interface DifferencesProps {
  readonly name: string;
  readonly zone: string;
  readonly data: Compared;
  /** Why the results do not belong to the form; empty if they do. */
  readonly old: string;
}

const less = (one: number | null, other: number | null) => (one === null || other === null ? null : one - other);

function Differences({ name, zone, data, old }: DifferencesProps) {
  const { base, changed } = data;
  const grid = useMemo(() => bars(comparedGrid(data)), [data]);
  const storage = useMemo(() => bars(comparedStorage(data)), [data]);
  const atEnd = ({ storageKwh }: Compared['base']) => storageKwh.at(-1) ?? null;
  const rows = [
    ['cost', t('lowcarbon.costOfTheDay'), base.currency, base.cost, changed.cost, data.costDifference],
    ['saving', t('lowcarbon.saving'), base.currency, base.saving, changed.saving, less(changed.saving, base.saving)],
    ['import', t('lowcarbon.gridImport'), 'kWh', base.stats.grid_import, changed.stats.grid_import, data.importDifferenceKwh],
    ['export', t('lowcarbon.gridExport'), 'kWh', base.stats.grid_export, changed.stats.grid_export, less(changed.stats.grid_export, base.stats.grid_export)],
    ['solar', t('lowcarbon.solarGeneration'), 'kWh', base.stats.solar, changed.stats.solar, less(changed.stats.solar, base.stats.solar)],
    ['stored', t('lowcarbon.batteryAtTheEnd'), 'kWh', atEnd(base), atEnd(changed), data.storedDifferenceKwh],
  ] as const;
  return (
    <div data-stale={old !== ''}>
      {old && (
        <p className="stale-line" role="status" data-testid="differences-old">
          {old}
        </p>
      )}
      <table data-testid="differences">
        <thead>
          <tr>
            <th aria-label={t('lowcarbon.figure')} />
            <th className="number">{t('lowcarbon.asPlanned')}</th>
            <th className="number">{t('lowcarbon.changed')}</th>
            <th className="number">{t('lowcarbon.difference')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([key, words, unit, one, other, difference]) => (
            <tr key={key} data-testid={`difference-${key}`}>
              <th scope="row">
                {words} <small>{unit}</small>
              </th>
              <td className="number">{number(one, 2)}</td>
              <td className="number">{number(other, 2)}</td>
              <td className="number">
                {difference !== null && difference > 0 ? '+' : ''}
                {number(difference, 2)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {changed.warnings.length > 0 && (
        <ul className="warnings">
          {changed.warnings.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      )}
      <Plot title={t('lowcarbon.gridPower')} detail={t('lowcarbon.gridAboveIsIn')} subject={name} figure={grid} zone={zone} span={base.day} height={220} />
      <Plot title={t('lowcarbon.stateOfCharge')} subject={name} figure={storage} zone={zone} span={base.day} height={200} />
    </div>
  );
}
