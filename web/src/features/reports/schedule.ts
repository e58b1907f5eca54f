// The rules of a schedule's form: choices, missing parts, the request, and a sentence about its time. Pure.
import type { Format, ReportDetails } from '../../wire/reports';
import { FORMATS } from '../../wire/reports';
import type { Every, Period, Schedule, ScheduleBody } from '../../wire/reports-kept';
import { DAILY, FINANCIAL_YEAR, MONTHLY, QUARTERLY, RANGE, SINGLE_DATE, WEEKLY } from './period';
import { inputFault, inputsOf, inputValues, levelName, NODES_MAX, NOTHING, settled, takesMany, type ReportType, type Selection } from './rules';
import { NAME_MAX, placesOnly } from './saved';
import { t } from '../../words';

/** Key of the monthly performance report, which is not in the server's list. Its id 0 is used by no other report. */
export const MONTHLY_KEY = 'MONTHLY_PERFORMANCE';
export const MONTHLY_REPORT: ReportDetails = {
  ReportId: 0,
  ReportName: t('reportskept.monthlyReport'),
  ReportKey: MONTHLY_KEY,
  Historic: true,
  RealTime: false,
  ReportFrequencyListIds: String(MONTHLY),
  purpose: '',
  Multiple: true,
  inputs: [],
  columns: [],
};

/** Largest number of places of the monthly report. Other reports allow more. */
export const MONTHLY_NODES_MAX = 10;
export const MAIL_MAX = 20;
export const KEEP_MAX = 365;
const KEEP_DAYS = 90;
/** The last day that exists in every month. */
export const LAST_DAY = 28;

export interface ScheduleForm {
  readonly name: string;
  /** Places, report, type and inputs. The time comes from `period`. */
  readonly selection: Selection;
  readonly period: Period;
  readonly format: Format;
  readonly every: Every;
  readonly weekday: number;
  readonly dayOfMonth: number;
  readonly time: string;
  readonly mailTo: readonly string[];
  readonly keepDays: string;
  readonly enabled: boolean;
}

export const NEW_SCHEDULE: ScheduleForm = { name: '', selection: NOTHING, period: 'day', format: 'pdf', every: 'day', weekday: 1, dayOfMonth: 1, time: '06:00', mailTo: [], keepDays: String(KEEP_DAYS), enabled: true };

/** The form of an existing schedule. `selection` is null if the report no longer exists; the places are kept. */
export function formOf(schedule: Schedule, selection: Selection | null): ScheduleForm {
  const { name, period, format, every, weekday, dayOfMonth, time, mailTo, keepDays, enabled } = schedule;
  return { name, selection: selection ?? placesOnly(schedule.question), period, format, every, weekday: weekday ?? 1, dayOfMonth: dayOfMonth ?? 1, time: time.slice(0, 5), mailTo, keepDays: String(keepDays), enabled };
}

/** The frequencies of a report that can express each period. */
const SAID_BY: Readonly<Record<Period, readonly number[]>> = {
  day: [DAILY, SINGLE_DATE, RANGE],
  week: [WEEKLY, RANGE],
  month: [MONTHLY, RANGE],
  quarter: [QUARTERLY, RANGE],
  financialYear: [FINANCIAL_YEAR, RANGE],
};

/** The periods that a report supports. */
export function periodsOf(details: Pick<ReportDetails, 'ReportFrequencyListIds'>): readonly Period[] {
  const ids = details.ReportFrequencyListIds.split(',').map(Number);
  return (Object.keys(SAID_BY) as Period[]).filter((period) => SAID_BY[period].some((id) => ids.includes(id)));
}

export function formatsOf(details: Pick<ReportDetails, 'ReportKey'> | null): readonly Format[] {
  return details?.ReportKey === MONTHLY_KEY ? ['pdf'] : FORMATS;
}

/** Whether a rhythm has a day of the month. */
export const hasDayOfMonth = (every: Every) => every !== 'day' && every !== 'week';

/** Changes the rhythm and the period that belongs to it. */
export const withEvery = (before: ScheduleForm, every: Every): ScheduleForm => ({ ...before, every, period: every });

/** Replaces choices that the report does not support: the period by the shortest, the format by the first. */
export function fitted(form: ScheduleForm, details: ReportDetails | null): ScheduleForm {
  if (!details) return form;
  const periods = periodsOf(details);
  const period = periods.includes(form.period) ? form.period : (periods[0] ?? form.period);
  const formats = formatsOf(details);
  const format = formats.includes(form.format) ? form.format : (formats[0] ?? form.format);
  return period === form.period && format === form.format ? form : { ...form, period, format };
}

/** The inputs of a scheduled report, which are those of a date range. */
export function inputsOnSchedule(details: ReportDetails, type: ReportType | null, showsGds: boolean) {
  return inputsOf(details, type, RANGE, showsGds);
}

/** Converts a typed time of day: `6:00` and `0600` become `06:00`. Other texts are unchanged. */
export function timeTyped(text: string): string {
  const [, hour, minute] = /^(\d{1,2})[:.\s]?(\d{2})$/.exec(text.trim()) ?? [];
  return hour === undefined ? text.trim() : `${hour.padStart(2, '0')}:${minute}`;
}

export const isTime = (text: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text);

/** Whether a text has the form of an e-mail address. The server checks whether it belongs to the utility. */
export const isAddress = (text: string) => /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+$/.test(text) && text.length <= 254;

/** The addresses including the typed one that Enter has not added yet. */
export function withTyped(addresses: readonly string[], typed: string): readonly string[] {
  const address = typed.trim();
  return address === '' || addresses.some((one) => one.toLowerCase() === address.toLowerCase()) ? addresses : [...addresses, address];
}

export type ScheduleMissing = 'name' | 'level' | 'node' | 'oneNode' | 'fewerNodes' | 'fewerOfMonthly' | 'report' | 'type' | 'time' | 'keepDays' | 'mailTo' | 'wrong';

/** The first missing part; null if the schedule can be saved. */
export function missingInSchedule(form: ScheduleForm, details: ReportDetails | null, showsGds: boolean): ScheduleMissing | null {
  const { selection, name, time, keepDays, mailTo } = form;
  if (name.trim() === '' || name.trim().length > NAME_MAX) return 'name';
  if (selection.level === null) return 'level';
  if (selection.nodes.length === 0) return 'node';
  if (!details) return 'report';
  if (selection.nodes.length > 1 && !takesMany(selection.level, details)) return 'oneNode';
  if (selection.nodes.length > NODES_MAX) return 'fewerNodes';
  if (details.ReportKey === MONTHLY_KEY && selection.nodes.length > MONTHLY_NODES_MAX) return 'fewerOfMonthly';
  const { type } = settled({ selection, details });
  if (type === null) return 'type';
  if (inputsOnSchedule(details, type, showsGds).some((input) => inputFault(input, selection.inputs))) return 'wrong';
  if (!isTime(timeTyped(time))) return 'time';
  if (!/^[1-9]\d{0,2}$/.test(keepDays) || Number(keepDays) > KEEP_MAX) return 'keepDays';
  return mailTo.length > MAIL_MAX || !mailTo.every(isAddress) ? 'mailTo' : null;
}

/** The request; null while a part is missing. */
export function scheduleBody(form: ScheduleForm, details: ReportDetails | null, showsGds: boolean): ScheduleBody | null {
  const { selection, every } = form;
  if (!details || selection.level === null || missingInSchedule(form, details, showsGds) !== null) return null;
  const { type } = settled({ selection, details });
  return {
    name: form.name.trim(),
    question: {
      report: details.ReportKey,
      level: levelName(selection.level),
      levelId: selection.nodes,
      reportType: (type ?? 'Historic').toLowerCase(),
      ...inputValues(inputsOnSchedule(details, type, showsGds), selection.inputs),
    },
    period: form.period,
    format: form.format,
    every,
    weekday: every === 'week' ? form.weekday : null,
    dayOfMonth: hasDayOfMonth(every) ? form.dayOfMonth : null,
    time: timeTyped(form.time),
    mailTo: [...form.mailTo],
    keepDays: Number(form.keepDays),
    enabled: form.enabled,
  };
}

/** Names of the days of the week, Monday first. */
export const WEEKDAYS = Array.from({ length: 7 }, (_, index) => new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + index)));

const OF: Readonly<Record<Period, string>> = {
  day: t('reportskept.ofTheDay'),
  week: t('reportskept.ofTheWeek'),
  month: t('reportskept.ofTheMonth'),
  quarter: t('reportskept.ofTheQuarter'),
  financialYear: t('reportskept.ofTheFinancialYear'),
};

/** When the schedule runs and its period, such as "Every Monday at 06:00, of the week before". */
export function whenText({ every, weekday, dayOfMonth, time, period }: Pick<Schedule, 'every' | 'weekday' | 'dayOfMonth' | 'time' | 'period'>, isRealtime: boolean): string {
  const at = { time: timeTyped(time), of: isRealtime ? t('reportskept.asItStands') : OF[period] };
  if (every === 'week') return t('reportskept.everyWeek', { ...at, weekday: WEEKDAYS[(weekday ?? 1) - 1] ?? '' });
  const day = dayOfMonth ?? 1;
  if (every === 'month') return t('reportskept.everyMonth', { ...at, day });
  if (every === 'quarter') return t('reportskept.everyQuarter', { ...at, day });
  return every === 'financialYear' ? t('reportskept.everyFinancialYear', { ...at, day }) : t('reportskept.everyDay', at);
}
