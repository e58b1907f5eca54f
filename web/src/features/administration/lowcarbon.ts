// A low-carbon site as a form has it, which is text and bands of time, and back: what is sent, or what is wrong in which field. Pure.
import { ALL_SLOTS, readRow, SLOTS } from '../../ui/halfhours';
import { ROLES, type Parameters, type PointRole, type SiteChange, type SiteConfiguration, type Tariff } from '../../wire/lowcarbon';
import { t } from '../../words';

/** A price from a half hour on, up to the next band; the first begins at midnight. */
export interface Band {
  readonly from: number;
  readonly importPrice: string;
  readonly exportPrice: string;
}

/** Numbers of the battery, the panels and the grid that the optimiser is given, by the names of the specification. */
export const NUMBERS = ['BatteryCapacityMaxKwh', 'BatteryCapacityMinKwh', 'BatteryChargeRateKw', 'BatteryDischargeRateKw', 'SolarCapacityKwp'] as const;
export const TIMES = ['ChargingStartTimeHours', 'ChargingEndTimeHours', 'DischargingStartTimeHours', 'DischargingEndTimeHours'] as const;
/** What every site has to have, beside these. */
export const CONFIGURED = ['chargeEfficiency', 'dischargeEfficiency', 'performanceFactor'] as const;

export type TextKey = 'deviceId' | 'name' | 'lat' | 'lon' | 'currency' | 'initialEnergyKwh' | 'importLimitKw' | 'solarProfile' | (typeof NUMBERS)[number] | (typeof TIMES)[number] | (typeof CONFIGURED)[number];

export interface SiteDraft {
  readonly text: Readonly<Record<TextKey, string>>;
  readonly locationId: number | null;
  readonly objective: Parameters['Objective'];
  readonly bands: readonly Band[];
  readonly mayExport: boolean;
  readonly endsAsItBegan: boolean;
  readonly points: Readonly<Record<PointRole, number | null>>;
}

/** A new site begins with the specification's parameters and the usual losses; of its prices and place nothing is known. */
export const BLANK: SiteDraft = {
  text: {
    deviceId: '',
    name: '',
    lat: '',
    lon: '',
    currency: 'INR',
    initialEnergyKwh: '',
    importLimitKw: '',
    solarProfile: '',
    BatteryCapacityMaxKwh: '100',
    BatteryCapacityMinKwh: '0',
    BatteryChargeRateKw: '50',
    BatteryDischargeRateKw: '25',
    ChargingStartTimeHours: '0',
    ChargingEndTimeHours: '24',
    DischargingStartTimeHours: '26',
    DischargingEndTimeHours: '46',
    SolarCapacityKwp: '100',
    chargeEfficiency: '0.95',
    dischargeEfficiency: '0.95',
    performanceFactor: '0.8',
  },
  locationId: null,
  objective: 'cost_with_solar',
  bands: [{ from: 0, importPrice: '', exportPrice: '' }],
  mayExport: false,
  endsAsItBegan: false,
  points: { site: null, solar: null, battery: null, grid: null, storage: null },
};

const words = (value: number | null) => (value === null ? '' : String(value));

export function draftOfSite(configuration: SiteConfiguration): SiteDraft {
  const { site, parameters, tariff, points } = configuration;
  return {
    text: {
      deviceId: String(site.deviceId),
      name: site.name,
      lat: words(site.lat),
      lon: words(site.lon),
      currency: tariff.currency,
      initialEnergyKwh: words(configuration.initialEnergyKwh),
      importLimitKw: words(configuration.importLimitKw),
      solarProfile: configuration.solarProfile?.join(' ') ?? '',
      ...(Object.fromEntries([...NUMBERS, ...TIMES].map((key) => [key, String(parameters[key])])) as Record<(typeof NUMBERS)[number] | (typeof TIMES)[number], string>),
      ...(Object.fromEntries(CONFIGURED.map((key) => [key, String(configuration[key])])) as Record<(typeof CONFIGURED)[number], string>),
    },
    locationId: site.locationId,
    objective: parameters.Objective,
    bands: bandsOf(tariff),
    mayExport: configuration.mayExport,
    endsAsItBegan: configuration.endsAsItBegan,
    points: Object.fromEntries(ROLES.map((role) => [role, points[role]?.pointId ?? null])) as Record<PointRole, number | null>,
  };
}

/** Half hours of the same prices together. */
export function bandsOf({ importPrice, exportPrice }: Pick<Tariff, 'importPrice' | 'exportPrice'>): Band[] {
  return ALL_SLOTS.filter((slot) => slot === 0 || importPrice[slot] !== importPrice[slot - 1] || exportPrice?.[slot] !== exportPrice?.[slot - 1]).map((from) => ({
    from,
    importPrice: words(importPrice[from] ?? null),
    exportPrice: words(exportPrice?.[from] ?? null),
  }));
}

/** The price of each half hour; null where its band has none that can be read. */
export function pricesOf(bands: readonly Band[], of: 'importPrice' | 'exportPrice'): (number | null)[] {
  return ALL_SLOTS.map((slot) => number(bands.findLast(({ from }) => from <= slot)?.[of] ?? ''));
}

/** Where a band ends. */
export const endOf = (bands: readonly Band[], at: number) => bands[at + 1]?.from ?? SLOTS;

/** The longest band in two, with its prices in both; the same ones where each has a half hour alone. */
export function split(bands: readonly Band[]): readonly Band[] {
  const lengths = bands.map(({ from }, at) => endOf(bands, at) - from);
  const longest = lengths.indexOf(Math.max(...lengths));
  const band = bands[longest];
  const half = Math.floor((lengths[longest] ?? 0) / 2);
  if (!band || half === 0) return bands;
  return [...bands.slice(0, longest + 1), { ...band, from: band.from + half }, ...bands.slice(longest + 1)];
}

/** Without one of them: the one before takes its time; the first cannot go as long as it is the only one. */
export function without(bands: readonly Band[], at: number): readonly Band[] {
  if (bands.length < 2) return bands;
  return bands.filter((_, index) => index !== at).map((band, index) => (index === 0 ? { ...band, from: 0 } : band));
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A number, strictly; null for what is none. */
function number(text: string): number | null {
  const own = text.trim();
  return NUMBER.test(own) && Number.isFinite(Number(own)) ? Number(own) : null;
}

export type SiteFaults = Readonly<Record<string, string>>;

/** What is sent, or what is wrong, by field; a band's fields are such as `importPrice-2`. */
export function readSite(draft: SiteDraft): { readonly device: number; readonly change: SiteChange } | { readonly faults: SiteFaults } {
  const { text, bands, locationId, mayExport } = draft;
  const faults: Record<string, string> = {};
  const need = (key: TextKey): number => {
    const value = number(text[key]);
    if (value === null) faults[key] = t('lowcarbonsites.needsNumber');
    return value ?? 0;
  };
  const maybe = (key: TextKey): number | null => (text[key].trim() === '' ? null : need(key));
  const device = number(text.deviceId);
  if (text.name.trim() === '') faults.name = t('lowcarbonsites.needsName');
  if (device === null || !Number.isSafeInteger(device)) faults.deviceId = t('lowcarbonsites.needsWhole');
  if (locationId === null) faults.locationId = t('lowcarbonsites.needsLocation');
  if (!/^[A-Z]{3}$/.test(text.currency.trim())) faults.currency = t('lowcarbonsites.needsCurrency');
  const [lat, lon] = [maybe('lat'), maybe('lon')];
  if ((lat === null) !== (lon === null)) faults[lat === null ? 'lat' : 'lon'] = t('lowcarbonsites.needsBoth');
  bands.forEach((band, at) => {
    const [bought, sold] = [number(band.importPrice), number(band.exportPrice)];
    if (bought === null) faults[`importPrice-${at}`] = t('lowcarbonsites.needsPrice');
    if (mayExport && sold === null) faults[`exportPrice-${at}`] = t('lowcarbonsites.needsPrice');
    // Else whoever buys and sells at once is paid for nothing.
    if (mayExport && bought !== null && sold !== null && sold > bought) faults[`exportPrice-${at}`] = t('lowcarbonsites.aboveImport');
  });
  const row = readRow(text.solarProfile);
  if (!('values' in row)) faults.solarProfile = row.wrong === null ? t('lowcarbonsites.rowCount', { count: row.count, most: SLOTS }) : t('lowcarbonsites.rowWrong', { text: row.wrong.slice(0, 20) });
  const change: SiteChange = {
    name: text.name.trim(),
    locationId: locationId ?? 0,
    lat,
    lon,
    parameters: {
      ...(Object.fromEntries([...NUMBERS, ...TIMES].map((key) => [key, need(key)])) as Omit<Parameters, 'lat' | 'lon' | 'Objective' | 'deviceId'>),
      // Of a run that is not told another place, the site's own.
      lat: lat ?? 0,
      lon: lon ?? 0,
      Objective: draft.objective,
      deviceId: device ?? 0,
    },
    tariff: {
      currency: text.currency.trim(),
      importPrice: pricesOf(bands, 'importPrice').map((price) => price ?? 0),
      exportPrice: mayExport ? pricesOf(bands, 'exportPrice').map((price) => price ?? 0) : null,
    },
    chargeEfficiency: need('chargeEfficiency'),
    dischargeEfficiency: need('dischargeEfficiency'),
    initialEnergyKwh: maybe('initialEnergyKwh'),
    performanceFactor: need('performanceFactor'),
    mayExport,
    importLimitKw: maybe('importLimitKw'),
    endsAsItBegan: draft.endsAsItBegan,
    solarProfile: 'values' in row ? row.values : null,
    points: draft.points,
  };
  return Object.keys(faults).length > 0 || device === null ? { faults } : { device, change };
}
