// Requests and checked answers: reliability indices and the outages from which they are computed.
import * as v from 'valibot';
import { asked, getOfPeriod, Flags, Maybe, spanQuery } from './analysis-energy';
import type { Asking } from './history';
import { post } from './rest';

const Text = v.nullish(v.string(), null);
const Bool = v.nullish(v.boolean(), false);

/**
 * Indices of IEEE 1366. SAIDI, CAIDI and CTAIDI are in minutes, SAIFI, CAIFI and MAIFI in interruptions per customer, ASAI is a share of 1.
 * Null means not defined or not known.
 */
const indices = { saidi: Maybe, saifi: Maybe, caidi: Maybe, caifi: Maybe, maifi: Maybe, ctaidi: Maybe, asai: Maybe };
export const Indices = v.object(indices);
export type Indices = v.InferOutput<typeof Indices>;

export const Scores = v.object({
  ...indices,
  customersServed: Maybe,
  customerInterruptions: Maybe,
  customerMinutes: Maybe,
  customersInterrupted: Maybe,
  momentaryInterruptions: Maybe,
  sustainedOutages: Maybe,
  momentaryOutages: Maybe,
  openOutages: Maybe,
  majorEventDays: v.nullish(v.array(v.object({ day: v.string(), saidi: Maybe })), []),
  tMed: Maybe,
  withoutMajorEventDays: v.nullish(Indices, null),
  weighting: Text,
  momentaryThresholdMin: Maybe,
  from: Text,
  to: Text,
  flags: Flags,
});
export type Scores = v.InferOutput<typeof Scores>;

export const Profile = v.object({
  rows: v.array(
    v.object({
      dt: v.string(),
      /** YYYY-MM-DD. */
      date: Text,
      mon: Text,
      interruptions: Maybe,
      duration: Maybe,
      customerMinutes: Maybe,
      saidi: Maybe,
      majorEventDay: Bool,
    }),
  ),
  flags: Flags,
});
export type Profile = v.InferOutput<typeof Profile>;

const yearly = { SAIDI: Maybe, SAIFI: Maybe, CAIDI: Maybe, CAIFI: Maybe, MAIFI: Maybe, flags: Flags };
export const Yearly = v.object({
  year: v.number(),
  rows: v.array(
    v.object({
      month: v.union([v.string(), v.number()]),
      yyyymm: v.pipe(v.union([v.string(), v.number()]), v.transform(String)),
      ...yearly,
    }),
  ),
  total: v.nullish(v.object(yearly), null),
  flags: Flags,
});
export type Yearly = v.InferOutput<typeof Yearly>;

const outage = {
  id: v.number(),
  /** Id of the incident: the outages that the same switching caused. */
  incidentId: Maybe,
  assetId: v.number(),
  assetName: v.string(),
  locationId: Maybe,
  locationName: Text,
  breadCrumbName: Text,
  customers: Maybe,
  started: v.string(),
  ended: Text,
  minutes: Maybe,
  /** `momentary`, `sustained` or `open`. */
  class: v.string(),
  cause: v.string(),
  /** Whether the outage counts. Null if this depends on the major event days of an area and the request names no area. */
  countsIn: v.nullish(v.boolean(), null),
  excludedBecause: Text,
  corrected: Bool,
  correctedBy: Text,
  note: Text,
  majorEventDay: Bool,
  flags: Flags,
};
export const OutageRow = v.object(outage);
export type OutageRow = v.InferOutput<typeof OutageRow>;

/** A change of a status point, with the device's time, the raw status and its label. */
const Event = v.object({
  offset: v.number(),
  pointId: v.number(),
  assetName: v.string(),
  signal: v.string(),
  value: Maybe,
  changeTo: v.string(),
  source: v.string(),
});
export type OutageEvent = v.InferOutput<typeof Event>;

export const Outage = v.object({
  ...outage,
  computed: v.nullish(v.object({ started: Text, ended: Text, cause: Text }), null),
  events: v.nullish(v.array(Event), []),
});
export type Outage = v.InferOutput<typeof Outage>;

const Outages = v.object({ rows: v.array(OutageRow), cut: Bool });

/** `scope` is a level and an id, such as `division/4`; `month` is YYYYMM, such as 202611. */
export const getScores = (token: string, scope: string, month: string, asking?: Asking) =>
  getOfPeriod(Scores, token, `analytics/getreliabilityscores/${scope}/${month}`, asking);

export const getProfile = (token: string, scope: string, month: string, asking?: Asking) =>
  getOfPeriod(Profile, token, `analytics/reliabilityprofile/${scope}/${month}`, asking);

export const getYearly = (token: string, scope: string, year: number, asking?: Asking) =>
  asked(Yearly, token, `analytics/getreliabilityscoresyearly/${scope}?year=${year}`, asking);

export const getOutages = (token: string, scope: string, span: { from: number; to: number }, asking?: Asking) =>
  getOfPeriod(Outages, token, `analytics/outages/${scope}?${spanQuery(span)}`, asking);

export const getOutage = (token: string, id: number, asking?: Asking) => asked(Outage, token, `analytics/outage/${id}`, asking);

/**
 * A manual correction of a computed outage. An absent field keeps the computed value. A correction replaces the earlier one. Times are
 * ISO 8601.
 */
export interface Correction {
  readonly started?: string;
  readonly ended?: string;
  readonly cause?: string;
  readonly note: string;
  readonly exclude: boolean;
}

export const putOutage = (token: string, id: number, correction: Correction) =>
  post<unknown>(token, `analytics/outage/${id}`, correction, 'PUT');
