// Import of asset health data from files: cable register, condition, faults and plant. A file is first checked without importing it, and
// its faults are listed by line and column. Only a file without faults can be imported.
import { useState, type FormEvent } from 'react';
import { csv } from '../../ui/csv';
import { run } from '../../ui/exports';
import { toast } from '../../ui/toast';
import { Failure, problemOf } from '../../wire/rest';
import { faultsIn, getTemplate, HEALTH_IMPORTS, postImport, type HealthImported, type HealthImportKind, type ImportFault } from '../../wire/cable-health';
import { FILE_MOST, refusalOf, SHOWN_MOST } from './healthimport';
import { t } from '../../words';

const KINDS: Readonly<Record<HealthImportKind, string>> = {
  register: t('administration.healthRegister'),
  condition: t('administration.healthCondition'),
  faults: t('administration.healthFaults'),
  plant: t('administration.healthPlant'),
};

/** The result of checking or importing a file. */
interface Outcome {
  readonly answer: HealthImported | null;
  readonly faults: readonly ImportFault[];
  /** Total number of faults. The server returns only the first ones. */
  readonly total: number;
  readonly problem: string;
}

export function HealthImport({ token, zone }: { token: string; zone: string }) {
  const [kind, setKind] = useState<HealthImportKind>('register');
  const [file, setFile] = useState<File | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState<'template' | 'trial' | 'import' | null>(null);
  // Another kind or file needs another check.
  const choose = (nextKind: HealthImportKind, nextFile: File | null) => {
    setKind(nextKind);
    setFile(nextFile);
    setOutcome(null);
    setProblem(nextFile ? refusalOf(nextFile) : '');
  };
  const isTried = outcome?.answer?.dryRun === true && outcome.faults.length === 0 && !outcome.problem;
  const send = async (isDryRun: boolean) => {
    if (!file) return setProblem(t('administration.healthChooseFile'));
    setBusy(isDryRun ? 'trial' : 'import');
    setProblem('');
    try {
      const answer = await postImport(token, kind, file, isDryRun);
      setOutcome({ answer, ...faultsIn(answer), problem: '' });
      if (!isDryRun) toast(t('administration.healthImported'));
    } catch (error) {
      setOutcome({ answer: null, ...faultsIn(error instanceof Failure ? error.result : null), problem: problemOf(error) });
    } finally {
      setBusy(null);
    }
  };
  const template = () => {
    setBusy('template');
    setProblem('');
    run({ name: kind, file: `template-${kind}`, extension: 'csv', make: () => getTemplate(token, kind) }, zone)
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => setBusy(null));
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!problem) void send(true);
  };
  return (
    <section aria-label={t('administration.healthData')}>
      <p>{t('administration.healthAbout')}</p>
      <form className="fields narrow" onSubmit={onSubmit}>
        <label className="field">
          {t('administration.healthKind')}
          <select value={kind} disabled={busy !== null} data-testid="health-kind" onChange={(event) => choose(event.target.value as HealthImportKind, file)}>
            {HEALTH_IMPORTS.map((own) => (
              <option key={own} value={own}>
                {KINDS[own]}
              </option>
            ))}
          </select>
        </label>
        <div>
          <button type="button" disabled={busy !== null} data-testid="health-template" onClick={template}>
            {t('administration.healthTemplate')}
          </button>
        </div>
        <label className="field">
          {t('administration.healthFile')}
          <input
            type="file"
            accept=".csv,text/csv"
            disabled={busy !== null}
            data-testid="health-file"
            // Clearing the value allows the user to choose the same file again after correcting it.
            onClick={(event) => void (event.currentTarget.value = '')}
            onChange={(event) => choose(kind, event.target.files?.[0] ?? null)}
          />
          <small>{t('administration.healthFileMost', { mib: FILE_MOST / 1_048_576 })}</small>
        </label>
        <p className="problem" role="alert">
          {problem || outcome?.problem}
        </p>
        <div className="actions start">
          <button type="submit" disabled={busy !== null || !file || Boolean(problem)} data-testid="health-try">
            {busy === 'trial' && <span className="spinner" aria-hidden="true" />} {t('administration.healthTry')}
          </button>
          <button type="button" className="primary" disabled={busy !== null || !isTried} data-testid="health-import" onClick={() => void send(false)}>
            {busy === 'import' && <span className="spinner" aria-hidden="true" />} {t('administration.healthImport')}
          </button>
        </div>
      </form>
      <div role="status" data-testid="health-outcome">
        {outcome?.answer && (
          <p>
            <b>{outcome.answer.dryRun ? t('administration.healthTried') : t('administration.healthDone')}</b>{' '}
            {t('administration.healthCounts', { count: outcome.answer.rows, added: outcome.answer.added, changed: outcome.answer.changed, same: outcome.answer.same })}
          </p>
        )}
        {outcome && outcome.faults.length > 0 && <p>{t('administration.healthFaultCount', { n: outcome.total })}{outcome.total > outcome.faults.length && ` ${t('administration.healthFirstFaults', { count: outcome.faults.length })}`}</p>}
        {isTried && <p>{t('administration.healthNoFault')}</p>}
      </div>
      {outcome && outcome.faults.length > 0 && <Faults faults={outcome.faults} zone={zone} kind={kind} />}
    </section>
  );
}

function Faults({ faults, zone, kind }: { faults: readonly ImportFault[]; zone: string; kind: HealthImportKind }) {
  const head = [t('administration.healthLine'), t('administration.healthColumn'), t('administration.healthWhat')];
  const save = () =>
    void run(
      {
        name: kind,
        file: `faults-${kind}`,
        extension: 'csv',
        make: () => new Blob([csv(head, faults.map(({ line, column, what }) => [line, column, what]))], { type: 'text/csv' }),
      },
      zone,
    );
  return (
    <>
      <div className="actions start">
        <button type="button" onClick={save}>
          {t('administration.healthSaveFaults')}
        </button>
      </div>
      <div className="scroll">
        <table aria-label={t('administration.healthFindings')} data-testid="health-faults">
          <thead>
            <tr>
              {head.map((name, at) => (
                <th key={name} className={at === 0 ? 'number' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {faults.slice(0, SHOWN_MOST).map(({ line, column, what }, at) => (
              <tr key={at} data-bar="warn">
                <td className="number">{line ?? '–'}</td>
                <td>{column ?? '–'}</td>
                <td>{what}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {faults.length > SHOWN_MOST && <p>{t('administration.healthMoreFaults', { count: faults.length - SHOWN_MOST })}</p>}
    </>
  );
}
