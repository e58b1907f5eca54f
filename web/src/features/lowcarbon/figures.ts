// The pictures of a site's day: energy by half hours, power flows, the battery, the shares of what the site used. Pure.
import type { Bars, BarSeries } from '../../charts/bars';
import type { Pie } from '../../charts/pie';
import { ALL_SLOTS, clockOf, halfHour, SLOTS } from '../../ui/halfhours';
import type { Compared, Historical, Optimised, Shares, Slots } from '../../wire/lowcarbon';
import { t } from '../../words';

/** Of the palette's plain colours; the same thing has the same colour in each picture. */
const COLOURS = { grid: 0, battery: 5, site: 4, solar: 3 } as const;

/** Hours, and whole parts of a day. */
const STEPS = [2, 4, 6, 8, 12, 24] as const;

/** What is foreseen, where several lines would be lost as dots. */
const DASH = [4, 2.5] as const;

const frame = {
  head: t('lowcarbon.halfHour'),
  categories: ALL_SLOTS.map(clockOf),
  titles: ALL_SLOTS.map(halfHour),
  steps: STEPS,
  hasNoDots: true,
} as const;

type Row = readonly (number | null)[];

const times = (row: Row, by: number): Row => row.map((value) => (value === null ? null : value * by + 0));

/** What the power of half hours comes to, kWh: each by how long it lasts. */
export function energyOf(row: Row, hours: readonly number[]): Row {
  return row.map((value, slot) => (value === null ? null : value * (hours[slot] ?? 0) + 0));
}

/** What the panels gave: what they could give less what nobody wanted. */
export function takenSolar(pv: Row, curtailed: Row | null): Row {
  return pv.map((value, slot) => (value === null ? null : value - (curtailed?.[slot] ?? 0)));
}

/**
 * The energy of each half hour by where it comes from, standing on one another; below 0 is what goes away: into the battery, to the grid.
 * The sum is what the site used.
 */
export function energyBars(slots: Slots | null, curtailed: Row | null, isForecast: boolean): Bars {
  const column = (name: string, colour: number, row: Row): BarSeries => ({
    name,
    unit: 'kWh',
    colour,
    stack: 'energy',
    values: row,
    isForecast,
  });
  return {
    ...frame,
    left: { name: t('lowcarbon.energyKwh') },
    series: slots
      ? [
          column(t('lowcarbon.grid'), COLOURS.grid, energyOf(slots.NetDemand_Kw, slots.slot_hours)),
          column(t('lowcarbon.battery'), COLOURS.battery, times(energyOf(slots.Battery_Charge_Discharge_Kw, slots.slot_hours), -1)),
          column(t('lowcarbon.solar'), COLOURS.solar, energyOf(takenSolar(slots.PV_Generation_Kw, curtailed), slots.slot_hours)),
          {
            name: t('lowcarbon.site'),
            unit: 'kWh',
            colour: COLOURS.site,
            as: 'line',
            values: energyOf(slots.Base_Demand_Kw, slots.slot_hours),
            ...(isForecast && { isForecast, dash: DASH }),
          },
        ]
      : [],
  };
}

/** The power of each half hour: from the grid above 0, into the battery above 0. */
export function powerLines(slots: Slots | null, curtailed: Row | null, isForecast: boolean): Bars {
  const line = (name: string, colour: number, values: Row): BarSeries => ({
    name,
    unit: 'kW',
    colour,
    as: 'line',
    values,
    ...(isForecast && { isForecast, dash: DASH }),
  });
  return {
    ...frame,
    left: { name: t('lowcarbon.powerKw') },
    series: slots
      ? [
          line(t('lowcarbon.grid'), COLOURS.grid, slots.NetDemand_Kw),
          line(t('lowcarbon.battery'), COLOURS.battery, slots.Battery_Charge_Discharge_Kw),
          line(t('lowcarbon.site'), COLOURS.site, slots.Base_Demand_Kw),
          line(t('lowcarbon.solar'), COLOURS.solar, takenSolar(slots.PV_Generation_Kw, curtailed)),
        ]
      : [],
  };
}

/** The beginnings of all half hours, and the end of the day. */
const MOMENTS = [...ALL_SLOTS, SLOTS];

const moments = {
  head: t('lowcarbon.time'),
  categories: MOMENTS.map(clockOf),
  steps: STEPS,
  hasNoDots: true,
} as const;

/** How full the battery is: kWh as an axis, percent said beside each moment; yesterday, where it was measured. */
export function storageLines({ storageKwh, storagePercent }: Pick<Optimised, 'storageKwh' | 'storagePercent'>, historical: Pick<Historical, 'results'> | null): Bars {
  const before = historical?.results.Battery_Storage_Kwh ?? [];
  const isMeasured = before.some((value) => value !== null);
  return {
    ...moments,
    titles: MOMENTS.map((slot) => (storagePercent ? t('lowcarbon.atPercent', { time: clockOf(slot), percent: storagePercent[slot]?.toFixed(0) ?? '–' }) : clockOf(slot))),
    left: { name: t('lowcarbon.storedKwh') },
    series: [
      ...(isMeasured
        ? [{ name: t('lowcarbon.yesterday'), unit: 'kWh', colour: COLOURS.site, as: 'line', values: [...before, null] } satisfies BarSeries]
        : []),
      { name: t('lowcarbon.planned'), unit: 'kWh', colour: COLOURS.battery, as: 'line', values: storageKwh, isForecast: true, dash: DASH },
    ],
  };
}

/** Two plans of a day: what the grid gives, and how full the battery is. */
export function comparedGrid({ base, changed }: Compared): Bars {
  return {
    ...frame,
    left: { name: t('lowcarbon.powerKw') },
    series: [
      { name: t('lowcarbon.gridAsPlanned'), unit: 'kW', colour: COLOURS.site, as: 'line', values: base.results.NetDemand_Kw },
      { name: t('lowcarbon.gridChanged'), unit: 'kW', colour: COLOURS.grid, as: 'line', values: changed.results.NetDemand_Kw, isForecast: true, dash: DASH },
    ],
  };
}

export function comparedStorage({ base, changed }: Compared): Bars {
  return {
    ...moments,
    left: { name: t('lowcarbon.storedKwh') },
    series: [
      { name: t('lowcarbon.batteryAsPlanned'), unit: 'kWh', colour: COLOURS.site, as: 'line', values: base.storageKwh },
      { name: t('lowcarbon.batteryChanged'), unit: 'kWh', colour: COLOURS.battery, as: 'line', values: changed.storageKwh, isForecast: true, dash: DASH },
    ],
  };
}

/** What the site used, by where it came from, whole percent. */
export function sharesPie(shares: Shares, siteKwh: number | null): Pie {
  return {
    head: t('lowcarbon.source'),
    valueHead: t('lowcarbon.share'),
    unit: '%',
    slices: [
      { name: t('lowcarbon.solar'), value: shares?.solar ?? null, colour: COLOURS.solar },
      { name: t('lowcarbon.battery'), value: shares?.battery ?? null, colour: COLOURS.battery },
      { name: t('lowcarbon.grid'), value: shares?.grid ?? null, colour: COLOURS.grid },
    ],
    ...(siteKwh !== null && { centre: [siteKwh.toFixed(siteKwh < 100 ? 1 : 0), 'kWh'] }),
  };
}

/** 2026-11-22 as people write it. */
export function dayWords(day: string): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at)) return day;
  return new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'short', day: '2-digit', month: 'short', year: 'numeric' }).format(at);
}

/** What the battery holds more at the end of the day than at its beginning: a plan that ends emptier is cheaper today and not tomorrow. */
export function storedChange(storageKwh: Row): number {
  // Where the clock leaves midnight out, the day begins with the first moment that it shows.
  return (storageKwh.at(-1) ?? 0) - (storageKwh.find((kwh) => kwh !== null) ?? 0);
}
