// Requests and checked answers: saved report selections, schedules with their runs, and links to files.
import * as v from 'valibot';
import { asked } from './analysis-energy';
import { checked, type Asking } from './history';
import { FORMATS } from './reports';
import { fileIn, sent, type ReportFile } from './reports-sent';
import { Failure, post, remove } from './rest';
import { t } from '../words';

const Text = v.nullish(v.string(), '');
const Instant = v.nullish(v.string(), null);
const Count = v.nullish(v.number(), null);

/** The selection of a report, with one or several places. Unused fields are absent. */
const question = {
  report: v.string(),
  reportType: v.nullish(v.string(), 'historic'),
  level: v.string(),
  levelId: v.pipe(
    v.union([v.number(), v.array(v.number())]),
    v.transform((ids) => (typeof ids === 'number' ? [ids] : ids)),
  ),
  excludeMomentary: v.nullish(v.boolean(), null),
  limit: Count,
  quantity: v.nullish(v.string(), null),
  sampleMinutes: Count,
};

const KeptQuestion = v.object({ ...question, frequency: Count, frequencyValue: Text });
export type KeptQuestion = v.InferOutput<typeof KeptQuestion>;

const Kept = v.object({ id: v.number(), name: v.string(), question: KeptQuestion, format: v.picklist(FORMATS), created: Instant });
export type Kept = v.InferOutput<typeof Kept>;

/** The body that creates or changes a saved selection. */
export type KeptBody = Pick<Kept, 'name' | 'format'> & { readonly question: object };

export const PERIODS = ['day', 'week', 'month', 'quarter', 'financialYear'] as const;
export type Period = (typeof PERIODS)[number];

export const EVERY = ['day', 'week', 'month', 'quarter', 'financialYear'] as const;
export type Every = (typeof EVERY)[number];

const Run = v.object({
  id: v.number(),
  /** The scheduled time of the run. */
  due: v.string(),
  /** Earliest start of the run. Before this time the data of the period are not complete. */
  ready: Instant,
  started: Instant,
  finished: Instant,
  state: v.picklist(['waiting', 'running', 'done', 'empty', 'failed']),
  rows: Count,
  bytes: Count,
  /** Null if the run has no file or the file has been deleted. */
  fileName: v.nullish(v.string(), null),
  /** An error or a note about the run. */
  message: Text,
  /** When the file is deleted. */
  expires: Instant,
  mailed: v.nullish(v.boolean(), false),
  /** First and last day, such as `2026-10-01,2026-10-31`. */
  period: Text,
});
export type Run = v.InferOutput<typeof Run>;

const Schedule = v.object({
  id: v.number(),
  name: v.string(),
  question: v.object(question),
  /** A run covers the last complete period of this kind. */
  period: v.picklist(PERIODS),
  format: v.picklist(FORMATS),
  every: v.picklist(EVERY),
  /** Day of the week, 1 is Monday. */
  weekday: Count,
  dayOfMonth: Count,
  /** `HH:MM` in the utility's time zone. */
  time: v.string(),
  mailTo: v.nullish(v.array(v.string()), []),
  keepDays: v.number(),
  enabled: v.boolean(),
  createdBy: v.nullish(v.union([v.string(), v.number()]), null),
  mine: v.nullish(v.boolean(), true),
  nextDue: Instant,
  lastRun: v.nullish(Run, null),
});
export type Schedule = v.InferOutput<typeof Schedule>;
export type ScheduleQuestion = Schedule['question'];

/** The body that creates or changes a schedule. */
export type ScheduleBody = Pick<Schedule, 'name' | 'period' | 'format' | 'every' | 'weekday' | 'dayOfMonth' | 'time' | 'mailTo' | 'keepDays' | 'enabled'> & { readonly question: object };

const Id = v.union([v.number(), v.string()]);
const Link = v.object({ id: Id, expires: v.string(), created: Instant });
export type Link = v.InferOutput<typeof Link>;

/** A new link. The server returns its address only once. */
const NewLink = v.object({ id: Id, url: v.string(), expires: v.string() });
export type NewLink = v.InferOutput<typeof NewLink>;

/** The selection as it is sent, without its null fields. */
export function asSent(question: KeptQuestion | ScheduleQuestion): object {
  return Object.fromEntries(Object.entries(question).filter(([, value]) => value !== null));
}

export const getKept = (token: string, asking?: Asking) => asked(v.array(Kept), token, 'reports/selections', asking);

export const addKept = async (token: string, body: KeptBody) => void (await post(token, 'reports/selections', body));

export const changeKept = async (token: string, id: number, body: KeptBody) => void (await post(token, `reports/selections/${id}`, body, 'PUT'));

export const removeKept = async (token: string, id: number) => void (await remove(token, `reports/selections/${id}`));

export const getSchedules = (token: string, asking?: Asking) => asked(v.array(Schedule), token, 'reports/schedules', asking);

export const addSchedule = async (token: string, body: ScheduleBody) => void (await post(token, 'reports/schedules', body));

export const changeSchedule = async (token: string, id: number, body: ScheduleBody) => void (await post(token, `reports/schedules/${id}`, body, 'PUT'));

export const removeSchedule = async (token: string, id: number) => void (await remove(token, `reports/schedules/${id}`));

/** The runs of a schedule, newest first. */
export const getRuns = (token: string, schedule: number, asking?: Asking) => asked(v.array(Run), token, `reports/schedules/${schedule}/runs`, asking);

/** Runs a schedule immediately. The answer can take as long as the report. */
export async function runNow(token: string, schedule: number, stop: AbortSignal): Promise<Run> {
  const answer: unknown = await (await sent(token, `reports/schedules/${schedule}/run`, {}, stop)).json().catch(() => {
    stop.throwIfAborted();
    throw new Failure(0, t('wire.somethingWentWrong'));
  });
  return checked(v.object({ result: Run }), answer).result;
}

/** Cancels a waiting or running run. Returns the run's state after that. */
export async function stopRun(token: string, run: number): Promise<Run> {
  return checked(Run, (await post<unknown>(token, `reports/runs/${run}/stop`, {})).result);
}

export async function downloadRun(token: string, run: number, stop: AbortSignal, onBytes: (bytes: number) => void): Promise<ReportFile> {
  return fileIn(await sent(token, `reports/runs/${run}/file`, undefined, stop), stop, onBytes);
}

export const getLinks = (token: string, run: number, asking?: Asking) => asked(v.array(Link), token, `reports/runs/${run}/links`, asking);

export async function makeLink(token: string, run: number, days: number): Promise<NewLink> {
  return checked(NewLink, (await post<unknown>(token, `reports/runs/${run}/links`, { days })).result);
}

export const withdrawLink = async (token: string, id: Link['id']) => void (await remove(token, `reports/links/${id}`));
