// The export of reports: where, which, of what time, and then as a table or as a file (specification 3, sections 2.5, 4 and 5).
import { useEffect, useId, useMemo, useRef, useState, type RefObject } from 'react';
import { useAsk } from '../../ui/useAsk';
import { FORMATS, getFrequencies, getReportDetails, getReports, type Format } from '../../wire/reports';
import type { Login } from '../../wire/rest';
import { dayOf } from './period';
import { Places } from './Places';
import { bodyOf, levelName, missingIn, NODES_MAX, NOTHING, settled, takesMany, withLevel, type Missing, type Selection } from './rules';
import { RowsTable } from './RowsTable';
import { useReport, type Loading } from './useReport';
import { WhichReport } from './WhichReport';
import { t } from '../../words';
import './reports.css';

const PLEASE: Readonly<Record<Missing, string>> = {
  level: t('reports.pleaseLevel'),
  node: t('reports.pleaseNode'),
  oneNode: t('reports.pleaseOneNode'),
  fewerNodes: t('reports.pleaseFewerNodes', { most: NODES_MAX }),
  report: t('reports.pleaseReport'),
  type: t('reports.pleaseType'),
  frequency: t('reports.pleaseFrequency'),
  day: t('reports.pleaseDay'),
  month: t('reports.pleaseMonth'),
  year: t('reports.pleaseYear'),
  quarter: t('reports.pleaseQuarter'),
  week: t('reports.pleaseWeek'),
  financialYear: t('reports.pleaseFinancialYear'),
  from: t('reports.pleaseFrom'),
  to: t('reports.pleaseTo'),
  date: t('reports.pleaseDate'),
  wrong: t('reports.pleaseCorrect'),
};

interface Props {
  readonly login: Login;
  /** The present by the server's clock, epoch ms. */
  readonly now: () => number;
}

export function ReportExport({ login, now }: Props) {
  const { token, clientId, timeZone, showGDSData } = login;
  const id = useId();
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [format, setFormat] = useState<Format>('pdf');
  const { level } = selection;
  const reports = useAsk(level && `reports-${clientId}-${level}`, async () => ({ result: await getReports(token, levelName(level ?? 'client'), clientId) }));
  const frequencies = useAsk('report-frequencies', async () => ({ result: await getFrequencies(token) }));
  // The list of another level may not have the report of before.
  const row = reports.data?.find(({ ReportId }) => ReportId === selection.report) ?? null;
  const asked = useAsk(row && `report-${row.ReportId}`, async () => ({ result: await getReportDetails(token, row?.ReportId ?? 0) }));
  const form = { selection, details: row ? asked.data : null, showsGds: showGDSData };
  const today = useMemo(() => dayOf(now(), timeZone), [now, timeZone]);
  const work = useReport(token, timeZone);
  // What is under way is not disabled, and what was given up has its button again: the focus stays where people work.
  const showing = useRef<HTMLButtonElement>(null);
  const taking = useRef<HTMLButtonElement>(null);
  const backTo = (button: RefObject<HTMLButtonElement | null>, cancel: () => void) => () => {
    cancel();
    button.current?.focus();
  };
  const missing = missingIn(form);
  const body = bodyOf(form);
  const isDisabled = body === null;
  const change = (to: (before: Selection) => Selection) => {
    work.clear();
    setSelection(to);
  };
  const name = row?.ReportName ?? '';
  const lists = [reports, frequencies, asked].find(({ problem }) => problem);
  return (
    <div className="reports">
      <form
        className="report-form"
        aria-label={t('reports.whichReport')}
        onSubmit={(event) => {
          event.preventDefault();
          if (body && !work.isAsking) void work.show(body);
        }}
      >
        <fieldset>
          <legend>{t('reports.where')}</legend>
          <Places login={login} level={level} nodes={selection.nodes} isMany={takesMany(level, row)} onLevel={(to) => change((before) => withLevel(before, to))} onNodes={(nodes) => change((before) => ({ ...before, nodes }))} />
        </fieldset>
        <fieldset>
          <legend>{t('reports.what')}</legend>
          <WhichReport form={form} {...settled(form)} reports={reports.data} frequencies={frequencies.data ?? []} today={today} onChange={change} />
          {lists && (
            <p className="problem" role="alert">
              {lists.problem}{' '}
              <button type="button" className="plain" onClick={lists.retry}>
                {t('ui.tryAgain')}
              </button>
            </p>
          )}
        </fieldset>
        <div className="report-actions">
          <button type="submit" className="primary" data-testid="show-data" ref={showing} disabled={isDisabled} aria-disabled={work.isAsking} aria-describedby={`${id}-missing`}>
            {t('reports.showData')}
          </button>
          <span className="with-format">
            <select aria-label={t('reports.format')} data-testid="download-format" value={format} onChange={(event) => setFormat(event.target.value as Format)}>
              {FORMATS.map((one) => (
                <option key={one} value={one}>
                  {one.toUpperCase()}
                </option>
              ))}
            </select>
            <button
              type="button"
              data-testid="download"
              ref={taking}
              disabled={isDisabled}
              aria-disabled={work.loading !== null}
              aria-describedby={`${id}-missing`}
              onClick={() => body && !work.loading && void work.download(body, format, name)}
            >
              {t('reports.download')}
            </button>
          </span>
          {work.loading && <Progress loading={work.loading} onCancel={backTo(taking, work.cancelDownload)} />}
          <span className="hint" id={`${id}-missing`} role="status" data-testid="report-missing">
            {missing ? PLEASE[missing] : work.said}
          </span>
        </div>
      </form>
      {work.problem && (
        <p className="stale-line" role="alert" data-testid="report-problem">
          {work.problem}
        </p>
      )}
      {work.isAsking ? (
        <div className="notice" role="status" data-testid="report-asking">
          <p>
            {t('tables.loading')} <Since />
          </p>
          <button type="button" data-testid="show-cancel" onClick={backTo(showing, work.cancelShow)}>
            {t('reports.cancel')}
          </button>
        </div>
      ) : work.shown && work.shown.rows.length > 0 ? (
        <RowsTable title={name} shown={work.shown} definitions={asked.data?.columns ?? []} zone={timeZone} now={now} />
      ) : (
        <div className="notice" data-testid="report-nothing">
          {work.shown ? t('reports.noDataWhatToDo') : work.problem ? '' : missing ? t('app.pleaseSelectAppropriateOptionTo') : t('reports.rowsComeHere')}
        </div>
      )}
    </div>
  );
}

/** How long something takes already, mm:ss. */
function Since() {
  const [began] = useState(() => performance.now());
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - began) / 1_000)), 500);
    return () => clearInterval(timer);
  }, [began]);
  const two = (value: number) => String(value).padStart(2, '0');
  return (
    <span aria-live="off" className="since">
      {two(Math.floor(seconds / 60))}:{two(seconds % 60)}
    </span>
  );
}

/** 1 MB is what file managers call it: a million bytes. */
function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(0)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function Progress({ loading, onCancel }: { loading: Loading; onCancel: () => void }) {
  return (
    <span className="progress" data-testid="download-progress">
      <progress aria-label={t('reports.downloading', { format: loading.format.toUpperCase() })} />
      <span aria-live="off">
        {loading.format.toUpperCase()} · {loading.bytes === 0 ? t('reports.isBeingMade') : sizeOf(loading.bytes)} · <Since />
      </span>
      <button type="button" data-testid="download-cancel" onClick={onCancel}>
        {t('reports.cancel')}
      </button>
    </span>
  );
}
