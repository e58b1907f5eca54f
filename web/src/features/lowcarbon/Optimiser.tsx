// The optimiser of one site: the form on the left, the results on the right. It runs when it opens and on Submit.
import { useEffect, useMemo, useRef, useState, type FormEvent } from 'react';
import { FILE_MAX_BYTES, type Field, type SiteConfiguration } from '../../wire/lowcarbon';
import { DemandFileField } from './DemandFile';
import { dayWords } from './figures';
import { draftOf, fieldsIn, fileProblem, isSameRun, readDraft, type Faults } from './form';
import { ParameterFields } from './Parameters';
import { Reported } from './Reported';
import { Results } from './Results';
import { useOptimiser } from './useOptimiser';
import { WhatIf } from './WhatIf';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly configuration: SiteConfiguration;
  readonly pages: readonly string[];
  readonly now: () => number;
}

const DAYS = [
  ['today', t('lowcarbon.today')],
  ['tomorrow', t('lowcarbon.tomorrow')],
] as const;
type DayName = (typeof DAYS)[number][0];

export function Optimiser({ token, configuration, pages, now }: Props) {
  const { site, parameters, timeZone } = configuration;
  const own = useMemo(() => draftOf(parameters), [parameters]);
  const [draft, setDraft] = useState(own);
  const [wrong, setWrong] = useState<Faults>({});
  const [day, setDay] = useState<DayName>('today');
  const [hasFile, setHasFile] = useState(false);
  const [file, setFile] = useState<File | null>(null);
  const [isMissing, setMissing] = useState(false);
  const optimiser = useOptimiser(token, site.deviceId, now);
  const { run, clear, phase, problem, data, of: asked, taken } = optimiser;
  const isBusy = phase !== 'idle';
  const form = useRef<HTMLFormElement>(null);
  const submitting = useRef<HTMLButtonElement>(null);
  const submit = (of: DayName) => {
    const read = readDraft(draft);
    if ('faults' in read) {
      setWrong(read.faults);
      const first = Object.keys(read.faults)[0];
      return form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    }
    setWrong({});
    const sent = hasFile ? file : null;
    setMissing(hasFile && !file);
    if ((hasFile && !file) || (sent && fileProblem(sent, FILE_MAX_BYTES) !== '')) return form.current?.querySelector<HTMLElement>('[type=file]')?.focus();
    void run({ body: { ...read.body, day: of }, file: sent, place: { lat: draft.lat || own.lat, lon: draft.lon || own.lon } });
  };
  const opened = useRef(submit);
  useEffect(() => {
    opened.current('today');
  }, []);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy) submit(day);
  };
  const change = (field: Field, text: string) => {
    setDraft((before) => ({ ...before, [field]: text }));
    setWrong((before) => ({ ...before, [field]: undefined }));
  };
  const faults = useMemo<Faults>(() => {
    const told = problem === '' ? [] : fieldsIn(problem);
    return { ...Object.fromEntries(told.map((field) => [field, t('lowcarbon.seeBelow')])), ...wrong };
  }, [problem, wrong]);
  // The comparison starts with the form. A selected file is part of it after the server has accepted it.
  const base = useMemo(() => {
    const read = readDraft(draft);
    if (!('body' in read)) return null;
    if (!hasFile) return { ...read.body, day };
    return file && taken?.file === file ? { ...read.body, demandFile: taken.answer.handle, day } : null;
  }, [draft, day, hasFile, file, taken]);
  // Results of other inputs than those of the form are marked as old.
  const isOld = useMemo(() => {
    if (!asked) return false;
    const read = readDraft(draft);
    return !('body' in read) || asked.file !== (hasFile ? file : null) || (hasFile && !file) || !isSameRun(asked.body, { ...read.body, day }, parameters);
  }, [asked, draft, day, hasFile, file, parameters]);
  const chosen = (isOn: boolean, next: File | null) => {
    setHasFile(isOn);
    setFile(next);
    setMissing(false);
    clear();
  };
  return (
    <div className="optimiser">
      <form ref={form} className="parameters" aria-label={t('lowcarbon.parameters')} noValidate onSubmit={send}>
        <ParameterFields draft={draft} own={own} faults={faults} onChange={change} />
        <DemandFileField
          isOn={hasFile}
          file={file}
          isMissing={isMissing}
          taken={taken && taken.file === file ? taken.answer : null}
          faults={hasFile ? optimiser.faults : []}
          zone={timeZone}
          now={now()}
          // Ticking the box again creates a new file field, which has no file.
          onSwitch={(isOn) => chosen(isOn, null)}
          onChoose={(next) => chosen(true, next)}
        />
        <p className="problem" role="alert" data-testid="optimiser-problem">
          {problem}
        </p>
        <div className="actions start">
          <button type="submit" className="primary" data-testid="optimiser-submit" ref={submitting} aria-disabled={isBusy}>
            {isBusy && <span className="spinner" aria-hidden="true" />} {t('lowcarbon.submit')}
          </button>
          <button
            type="button"
            className="plain"
            data-testid="optimiser-reset"
            aria-disabled={isBusy}
            onClick={() => {
              if (isBusy) return;
              setDraft(own);
              setWrong({});
              setMissing(false);
              clear();
            }}
          >
            {t('lowcarbon.backToSite')}
          </button>
          {/* The last button, so that no other button moves into its place when it disappears and receives a second click. */}
          {isBusy && (
            <button
              type="button"
              data-testid="optimiser-cancel"
              onClick={() => {
                optimiser.cancel();
                submitting.current?.focus();
              }}
            >
              {t('lowcarbon.cancel')}
            </button>
          )}
        </div>
        <div className="progress" data-testid="optimiser-progress">
          {/* Announced once for each phase. Announcing each percent would be too much. */}
          <span role="status">{phase === 'uploading' ? t('lowcarbon.sendingFile') : phase === 'running' ? t('lowcarbon.working') : ''}</span>
          {phase === 'uploading' && (
            <>
              <progress max={1} value={optimiser.progress} aria-label={t('lowcarbon.sendingFile')} /> {t('lowcarbon.sending', { percent: Math.round(optimiser.progress * 100) })}
            </>
          )}
        </div>
      </form>
      <div className="results" aria-busy={isBusy}>
        <div className="day-choice">
          <div className="choice" role="group" aria-label={t('lowcarbon.dayOfPlan')}>
            {DAYS.map(([key, name]) => (
              <button
                key={key}
                type="button"
                aria-pressed={key === day}
                data-testid={`day-${key}`}
                onClick={() => {
                  setDay(key);
                  submit(key);
                }}
              >
                {name}
              </button>
            ))}
          </div>
          {data && <span data-testid="plan-day" aria-live="polite">{t('lowcarbon.planFor', { day: dayWords(data.day) })}</span>}
          <small>{timeZone}</small>
        </div>
        <Results name={site.name} zone={timeZone} pages={pages} data={data} problem={problem} isOld={isOld} isBusy={isBusy} now={now} onRetry={() => submit(day)} reported={<Reported {...{ token, pages }} device={site.deviceId} name={site.name} zone={timeZone} />} />
        {data && <WhatIf token={token} device={site.deviceId} name={site.name} zone={timeZone} base={base} draft={draft} own={own} />}
      </div>
    </div>
  );
}
