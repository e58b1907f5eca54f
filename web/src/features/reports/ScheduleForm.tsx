// The form of a schedule: places and report, time and period, format and recipients. A sentence summarises the schedule.
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { toast } from '../../ui/toast';
import { useAsk } from '../../ui/useAsk';
import { getReportDetails, getReports, type Format } from '../../wire/reports';
import { addSchedule, changeSchedule, EVERY, type Every, type Period, type Schedule } from '../../wire/reports-kept';
import { problemOf, type Login } from '../../wire/rest';
import { InputFields } from './Fields';
import { MailTo } from './MailTo';
import { Places } from './Places';
import { PLEASE_SCHEDULE } from './please';
import { assetOf, levelName, settled, takesMany, withInput, withLevel, type Selection } from './rules';
import { NAME_MAX } from './saved';
import { fitted, formatsOf, hasDayOfMonth, inputsOnSchedule, LAST_DAY, missingInSchedule, MONTHLY_REPORT, periodsOf, scheduleBody, timeTyped, WEEKDAYS, whenText, withEvery, withTyped, type ScheduleForm as Form } from './schedule';
import { ReportAndType } from './WhichReport';
import { t } from '../../words';

interface Props {
  readonly login: Login;
  /** The schedule that is edited; null for a new one. */
  readonly schedule: Schedule | null;
  readonly first: Form;
  /** A message about parts of the schedule that no longer exist; empty if there are none. */
  readonly gone?: string;
  readonly onClose: (saved: boolean) => void;
}

const EVERY_NAMES: Readonly<Record<Every, string>> = { day: t('reportskept.day'), week: t('reportskept.week'), month: t('reportskept.month'), quarter: t('reportskept.quarter'), financialYear: t('reportskept.financialYear') };
const PERIOD_NAMES: Readonly<Record<Period, string>> = {
  day: t('reportskept.lastDay'),
  week: t('reportskept.lastWeek'),
  month: t('reportskept.lastMonth'),
  quarter: t('reportskept.lastQuarter'),
  financialYear: t('reportskept.lastFinancialYear'),
};
const DAYS = Array.from({ length: LAST_DAY }, (_, index) => index + 1);

export function ScheduleForm({ login, schedule, first, gone = '', onClose }: Props) {
  const { token, clientId, showGDSData } = login;
  const id = useId();
  const [entered, setEntered] = useState(first);
  const [address, setAddress] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const { selection } = entered;
  const { level } = selection;
  const asset = assetOf(selection);
  const reports = useAsk(level && `reports-${clientId}-${level}-${asset ?? ''}`, async (asking) => ({ result: await getReports(token, levelName(level ?? 'client'), clientId, asset, asking) }));
  const listed = reports.data && [...reports.data, MONTHLY_REPORT];
  const row = listed?.find(({ ReportId }) => ReportId === selection.report) ?? null;
  const asked = useAsk(row && `report-${row.ReportId}`, async (asking) => ({ result: row === MONTHLY_REPORT ? MONTHLY_REPORT : await getReportDetails(token, row?.ReportId ?? 0, asking) }));
  const details = row ? asked.data : null;
  const form = fitted(entered, details);
  // A typed address counts even without Enter, so that no visible recipient is left out.
  const whole = { ...form, mailTo: withTyped(form.mailTo, address) };
  const { type } = settled({ selection, details });
  const missing = missingInSchedule(whole, details, showGDSData);
  const body = scheduleBody(whole, details, showGDSData);
  const put = (part: Partial<Form>) => setEntered((before) => ({ ...before, ...part }));
  const choose = (to: (before: Selection) => Selection) =>
    setEntered((before) => {
      const after = { ...before, selection: to(before.selection) };
      // The monthly performance report is scheduled monthly by default.
      return after.selection.report === MONTHLY_REPORT.ReportId && before.selection.report !== MONTHLY_REPORT.ReportId ? withEvery(after, 'month') : after;
    });
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!body || busy) return;
    setBusy(true);
    setProblem('');
    try {
      if (schedule) await changeSchedule(token, schedule.id, body);
      else await addSchedule(token, body);
      toast(t('reportskept.savedAs', { name: body.name }));
      onClose(true);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  const failed = [reports, asked].find((one) => one.problem);
  return (
    <form className="report-form schedule-form" aria-label={schedule ? t('reportskept.editOf', { name: schedule.name }) : t('reportskept.newSchedule')} onSubmit={(event) => void save(event)} noValidate>
      <h2>{schedule ? t('reportskept.editOf', { name: schedule.name }) : t('reportskept.newSchedule')}</h2>
      {gone && (
        <p className="stale-line" role="alert" data-testid="schedule-gone">
          {gone}
        </p>
      )}
      <fieldset>
        <legend>{t('reportskept.name')}</legend>
        <label className="field">
          <span>{t('reportskept.nameOfSchedule')}</span>
          <input data-testid="schedule-name" autoFocus maxLength={NAME_MAX} value={form.name} onChange={(event) => put({ name: event.target.value })} />
        </label>
      </fieldset>
      <fieldset>
        <legend>{t('reports.where')}</legend>
        <Places login={login} level={level} nodes={selection.nodes} isMany={takesMany(level, row)} onLevel={(to) => choose((before) => withLevel(before, to))} onNodes={(nodes) => choose((before) => ({ ...before, nodes }))} />
      </fieldset>
      <fieldset>
        <legend>{t('reports.what')}</legend>
        <ReportAndType form={{ selection, details, showsGds: showGDSData }} type={type} reports={listed} onChange={choose} />
        {details && <InputFields inputs={inputsOnSchedule(details, type, showGDSData)} entered={selection.inputs} onChange={(name, value) => choose((before) => withInput(before, name, value))} />}
        {failed && (
          <p className="problem" role="alert">
            {failed.problem}{' '}
            <button type="button" className="plain" onClick={failed.retry}>
              {t('ui.tryAgain')}
            </button>
          </p>
        )}
      </fieldset>
      <fieldset>
        <legend>{t('reportskept.when')}</legend>
        <Choice name={t('reportskept.every')} testId="schedule-every" value={form.every} onChange={(value) => setEntered((before) => withEvery(before, value as Every))}>
          {EVERY.map((one) => (
            <option key={one} value={one}>
              {EVERY_NAMES[one]}
            </option>
          ))}
        </Choice>
        {form.every === 'week' && (
          <Choice name={t('reportskept.weekday')} testId="schedule-weekday" value={form.weekday} onChange={(value) => put({ weekday: Number(value) })}>
            {WEEKDAYS.map((name, index) => (
              <option key={name} value={index + 1}>
                {name}
              </option>
            ))}
          </Choice>
        )}
        {hasDayOfMonth(form.every) && (
          <Choice name={t('reportskept.dayOfMonth')} testId="schedule-day" value={form.dayOfMonth} onChange={(value) => put({ dayOfMonth: Number(value) })}>
            {DAYS.map((day) => (
              <option key={day} value={day}>
                {day}
              </option>
            ))}
          </Choice>
        )}
        <label className="field" data-narrow="true">
          <span>{t('reportskept.timeIn', { zone: login.timeZone })}</span>
          {/* A text field, because some browsers show AM and PM in time fields, and control rooms use 24 hours. */}
          <input inputMode="numeric" data-testid="schedule-time" placeholder={t('reportskept.timeShape')} maxLength={5} autoComplete="off" value={form.time} aria-invalid={missing === 'time'} onChange={(event) => put({ time: event.target.value })} onBlur={() => put({ time: timeTyped(entered.time) })} />
        </label>
        {type !== 'RealTime' && (
          <Choice name={t('reportskept.about')} testId="schedule-period" value={form.period} onChange={(value) => put({ period: value as Period })}>
            {(details ? periodsOf(details) : [form.period]).map((one) => (
              <option key={one} value={one}>
                {PERIOD_NAMES[one]}
              </option>
            ))}
          </Choice>
        )}
      </fieldset>
      <fieldset>
        <legend>{t('reportskept.file')}</legend>
        <Choice name={t('reports.format')} testId="schedule-format" value={form.format} onChange={(value) => put({ format: value as Format })}>
          {formatsOf(details).map((one) => (
            <option key={one} value={one}>
              {one.toUpperCase()}
            </option>
          ))}
        </Choice>
        <label className="field" data-narrow="true">
          <span>{t('reportskept.keepDays')}</span>
          <input inputMode="numeric" data-testid="schedule-keep" maxLength={3} value={form.keepDays} aria-invalid={missing === 'keepDays'} onChange={(event) => put({ keepDays: event.target.value })} />
        </label>
        <MailTo login={login} addresses={form.mailTo} onChange={(mailTo) => put({ mailTo })} typed={address} onTyped={setAddress} />
        <label className="check">
          <input type="checkbox" role="switch" data-testid="schedule-enabled" checked={form.enabled} onChange={(event) => put({ enabled: event.target.checked })} /> {t('reportskept.switchedOn')}
        </label>
      </fieldset>
      <div className="report-actions">
        <button type="submit" className="primary" data-testid="schedule-save" disabled={body === null} aria-disabled={busy} aria-describedby={`${id}-missing`}>
          {t('reportskept.save')}
        </button>
        <button type="button" data-testid="schedule-cancel" onClick={() => onClose(false)}>
          {t('reports.cancel')}
        </button>
        <span className="hint" id={`${id}-missing`} role="status" data-testid="schedule-missing">
          {missing ? PLEASE_SCHEDULE[missing] : `${whenText(form, type === 'RealTime')}.`}
        </span>
      </div>
      {problem && (
        <p className="stale-line" role="alert" data-testid="schedule-problem">
          {problem}
        </p>
      )}
    </form>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly testId: string;
  readonly value: string | number;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}

function Choice({ name, testId, value, onChange, children }: ChoiceProps) {
  return (
    <label className="field" data-narrow="true">
      <span>{name}</span>
      <select data-testid={testId} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </label>
  );
}
