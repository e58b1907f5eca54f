// The form of a low-carbon site: conversion between its text fields with time bands and the request, with errors by field. Pure.
import { ALL_SLOTS, readRow, SLOTS } from '../../ui/halfhours';
import { ROLES, type Parameters, type PointRole, type SiteChange, type SiteConfiguration, type Tariff } from '../../wire/lowcarbon';
import { t } from '../../words';

/** A price from a half hour up to the next band. The first band starts at midnight. */
export interface Band {
  readonly from: number;
  readonly importPrice: string;
  readonly exportPrice: string;
}

/** Parameters of battery and panels for the optimiser, with the specification's names. */
export const NUMBERS = ['BatteryCapacityMaxKwh', 'BatteryCapacityMinKwh', 'BatteryChargeRateKw', 'BatteryDischargeRateKw', 'SolarCapacityKwp'] as const;
export const TIMES = ['ChargingStartTimeHours', 'ChargingEndTimeHours', 'DischargingStartTimeHours', 'DischargingEndTimeHours'] as const;
/** Further numbers that every site must have. */
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

/** A new site starts with the specification's parameters and usual losses. Its prices and location are empty. */
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

/** Groups successive half hours with the same prices. */
export function bandsOf({ importPrice, exportPrice }: Pick<Tariff, 'importPrice' | 'exportPrice'>): Band[] {
  return ALL_SLOTS.filter((slot) => slot === 0 || importPrice[slot] !== importPrice[slot - 1] || exportPrice?.[slot] !== exportPrice?.[slot - 1]).map((from) => ({
    from,
    importPrice: words(importPrice[from] ?? null),
    exportPrice: words(exportPrice?.[from] ?? null),
  }));
}

/** The price of each half hour; null if the price of its band is not a number. */
export function pricesOf(bands: readonly Band[], of: 'importPrice' | 'exportPrice'): (number | null)[] {
  return ALL_SLOTS.map((slot) => number(bands.findLast(({ from }) => from <= slot)?.[of] ?? ''));
}

/** The half hour at which a band ends. */
export const endOf = (bands: readonly Band[], at: number) => bands[at + 1]?.from ?? SLOTS;

/** Divides the longest band into two with the same prices. If every band has one half hour, the bands are unchanged. */
export function split(bands: readonly Band[]): readonly Band[] {
  const lengths = bands.map(({ from }, at) => endOf(bands, at) - from);
  const longest = lengths.indexOf(Math.max(...lengths));
  const band = bands[longest];
  const half = Math.floor((lengths[longest] ?? 0) / 2);
  if (!band || half === 0) return bands;
  return [...bands.slice(0, longest + 1), { ...band, from: band.from + half }, ...bands.slice(longest + 1)];
}

/** Removes a band. The previous band is extended over its time. The only band cannot be removed. */
export function without(bands: readonly Band[], at: number): readonly Band[] {
  if (bands.length < 2) return bands;
  return bands.filter((_, index) => index !== at).map((band, index) => (index === 0 ? { ...band, from: 0 } : band));
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Parses a number strictly; null if the text is not a number. */
function number(text: string): number | null {
  const own = text.trim();
  return NUMBER.test(own) && Number.isFinite(Number(own)) ? Number(own) : null;
}

export type SiteFaults = Readonly<Record<string, string>>;

/** Returns the request, or the errors by field. The fields of a band have its index, such as `importPrice-2`. */
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
    // With an export price above the import price, a site could earn money by buying and selling at the same time.
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
      // The coordinates of the site, which a run uses by default.
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
