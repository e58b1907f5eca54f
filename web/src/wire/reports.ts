// Requests and checked answers: the list of a utility's reports, their rows, and their files.
import * as v from 'valibot';
import { asked } from './analysis-energy';
import { checked } from './history';
import { fileIn, sent, type ReportFile } from './reports-sent';
import { Failure, keptSinceOf, type Asking } from './rest';
import { t } from '../words';

const Flag = v.nullish(v.boolean(), false);

/** An input of a report besides place and time. */
export interface ReportInput {
  readonly name: string;
  readonly kind: 'switch' | 'choice' | 'number';
  readonly choices: readonly (string | number)[];
  /** Null means that the input can be left empty. */
  readonly default: string | number | boolean | null;
}

/** The inputs that reports can have besides place and time, as fields of the screen (specification 3, sections 5 and 9). */
export const INPUTS: Readonly<Record<string, ReportInput>> = {
  excludeMomentary: { name: 'excludeMomentary', kind: 'switch', choices: [], default: true },
  quantity: { name: 'quantity', kind: 'choice', choices: ['voltage', 'current'], default: null },
  limit: { name: 'limit', kind: 'number', choices: [], default: 5 },
  sampleMinutes: { name: 'sampleMinutes', kind: 'choice', choices: [1, 5, 10, 15, 30, 60], default: 15 },
};

/** A row of the list of reports. The ids of the frequencies are joined to a text such as `1,2,6`. */
const row = {
  ReportId: v.number(),
  ReportName: v.string(),
  ReportKey: v.string(),
  Historic: Flag,
  RealTime: Flag,
  ReportFrequencyListIds: v.pipe(
    v.array(v.number()),
    v.transform((ids) => ids.join(',')),
  ),
  /** The group of reports to which it belongs. */
  purpose: v.nullish(v.string(), ''),
  /** Whether one report can cover several places. */
  Multiple: v.nullish(v.boolean(), true),
};
const ReportRow = v.object(row);
export type ReportRow = v.InferOutput<typeof ReportRow>;

const Frequency = v.object({ ReportFrequencyListId: v.number(), DisplayText: v.string() });
export type Frequency = v.InferOutput<typeof Frequency>;

const ReportColumn = v.object({ name: v.string(), unit: v.nullish(v.string(), ''), kind: v.nullish(v.string(), ''), decimals: v.nullish(v.number(), null), meaning: v.nullish(v.string(), '') });
export type ReportColumn = v.InferOutput<typeof ReportColumn>;

/** Details of a report. An input that this screen does not know is left out, so the server uses its default. */
const ReportDetails = v.pipe(
  v.object({ ...row, input: v.nullish(v.string(), null), columns: v.nullish(v.array(ReportColumn), []) }),
  v.transform(({ input, ...report }) => {
    const known = input === null ? undefined : INPUTS[input];
    return { ...report, inputs: (known ? [known] : []) as readonly ReportInput[] };
  }),
);
export type ReportDetails = v.InferOutput<typeof ReportDetails>;

const Cell = v.nullable(v.union([v.string(), v.number(), v.boolean()]));
export type Cell = v.InferOutput<typeof Cell>;

/** The columns and rows of a report. */
const Answer = v.object({ columns: v.array(ReportColumn), rows: v.array(v.array(Cell)), more: Flag });

export interface Shown {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether the report has more rows than these. */
  readonly more: boolean;
  /** The time from which the history of the report is kept, epoch ms; only if the period begins before this time. */
  readonly keptSince?: number | null;
}

/** The parts of a period that the frequency needs. Dates are YYYY-MM-DD. */
export type PeriodBody = Readonly<Record<string, number | string>>;

export interface ReportBody {
  readonly reportId: number;
  readonly reportKey: string;
  readonly type: 'Historic' | 'RealTime';
  readonly level: string;
  readonly levelId: readonly number[];
  /** Null for a report about current values. */
  readonly frequency: number | null;
  readonly frequencyValue: PeriodBody;
  readonly inputs: Readonly<Record<string, string | number | boolean>>;
}

/** The period as the server expects it: one text whose form depends on the frequency. */
export function periodText(frequency: number | null, period: PeriodBody): string {
  const two = (part: string) => String(period[part] ?? '').padStart(2, '0');
  switch (frequency) {
    case 1:
      return `${period.year}-${two('month')}-${two('day')}`;
    case 2:
      return `${period.year}-${two('month')}`;
    case 3:
      return `${period.year}-Q${period.quarter}`;
    case 4:
      return String(period.financialYear);
    case 6:
      return `${period.from},${period.to}`;
    case 7:
      return String(period.date);
    case 9:
      return `${period.year}-W${two('week')}`;
    default:
      return '';
  }
}

/** The body of the request in the server's form. */
export function questionOf({ reportKey, type, level, levelId, frequency, frequencyValue, inputs }: ReportBody) {
  return { report: reportKey, reportType: type.toLowerCase(), level, levelId, frequency: frequency ?? 5, frequencyValue: periodText(frequency, frequencyValue), ...inputs };
}

export const FORMATS = ['pdf', 'xlsx', 'xls', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** The reports of a level. For an asset, only those about assets of its type. */
export const getReports = (token: string, level: string, client: number, asset: number | null, asking?: Asking) =>
  asked(v.array(ReportRow), token, `pfcreport/reportslistbyrole/${level}/${client}${asset === null ? '' : `?asset=${asset}`}`, asking);

/** The reports of all levels. */
export const getAllReports = (token: string, asking?: Asking) => asked(v.array(ReportRow), token, 'pfcreport/reportslist', asking);

export const getFrequencies = (token: string, asking?: Asking) => asked(v.array(Frequency), token, 'pfcreport/reportfrequencylist', asking);

export const getReportDetails = (token: string, id: number, asking?: Asking) => asked(ReportDetails, token, `pfcreport/reportdetails/${id}`, asking);

export async function showReport(token: string, body: ReportBody, stop: AbortSignal): Promise<Shown> {
  const response = await sent(token, 'reports/show', questionOf(body), stop);
  let answer: unknown;
  try {
    answer = await response.json();
  } catch {
    stop.throwIfAborted();
    throw new Failure(response.status, t('wire.somethingWentWrong'));
  }
  const { result, keptSince } = checked(v.object({ result: Answer, keptSince: v.optional(v.string()) }), answer);
  const { columns, rows, more } = result;
  return { head: columns.map(({ name }) => name), rows, more, keptSince: keptSinceOf({ keptSince }) };
}

/** Downloads a report as a file. `onBytes` receives the number of bytes so far. */
export async function downloadReport(token: string, body: ReportBody, format: Format, stop: AbortSignal, onBytes: (bytes: number) => void): Promise<ReportFile> {
  return fileIn(await sent(token, `reports/download?format=${format}`, questionOf(body), stop), stop, onBytes);
}

/** Downloads the monthly performance of places of one level as a PDF. `month` is `YYYY-MM`. */
export async function downloadMonthly(token: string, level: string, levelId: readonly number[], month: string, stop: AbortSignal, onBytes: (bytes: number) => void): Promise<ReportFile> {
  return fileIn(await sent(token, 'reports/monthly', { level, levelId, month }, stop), stop, onBytes);
}
