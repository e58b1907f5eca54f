// Low-carbon sites, the plans of their batteries and the demand files of people as they are served: asked for here, and checked.
import * as v from 'valibot';
import { asked, Maybe } from './analysis-energy';
import { checked, type Asking } from './history';
import { Failure, get, post, remove } from './rest';
import { t } from '../words';

/** The parameters of the optimiser as the specification names them (3, section 3), in its order. */
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

/** Files of a site's demand, bytes at most. */
export const FILE_MAX_BYTES = 5 * 1024 * 1024;

const Text = v.nullish(v.string(), null);
const Words = v.nullish(v.array(v.string()), []);
const Day48 = v.pipe(v.array(v.number()), v.length(48));
const Row48 = v.pipe(v.array(v.nullable(v.number())), v.length(48));
/** Null at moments that the clock leaves out. */
const Moments49 = v.pipe(v.array(v.nullable(v.number())), v.length(49));

export const LowCarbonSite = v.object({
  deviceId: v.number(),
  name: v.string(),
  locationId: v.number(),
  locationName: v.string(),
  breadCrumbName: v.string(),
  /** Degrees; none where nobody has set them. */
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

/** Money per kWh in each half hour; without export prices nothing is paid for what is given to the grid. */
const Tariff = v.object({ currency: v.string(), importPrice: Day48, exportPrice: v.nullish(Day48, null) });
export type Tariff = v.InferOutput<typeof Tariff>;

const Point = v.nullish(v.object({ pointId: v.number(), name: v.string() }), null);

/** What of a site is measured, by role. */
export const ROLES = ['site', 'solar', 'battery', 'grid', 'storage'] as const;
export type PointRole = (typeof ROLES)[number];

export const SiteConfiguration = v.object({
  site: LowCarbonSite,
  parameters: Parameters,
  tariff: Tariff,
  chargeEfficiency: v.number(),
  dischargeEfficiency: v.number(),
  /** None is the least that the battery may hold. */
  initialEnergyKwh: Maybe,
  mayExport: v.boolean(),
  importLimitKw: Maybe,
  endsAsItBegan: v.boolean(),
  performanceFactor: v.number(),
  /** kW; takes the place of the clear sky. */
  solarProfile: v.nullish(Day48, null),
  points: v.object({ site: Point, solar: Point, battery: Point, grid: Point, storage: Point }),
  timeZone: v.string(),
  mayChange: v.boolean(),
});
export type SiteConfiguration = v.InferOutput<typeof SiteConfiguration>;

/** kW in each half hour, kWh for the storage; the battery's power is above 0 where it charges. */
const Slots = v.object({
  hour_of_day: Day48,
  /** How long each half hour lasts, h: 0 where the clock leaves it out, 1 where it shows it twice. */
  slot_hours: Day48,
  Base_Demand_Kw: Row48,
  Battery_Charge_Discharge_Kw: Row48,
  Battery_Storage_Kwh: Row48,
  NetDemand_Kw: Row48,
  PV_Generation_Kw: Row48,
});
export type Slots = v.InferOutput<typeof Slots>;

/** kWh of the day. */
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

/** Yesterday, as it was measured. */
const Historical = v.object({ day: v.string(), results: Slots, stats: Stats, shares: Shares, coverage: Maybe });
export type Historical = v.InferOutput<typeof Historical>;

/** A day, planned. */
export const Optimised = v.object({
  day: v.string(),
  timeZone: v.string(),
  results: Slots,
  stats: Stats,
  shares: Shares,
  cost: Maybe,
  /** Both null where the site cannot do without its battery. */
  costWithoutBattery: Maybe,
  saving: Maybe,
  currency: v.string(),
  /** At the beginning of each half hour, and at the end of the day. */
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

/** Differences are of the changed one less the other. */
export const Compared = v.object({
  base: Optimised,
  changed: Optimised,
  costDifference: Maybe,
  importDifferenceKwh: Maybe,
  storedDifferenceKwh: Maybe,
});
export type Compared = v.InferOutput<typeof Compared>;

/** A file that was taken, until it expires. */
export const DemandFile = v.object({ handle: v.string(), days: Maybe, values: Maybe, expires: v.string() });
export type DemandFile = v.InferOutput<typeof DemandFile>;

const Faults = v.array(v.object({ line: v.number(), column: v.nullish(v.string(), ''), what: v.string() }));
export type FileFault = v.InferOutput<typeof Faults>[number];

/** A file that was not taken: the server's sentence, and what is wrong where. */
export class FileRefused extends Failure {
  constructor(
    status: number,
    message: string,
    readonly faults: readonly FileFault[],
  ) {
    super(status, message);
  }
}

/** The parameters as they are sent, and what else a run can be told. */
export type RunBody = Readonly<Partial<Record<Field, number | string>>> & { readonly demandFile?: string; readonly day?: string };

/** `scope` is such as `division/4`. */
export const getSites = (token: string, scope: string, asking?: Asking) => asked(v.array(LowCarbonSite), token, `lowcarbon/sites/${scope}`, asking);

export const getSite = (token: string, device: number, asking?: Asking) => asked(SiteConfiguration, token, `lowcarbon/site/${device}`, asking);

/** Yesterday as it was measured: no day where nothing was, and nothing at all where the server does not tell it by itself. */
export async function getReported(token: string, device: number): Promise<{ readonly day: Historical | null } | null> {
  try {
    return { day: await asked(v.nullish(Historical, null), token, `lowcarbon/site/${device}/reported`) };
  } catch (error) {
    if (error instanceof Failure && error.status === 404) return null;
    throw error;
  }
}

export async function optimise(token: string, device: number, body: RunBody, stop?: AbortSignal): Promise<Optimised> {
  return checked(Optimised, (await post<unknown>(token, `optimisebattery/${device}`, body, 'POST', {}, stop)).result);
}

export async function compare(token: string, device: number, base: RunBody, changed: RunBody, stop?: AbortSignal): Promise<Compared> {
  return checked(Compared, (await post<unknown>(token, `optimisebattery/${device}/compare`, { base, changed }, 'POST', {}, stop)).result);
}

/** What the answer to a file says, whatever came. */
export function readUpload(status: number, text: string): DemandFile {
  let body: Record<string, unknown> = {};
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null) body = read as Record<string, unknown>;
  } catch {
    // A proxy's own page: the sentence below tells of it.
  }
  if (status >= 200 && status < 300) return checked(DemandFile, body.result);
  const faults = v.safeParse(Faults, body.faults);
  throw new FileRefused(status, typeof body.message === 'string' ? body.message : t('wire.somethingWentWrong'), faults.success ? faults.output : []);
}

export interface Sending {
  readonly signal: AbortSignal;
  /** How much has been sent, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** How long a file may take, ms: slow lines are the field's. */
const UPLOAD_MS = 600_000;

/** Sends a file of the site's demand. Not by fetch, which does not tell how much has been sent. */
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
    for (const event of ['error', 'timeout', 'abort']) request.addEventListener(event, lost);
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

export async function getConfigurations(token: string): Promise<{ result: readonly SiteConfiguration[] }> {
  return { result: checked(v.array(SiteConfiguration), (await get<unknown>(token, 'admin/lowcarbonsites')).result) };
}

/** A new site takes the place of none that somebody has entered meanwhile, and a change brings none back that has gone. */
export const putSite = (token: string, device: number, change: SiteChange, isNew: boolean) =>
  post<unknown>(token, `admin/lowcarbonsite/${device}`, change, 'PUT', { [isNew ? 'If-None-Match' : 'If-Match']: '*' });

export const removeSite = (token: string, device: number) => remove<unknown>(token, `admin/lowcarbonsite/${device}`);
