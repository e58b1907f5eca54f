// Requests and checked answers: low-carbon sites, the plans of their batteries, and demand files of users.
import * as v from 'valibot';
import { asked, Maybe } from './analysis-energy';
import { checked, type Asking } from './history';
import { Failure, get, post, postQuestion, remove } from './rest';
import { t } from '../words';

/** The parameters of the optimiser with the specification's names and order (3, section 3). */
export const FIELDS = [
  'BatteryCapacityMaxKwh',
  'BatteryCapacityMinKwh',
  'BatteryChargeRateKw',
  'BatteryDischargeRateKw',
  'ChargingStartTimeHours',
  'ChargingEndTimeHours',
  'DischargingStartTimeHours',
  'DischargingEndTimeHours',
  'SolarCapacityKwp',
  'lat',
  'lon',
  'Objective',
  'deviceId',
] as const;
export type Field = (typeof FIELDS)[number];

export type Objective = 'cost_with_solar' | 'cost_without_solar';

/** Largest demand file of a site, bytes. */
export const FILE_MAX_BYTES = 5 * 1024 * 1024;

const Text = v.nullish(v.string(), null);
const Words = v.nullish(v.array(v.string()), []);
const Day48 = v.pipe(v.array(v.number()), v.length(48));
const Row48 = v.pipe(v.array(v.nullable(v.number())), v.length(48));
/** Values at the 49 half-hour boundaries of a day. Null for a boundary that a clock change skips. */
const Moments49 = v.pipe(v.array(v.nullable(v.number())), v.length(49));

export const LowCarbonSite = v.object({
  deviceId: v.number(),
  name: v.string(),
  locationId: v.number(),
  locationName: v.string(),
  breadCrumbName: v.string(),
  /** In degrees; null if not entered. */
  lat: Maybe,
  lon: Maybe,
});
export type LowCarbonSite = v.InferOutput<typeof LowCarbonSite>;

const Parameters = v.object({
  BatteryCapacityMaxKwh: v.number(),
  BatteryCapacityMinKwh: v.number(),
  BatteryChargeRateKw: v.number(),
  BatteryDischargeRateKw: v.number(),
  ChargingStartTimeHours: v.number(),
  ChargingEndTimeHours: v.number(),
  DischargingStartTimeHours: v.number(),
  DischargingEndTimeHours: v.number(),
  SolarCapacityKwp: v.number(),
  lat: v.number(),
  lon: v.number(),
  Objective: v.picklist(['cost_with_solar', 'cost_without_solar']),
  deviceId: v.number(),
});
export type Parameters = v.InferOutput<typeof Parameters>;

/** Prices per kWh in each half hour. Without export prices, exported energy earns nothing. */
const Tariff = v.object({ currency: v.string(), importPrice: Day48, exportPrice: v.nullish(Day48, null) });
export type Tariff = v.InferOutput<typeof Tariff>;

const Point = v.nullish(v.object({ pointId: v.number(), name: v.string() }), null);

/** Roles of the points that measure a site. */
export const ROLES = ['site', 'solar', 'battery', 'grid', 'storage'] as const;
export type PointRole = (typeof ROLES)[number];

export const SiteConfiguration = v.object({
  site: LowCarbonSite,
  parameters: Parameters,
  tariff: Tariff,
  chargeEfficiency: v.number(),
  dischargeEfficiency: v.number(),
  /** Null means the lowest energy that the battery may hold. */
  initialEnergyKwh: Maybe,
  mayExport: v.boolean(),
  importLimitKw: Maybe,
  endsAsItBegan: v.boolean(),
  performanceFactor: v.number(),
  /** Solar power in kW, which replaces the clear-sky model. */
  solarProfile: v.nullish(Day48, null),
  points: v.object({ site: Point, solar: Point, battery: Point, grid: Point, storage: Point }),
  timeZone: v.string(),
  mayChange: v.boolean(),
});
export type SiteConfiguration = v.InferOutput<typeof SiteConfiguration>;

/** One value for each half hour: power in kW, storage in kWh. The battery's power is positive while it charges. */
const Slots = v.object({
  hour_of_day: Day48,
  /** Length of each half hour in hours. At a clock change, a skipped half hour has 0 and a repeated one 1. */
  slot_hours: Day48,
  Base_Demand_Kw: Row48,
  Battery_Charge_Discharge_Kw: Row48,
  Battery_Storage_Kwh: Row48,
  NetDemand_Kw: Row48,
  PV_Generation_Kw: Row48,
});
export type Slots = v.InferOutput<typeof Slots>;

/** Energies of the day, kWh. */
const Stats = v.object({
  site: Maybe,
  solar: Maybe,
  grid_import: Maybe,
  grid_export: Maybe,
  battery_charge: Maybe,
  battery_discharge: Maybe,
});
export type Stats = v.InferOutput<typeof Stats>;

const Shares = v.nullish(v.object({ solar: v.number(), battery: v.number(), grid: v.number() }), null);
export type Shares = v.InferOutput<typeof Shares>;

/** The measured values of yesterday. */
const Historical = v.object({ day: v.string(), results: Slots, stats: Stats, shares: Shares, coverage: Maybe });
export type Historical = v.InferOutput<typeof Historical>;

/** The plan of a day. */
export const Optimised = v.object({
  day: v.string(),
  timeZone: v.string(),
  results: Slots,
  stats: Stats,
  shares: Shares,
  cost: Maybe,
  /** This cost and `saving` are null if the site cannot work without its battery. */
  costWithoutBattery: Maybe,
  saving: Maybe,
  currency: v.string(),
  /** Charge at the start of each half hour and at the end of the day. */
  storagePercent: v.nullish(Moments49, null),
  storageKwh: Moments49,
  curtailedKw: Row48,
  demandFrom: v.string(),
  solarFrom: v.string(),
  issued: Text,
  warnings: Words,
  historical: v.nullish(Historical, null),
});
export type Optimised = v.InferOutput<typeof Optimised>;

/** Two plans. A difference is the changed plan's value minus the base plan's value. */
export const Compared = v.object({
  base: Optimised,
  changed: Optimised,
  costDifference: Maybe,
  importDifferenceKwh: Maybe,
  storedDifferenceKwh: Maybe,
});
export type Compared = v.InferOutput<typeof Compared>;

/** An accepted file. It can be used until it expires. */
export const DemandFile = v.object({ handle: v.string(), days: Maybe, values: Maybe, expires: v.string() });
export type DemandFile = v.InferOutput<typeof DemandFile>;

const Faults = v.array(v.object({ line: v.number(), column: v.nullish(v.string(), ''), what: v.string() }));
export type FileFault = v.InferOutput<typeof Faults>[number];

/** A rejected file: the server's message, and the faults with their lines. */
export class FileRefused extends Failure {
  constructor(
    status: number,
    message: string,
    readonly faults: readonly FileFault[],
  ) {
    super(status, message);
  }
}

/** The body of a run: parameters, and optionally a demand file and a day. */
export type RunBody = Readonly<Partial<Record<Field, number | string>>> & { readonly demandFile?: string; readonly day?: string };

/** `scope` is a level and an id, such as `division/4`. */
export const getSites = (token: string, scope: string, asking?: Asking) => asked(v.array(LowCarbonSite), token, `lowcarbon/sites/${scope}`, asking);

export const getSite = (token: string, device: number, asking?: Asking) => asked(SiteConfiguration, token, `lowcarbon/site/${device}`, asking);

/** Measured values of yesterday. `day` is null if nothing was measured. The result is null if the server answers 404. */
export async function getReported(token: string, device: number, asking?: Asking): Promise<{ readonly day: Historical | null } | null> {
  try {
    return { day: await asked(v.nullish(Historical, null), token, `lowcarbon/site/${device}/reported`, asking) };
  } catch (error) {
    if (error instanceof Failure && error.status === 404) return null;
    throw error;
  }
}

export async function optimise(token: string, device: number, body: RunBody, stop?: AbortSignal): Promise<Optimised> {
  return checked(Optimised, (await postQuestion<unknown>(token, `optimisebattery/${device}`, body, stop)).result);
}

export async function compare(token: string, device: number, base: RunBody, changed: RunBody, stop?: AbortSignal): Promise<Compared> {
  return checked(Compared, (await postQuestion<unknown>(token, `optimisebattery/${device}/compare`, { base, changed }, stop)).result);
}

/** Reads the answer to an upload. A rejected or unreadable answer is thrown as a failure. */
export function readUpload(status: number, text: string): DemandFile {
  let body: Record<string, unknown> = {};
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null) body = read as Record<string, unknown>;
  } catch {
    // A proxy answered with its own page. The message below covers this.
  }
  if (status >= 200 && status < 300) return checked(DemandFile, body.result);
  const faults = v.safeParse(Faults, body.faults);
  throw new FileRefused(status, typeof body.message === 'string' ? body.message : t('wire.somethingWentWrong'), faults.success ? faults.output : []);
}

export interface Sending {
  readonly signal: AbortSignal;
  /** Receives the share that has been sent, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Time limit of an upload, ms. Lines to field offices can be slow. */
const UPLOAD_MS = 600_000;

/** Uploads a demand file of a site. It uses `XMLHttpRequest`, because fetch does not report the progress of an upload. */
export function uploadDemand(
  token: string,
  device: number,
  file: File,
  place: { readonly lat: string; readonly lon: string },
  { signal, onProgress }: Sending,
): Promise<DemandFile> {
  return new Promise((give, refuse) => {
    signal.throwIfAborted();
    const form = new FormData();
    form.append('lat', place.lat);
    form.append('lon', place.lon);
    form.append('file', file, file.name);
    const request = new XMLHttpRequest();
    const lost = () => refuse(new Failure(0, t('wire.theServerCannotBeReached')));
    request.open('POST', `/api/optimisebattery/${device}/demandfile`);
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.timeout = UPLOAD_MS;
    request.upload.addEventListener('progress', ({ loaded, total }) => total > 0 && onProgress(loaded / total));
    request.addEventListener('load', () => {
      try {
        give(readUpload(request.status, request.responseText));
      } catch (error) {
        refuse(error instanceof Error ? error : new Failure(0, t('wire.somethingWentWrong')));
      }
    });
    for (const event of ['error', 'abort']) request.addEventListener(event, lost);
    request.addEventListener('timeout', () => refuse(new Failure(0, t('wire.tookTooLong'))));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

/** A site as an administrator enters it. */
export interface SiteChange {
  readonly name: string;
  readonly locationId: number;
  readonly lat: number | null;
  readonly lon: number | null;
  readonly parameters: Parameters;
  readonly tariff: Tariff;
  readonly chargeEfficiency: number;
  readonly dischargeEfficiency: number;
  readonly initialEnergyKwh: number | null;
  readonly mayExport: boolean;
  readonly importLimitKw: number | null;
  readonly endsAsItBegan: boolean;
  readonly performanceFactor: number;
  readonly solarProfile: readonly number[] | null;
  readonly points: Readonly<Record<PointRole, number | null>>;
}

export async function getConfigurations(token: string, asking?: Asking): Promise<{ result: readonly SiteConfiguration[] }> {
  return { result: checked(v.array(SiteConfiguration), (await get<unknown>(token, 'admin/lowcarbonsites', asking)).result) };
}

/** Creates or changes a site. The condition prevents that a new site overwrites an existing one, or that a change restores a deleted site. */
export const putSite = (token: string, device: number, change: SiteChange, isNew: boolean) =>
  post<unknown>(token, `admin/lowcarbonsite/${device}`, change, 'PUT', { [isNew ? 'If-None-Match' : 'If-Match']: '*' });

export const removeSite = (token: string, device: number) => remove<unknown>(token, `admin/lowcarbonsite/${device}`);
