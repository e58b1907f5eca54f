// The export of reports: place, report and period, shown as a table or downloaded as a file (specification 3, sections 2.5, 4 and 5).
import { useId, useRef, useState, type RefObject } from 'react';
import { KeptSince } from '../../ui/KeptSince';
import { useAsk } from '../../ui/useAsk';
import { FORMATS, getFrequencies, getReportDetails, getReports, type Format } from '../../wire/reports';
import type { Login } from '../../wire/rest';
import { dayOf } from './period';
import { Places } from './Places';
import { PLEASE } from './please';
import { Progress, Since } from './Progress';
import { assetOf, bodyOf, levelName, missingIn, NOTHING, settled, takesMany, withLevel, type Selection } from './rules';
import { RowsTable } from './RowsTable';
import { SavedSelections } from './SavedSelections';
import { useReport } from './useReport';
import { WhichReport } from './WhichReport';
import { t } from '../../words';

interface Props {
  readonly login: Login;
  /** The server's time, epoch ms. */
  readonly now: () => number;
  readonly readOnly: boolean;
  /** Creates a schedule with the selection. */
  readonly onSchedule: (selection: Selection) => void;
}

export function ReportExport({ login, now, readOnly, onSchedule }: Props) {
  const { token, clientId, timeZone, showGDSData } = login;
  const id = useId();
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [format, setFormat] = useState<Format>('pdf');
  /** Counts how often a saved selection was applied. */
  const [taken, setTaken] = useState(0);
  const { level } = selection;
  const asset = assetOf(selection);
  const reports = useAsk(level && `reports-${clientId}-${level}-${asset ?? ''}`, async (asking) => ({ result: await getReports(token, levelName(level ?? 'client'), clientId, asset, asking) }));
  const frequencies = useAsk('report-frequencies', async (asking) => ({ result: await getFrequencies(token, asking) }));
  // The list of another level may not contain the report that was selected before.
  const row = reports.data?.find(({ ReportId }) => ReportId === selection.report) ?? null;
  const asked = useAsk(row && `report-${row.ReportId}`, async (asking) => ({ result: await getReportDetails(token, row?.ReportId ?? 0, asking) }));
  const form = { selection, details: row ? asked.data : null, showsGds: showGDSData };
  // Computed at each render, because the page can stay open into the next day.
  const today = dayOf(now(), timeZone);
  const work = useReport(token, timeZone);
  // The button of a running request is not disabled, and after cancelling the focus returns to it, so that keyboard users keep their position.
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
    <>
      <form
        id={`${id}-form`}
        className="report-form"
        aria-label={t('reports.whichReport')}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (body && !work.isAsking) void work.show(body);
        }}
      >
        <fieldset>
          <legend>{t('reports.where')}</legend>
          <Places login={login} level={level} nodes={selection.nodes} isMany={takesMany(level, row)} taken={taken} opens onLevel={(to) => change((before) => withLevel(before, to))} onNodes={(nodes) => change((before) => ({ ...before, nodes }))} />
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
      </form>
      <div className="report-actions">
        <button type="submit" form={`${id}-form`} className="primary" data-testid="show-data" ref={showing} disabled={isDisabled} aria-disabled={work.isAsking} aria-describedby={`${id}-missing`}>
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
        <SavedSelections
          login={login}
          readOnly={readOnly}
          body={body}
          format={format}
          please={missing ? PLEASE[missing] : ''}
          onTake={(to, saved) => {
            change(() => to);
            setFormat(saved.format);
            setTaken((before) => before + 1);
          }}
          onSchedule={() => onSchedule(selection)}
        />
      </div>
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
          {work.shown ? work.shown.keptSince == null ? t('reports.noDataWhatToDo') : <KeptSince at={work.shown.keptSince} zone={timeZone} /> : work.problem ? '' : missing ? t('app.pleaseSelectAppropriateOptionTo') : t('reports.rowsComeHere')}
        </div>
      )}
    </>
  );
}
