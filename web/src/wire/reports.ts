// The reports of a utility as they are served: which there are, their rows, and their files as they come, byte by byte.
import * as v from 'valibot';
import { asked } from './analysis-energy';
import { checked } from './history';
import { Failure } from './rest';
import { t } from '../words';

const Flag = v.nullish(v.boolean(), false);

/** What the server's definitions may ask besides place and time, as fields of the screen. */
const INPUTS = {
  excludeMomentary: { name: 'excludeMomentary', kind: 'switch', choices: [], default: true },
  limit: { name: 'limit', kind: 'number', choices: [], default: 5 },
} as const;

/** A line of the list of reports. The frequencies become such as `1,2,6`. */
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
  /** Whether it may be about several places at once. */
  Multiple: v.nullish(v.boolean(), true),
};
const ReportRow = v.object(row);
export type ReportRow = v.InferOutput<typeof ReportRow>;

const Frequency = v.object({ ReportFrequencyListId: v.number(), DisplayText: v.string() });
export type Frequency = v.InferOutput<typeof Frequency>;

/** What a report can be told beside place and time. */
export interface ReportInput {
  readonly name: string;
  readonly kind: 'switch' | 'choice' | 'number';
  readonly choices: readonly (string | number)[];
  readonly default: string | number | boolean | null;
}

const ReportColumn = v.object({ name: v.string(), unit: v.nullish(v.string(), ''), kind: v.nullish(v.string(), ''), meaning: v.nullish(v.string(), '') });
export type ReportColumn = v.InferOutput<typeof ReportColumn>;

const ReportDetails = v.pipe(
  v.object({ ...row, input: v.nullish(v.picklist(['excludeMomentary', 'limit']), null), columns: v.nullish(v.array(ReportColumn), []) }),
  v.transform(({ input, ...report }) => ({ ...report, inputs: (input === null ? [] : [INPUTS[input]]) as readonly ReportInput[] })),
);
export type ReportDetails = v.InferOutput<typeof ReportDetails>;

const Cell = v.nullable(v.union([v.string(), v.number(), v.boolean()]));
export type Cell = v.InferOutput<typeof Cell>;

/** The columns, and the rows under them. */
const Answer = v.object({ columns: v.array(ReportColumn), rows: v.array(v.array(Cell)), more: Flag });

export interface Shown {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether the report has more rows than these. */
  readonly more: boolean;
}

/** The parts of a period, as far as its frequency has them; dates as YYYY-MM-DD. */
export type PeriodBody = Readonly<Record<string, number | string>>;

export interface ReportBody {
  readonly reportId: number;
  readonly reportKey: string;
  readonly type: 'Historic' | 'RealTime';
  readonly level: string;
  readonly levelId: readonly number[];
  /** None of a report about the present. */
  readonly frequency: number | null;
  readonly frequencyValue: PeriodBody;
  readonly inputs: Readonly<Record<string, string | number | boolean>>;
}

/** A period as the server reads it: one text, by its frequency. */
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

/** The question as the server takes it. */
function question({ reportKey, type, level, levelId, frequency, frequencyValue, inputs }: ReportBody) {
  return { report: reportKey, reportType: type.toLowerCase(), level, levelId, frequency: frequency ?? 5, frequencyValue: periodText(frequency, frequencyValue), ...inputs };
}

export const FORMATS = ['pdf', 'xlsx', 'xls', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export const getReports = (token: string, level: string, client: number) => asked(v.array(ReportRow), token, `pfcreport/reportslistbyrole/${level}/${client}`);

export const getFrequencies = (token: string) => asked(v.array(Frequency), token, 'pfcreport/reportfrequencylist');

export const getReportDetails = (token: string, id: number) => asked(ReportDetails, token, `pfcreport/reportdetails/${id}`);

/** The specification's limit of a call, ms: a report of a year takes its time. */
const PATIENCE_MS = 600_000;

/** Asks, and refuses in the server's words; an abort by the person is thrown as it is. */
async function sent(token: string, path: string, body: ReportBody, stop: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(question(body)),
      signal: AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)]),
    });
  } catch (error) {
    stop.throwIfAborted();
    throw error instanceof DOMException && error.name === 'TimeoutError' ? new Failure(0, t('reports.tookTooLong')) : new Failure(0, t('wire.theServerCannotBeReached'));
  }
  if (response.ok) return response;
  const refusal = v.safeParse(v.object({ message: v.string(), result: v.optional(v.unknown()) }), await response.json().catch(() => null));
  throw new Failure(response.status, refusal.success ? refusal.output.message : t('wire.somethingWentWrong'), refusal.success ? (refusal.output.result ?? null) : null);
}

export async function showReport(token: string, body: ReportBody, stop: AbortSignal): Promise<Shown> {
  const response = await sent(token, 'reports/show', body, stop);
  let answer: unknown;
  try {
    answer = await response.json();
  } catch {
    stop.throwIfAborted();
    throw new Failure(response.status, t('wire.somethingWentWrong'));
  }
  const { columns, rows, more } = checked(v.object({ result: Answer }), answer).result;
  return { head: columns.map(({ name }) => name), rows, more };
}

export interface ReportFile {
  readonly blob: Blob;
  /** As the server calls it, with the time; empty when it does not say. */
  readonly name: string;
  /** How many rows are in it; null when the server does not say. */
  readonly rows: number | null;
}

/** The name in a Content-Disposition, without any folders. */
export function nameIn(disposition: string): string {
  const wide = /filename\*\s*=\s*UTF-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition);
  let name = plain?.[1] ?? plain?.[2] ?? '';
  try {
    if (wide) name = decodeURIComponent(wide.trim());
  } catch {
    // Not percent-encoded after all: the plain name serves.
  }
  return name.split(/[\\/]/).at(-1)?.trim() ?? '';
}

/** A report as a file; `onBytes` is told how much of it has come. What breaks off half-way is no file. */
export async function downloadReport(token: string, body: ReportBody, format: Format, stop: AbortSignal, onBytes: (bytes: number) => void): Promise<ReportFile> {
  const response = await sent(token, `reports/download?format=${format}`, body, stop);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      parts.push(part.value);
      bytes += part.value.length;
      onBytes(bytes);
    }
  } catch {
    stop.throwIfAborted();
    throw new Failure(0, t('reports.brokeOff'));
  }
  const said = response.headers.get('X-Report-Rows');
  return {
    blob: new Blob(parts, { type: response.headers.get('Content-Type') ?? '' }),
    name: nameIn(response.headers.get('Content-Disposition') ?? ''),
    rows: response.status === 204 || bytes === 0 ? 0 : said !== null && /^\d+$/.test(said) ? Number(said) : null,
  };
}
