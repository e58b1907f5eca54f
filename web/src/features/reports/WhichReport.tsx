// The selection of report, type and frequency, with their further fields.
import type { Frequency, ReportRow } from '../../wire/reports';
import { InputFields, PeriodFields } from './Fields';
import type { Day } from './period';
import { frequenciesOf, groupsOf, inputsOf, typesOf, withFrequency, withInput, withPart, withReport, type Form, type ReportType, type Selection } from './rules';
import { t } from '../../words';

const TYPES: Readonly<Record<ReportType, string>> = { Historic: t('reports.historic'), RealTime: t('reports.realtime') };

interface Props {
  readonly form: Form;
  readonly type: ReportType | null;
  readonly frequency: number | null;
  /** The reports of the level; null while they are loading. */
  readonly reports: readonly ReportRow[] | null;
  readonly frequencies: readonly Frequency[];
  readonly today: Day;
  readonly onChange: (to: (before: Selection) => Selection) => void;
}

export function WhichReport({ form, type, frequency, reports, frequencies, today, onChange }: Props) {
  const { selection, details, showsGds } = form;
  const offered = details ? frequenciesOf(details) : [];
  const known = frequencies.filter(({ ReportFrequencyListId }) => offered.includes(ReportFrequencyListId));
  const inputs = details ? inputsOf(details, type, frequency, showsGds) : [];
  return (
    <>
      <ReportAndType form={form} type={type} reports={reports} onChange={onChange} />
      {type !== 'RealTime' && (
        <label className="field" data-narrow="true">
          <span>{t('reports.frequency')}</span>
          <select data-testid="report-frequency" disabled={type === null} value={frequency ?? ''} onChange={(event) => onChange((before) => withFrequency(before, event.target.value === '' ? null : Number(event.target.value), today))}>
            <option value="">{t('reports.select')}</option>
            {known.map(({ ReportFrequencyListId, DisplayText }) => (
              <option key={ReportFrequencyListId} value={ReportFrequencyListId}>
                {DisplayText}
              </option>
            ))}
          </select>
        </label>
      )}
      {frequency !== null && <PeriodFields frequency={frequency} parts={selection.parts} today={today} onChange={(part, value) => onChange((before) => withPart(before, part, value))} />}
      <InputFields inputs={inputs} entered={selection.inputs} onChange={(name, value) => onChange((before) => withInput(before, name, value))} />
    </>
  );
}

/** The report of a level, and its type if it has both. */
export function ReportAndType({ form, type, reports, onChange }: Pick<Props, 'form' | 'type' | 'reports' | 'onChange'>) {
  const { selection, details } = form;
  const types = details ? typesOf(details) : [];
  return (
    <>
      <label className="field">
        <span>{t('reports.report')}</span>
        <select data-testid="report-report" disabled={!reports} value={reports?.some(({ ReportId }) => ReportId === selection.report) ? (selection.report ?? '') : ''} onChange={(event) => onChange((before) => withReport(before, event.target.value === '' ? null : Number(event.target.value)))}>
          <option value="">{selection.level && !reports ? t('ui.loading') : t('reports.select')}</option>
          {groupsOf(reports ?? []).map(([purpose, of]) => {
            const options = of.map(({ ReportId, ReportName }) => (
              <option key={ReportId} value={ReportId}>
                {ReportName}
              </option>
            ));
            return purpose ? (
              <optgroup key={purpose} label={purpose}>
                {options}
              </optgroup>
            ) : (
              options
            );
          })}
        </select>
      </label>
      <label className="field" data-narrow="true">
        <span>{t('reports.type')}</span>
        <select data-testid="report-type" disabled={types.length < 2} value={type ?? ''} onChange={(event) => onChange((before) => ({ ...before, type: (event.target.value || null) as ReportType | null }))}>
          {types.length !== 1 && <option value="">{t('reports.select')}</option>}
          {types.map((one) => (
            <option key={one} value={one}>
              {TYPES[one]}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
