// Generated answers for the optimiser and its sites: a sunny day, and a battery that follows the tariff. They are the same at each start.

export const NOW = Date.UTC(2026, 10, 22, 8, 33);
const SLOTS = Array.from({ length: 48 }, (_, slot) => slot);
/** A pseudo-random number between 0 and 1, determined by `place`. */
const noise = (place: number) => Math.abs(Math.sin(place * 12.9898) * 43758.5453) % 1;
const sum = (row: readonly (number | null)[]) => row.reduce<number>((total, value) => total + (value ?? 0) * 0.5, 0);

const site = (deviceId: number, name: string) => ({ deviceId, name, locationId: 7, locationName: '33/11 kV Quayside', breadCrumbName: 'Harbour Electric › Harbour › 33/11 kV Quayside', lat: 17.69, lon: 83.22 });

const PRICES = SLOTS.map((slot) => (slot < 12 ? 4.2 : slot < 36 ? 6.5 : slot < 44 ? 9.8 : 6.5));

export function configuration(deviceId: number, name: string) {
  return {
    site: site(deviceId, name),
    parameters: { BatteryCapacityMaxKwh: 100, BatteryCapacityMinKwh: 0, BatteryChargeRateKw: 50, BatteryDischargeRateKw: 25, ChargingStartTimeHours: 0, ChargingEndTimeHours: 24, DischargingStartTimeHours: 26, DischargingEndTimeHours: 46, SolarCapacityKwp: 100, lat: 17.69, lon: 83.22, Objective: 'cost_with_solar', deviceId },
    tariff: { currency: 'INR', importPrice: PRICES, exportPrice: SLOTS.map(() => 3) },
    chargeEfficiency: 0.95,
    dischargeEfficiency: 0.95,
    initialEnergyKwh: 0,
    mayExport: true,
    importLimitKw: null,
    endsAsItBegan: false,
    performanceFactor: 0.8,
    solarProfile: null,
    points: { site: { pointId: 31, name: 'LC1 Jetty, P' }, solar: { pointId: 32, name: 'LC1 Jetty, PV' }, battery: { pointId: 33, name: 'LC1 Jetty, BESS' }, grid: null, storage: null },
    timeZone: 'Asia/Kolkata',
    mayChange: true,
  };
}

/** A day of 48 half hours whose powers are balanced in each half hour. */
function day(seed: number, kwh: number, kwp: number) {
  const demand = SLOTS.map((slot) => 42 + 16 * Math.exp(-((slot / 2 - 10) ** 2) / 10) + 34 * Math.exp(-((slot / 2 - 19.5) ** 2) / 6) + 6 * noise(slot + seed));
  const sun = SLOTS.map((slot) => (slot > 12 && slot < 36 ? kwp * 0.72 * Math.sin(((slot - 12) / 24) * Math.PI) ** 1.3 * (seed === 1 ? 1 : 0.55 + 0.45 * noise(slot * 3)) : 0));
  const charge = SLOTS.map((slot) => (slot < 5 ? Math.min(50, kwh * 0.42) : slot > 36 && slot < 45 ? -25 * (kwh / 110) : 0));
  let stored = 0;
  const storage: number[] = [0];
  const battery = charge.map((kw) => {
    const next = Math.min(Math.max(stored + kw * 0.5 * (kw > 0 ? 0.95 : 1 / 0.95), 0), kwh);
    const own = next - stored === 0 ? 0 : ((next - stored) * 2) / (kw > 0 ? 0.95 : 1 / 0.95);
    stored = next;
    storage.push(stored);
    return own;
  });
  const net = SLOTS.map((slot) => (demand[slot] ?? 0) - (sun[slot] ?? 0) + (battery[slot] ?? 0));
  const isGap = (slot: number) => seed !== 1 && slot > 17 && slot < 21;
  const row = (values: readonly number[]) => values.map((value, slot) => (isGap(slot) ? null : value));
  const results = { hour_of_day: SLOTS.map((slot) => slot / 2), Base_Demand_Kw: row(demand), Battery_Charge_Discharge_Kw: row(battery), Battery_Storage_Kwh: row(storage.slice(0, 48)), NetDemand_Kw: row(net), PV_Generation_Kw: row(sun) };
  const part = (values: readonly (number | null)[], sign: number) => sum(values.map((value) => Math.max((value ?? 0) * sign, 0)));
  const stats = { site: sum(results.Base_Demand_Kw), solar: sum(results.PV_Generation_Kw), grid_import: part(results.NetDemand_Kw, 1), grid_export: part(results.NetDemand_Kw, -1), battery_charge: part(results.Battery_Charge_Discharge_Kw, 1), battery_discharge: part(results.Battery_Charge_Discharge_Kw, -1) };
  const cost = net.reduce((total, kw, slot) => total + 0.5 * (kw > 0 ? kw * (PRICES[slot] ?? 0) : kw * 3), 0);
  return { results, stats, storage, cost };
}

export interface Asked {
  readonly day?: string;
  readonly BatteryCapacityMaxKwh?: number;
  readonly SolarCapacityKwp?: number;
  readonly Objective?: string;
  readonly demandFile?: string;
}

export function optimised(asked: Asked, { hasPast = true, hasWarnings = false } = {}) {
  const kwh = asked.BatteryCapacityMaxKwh ?? 100;
  const kwp = asked.Objective === 'cost_without_solar' ? 0 : (asked.SolarCapacityKwp ?? 100);
  const plan = day(1, kwh, kwp);
  const before = day(2, 100, 100);
  const without = plan.cost + 4.05 * kwh * 0.95;
  return {
    day: asked.day === 'tomorrow' ? '2026-11-23' : '2026-11-22',
    timeZone: 'Asia/Kolkata',
    results: plan.results,
    stats: plan.stats,
    shares: kwp > 0 ? { solar: 34, battery: 7, grid: 59 } : { solar: 0, battery: 9, grid: 91 },
    cost: plan.cost,
    costWithoutBattery: without,
    saving: without - plan.cost,
    currency: 'INR',
    storagePercent: kwh > 0 ? plan.storage.map((stored) => (stored / kwh) * 100) : null,
    curtailedKw: SLOTS.map(() => 0),
    storageKwh: plan.storage,
    demandFrom: asked.demandFile ? 'file' : asked.day === 'tomorrow' ? 'mean' : 'forecast',
    solarFrom: kwp > 0 ? 'clear-sky' : 'none',
    issued: asked.demandFile || asked.day === 'tomorrow' ? null : new Date(NOW - 3_600_000).toISOString(),
    warnings: hasWarnings ? ['lat and lon are 0, which is no place: the site’s own position was taken.', 'A clear sky was assumed: clouds take of it.'] : [],
    historical: hasPast ? { day: '2026-11-21', results: before.results, stats: before.stats, shares: { solar: 28, battery: 6, grid: 66 }, coverage: 93.75 } : null,
  };
}

export function compared(base: Asked, changed: Asked) {
  const [one, other] = [optimised(base, { hasPast: false }), optimised(changed, { hasPast: false })];
  return { base: one, changed: other, costDifference: other.cost - one.cost, importDifferenceKwh: other.stats.grid_import - one.stats.grid_import, storedDifferenceKwh: (other.storageKwh.at(-1) ?? 0) - (one.storageKwh.at(-1) ?? 0) };
}

export const SITES = [site(12_193, 'Jetty 1'), site(12_194, 'Cold store')];

export const PLACES = [{ AssetPointId: 7, AssetPointName: '33/11 kV Quayside' }, { AssetPointId: 8, AssetPointName: '33/11 kV Docks' }];

export const POINTS = { gdsData: ['P', 'PV', 'BESS', 'Grid', 'SoE'].map((name, index) => ({ pointId: 31 + index, assetName: 'LC1 Jetty', pointName: `LC1/${name}`, unit: name === 'SoE' ? 'kWh' : 'kW', kind: 'measurand' })) };
