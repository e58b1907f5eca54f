// The charts of a site's day: energy by half hour, power flows, battery, and shares of the consumption. Pure.
import type { Bars, BarSeries } from '../../charts/bars';
import type { Pie } from '../../charts/pie';
import { ALL_SLOTS, clockOf, halfHour, SLOTS } from '../../ui/halfhours';
import type { Compared, Historical, Optimised, Shares, Slots } from '../../wire/lowcarbon';
import { t } from '../../words';

/** Indexes of the palette's plain colours. A quantity has the same colour in each chart. */
const COLOURS = { grid: 0, battery: 5, site: 4, solar: 3 } as const;

/** Steps of the labels in half hours: whole hours and fractions of a day. */
const STEPS = [2, 4, 6, 8, 12, 24] as const;

/** Dash pattern of forecasts in a chart with several lines, where dots would be hard to follow. */
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

/** The energy of each half hour, kWh: its power multiplied by its length in hours. */
export function energyOf(row: Row, hours: readonly number[]): Row {
  return row.map((value, slot) => (value === null ? null : value * (hours[slot] ?? 0) + 0));
}

/** The used solar power: the available power minus the curtailed power. */
export function takenSolar(pv: Row, curtailed: Row | null): Row {
  return pv.map((value, slot) => (value === null ? null : value - (curtailed?.[slot] ?? 0)));
}

/**
 * The energy of each half hour by source, stacked. Energy that charges the battery or is exported is below 0. The sum is the consumption of
 * the site.
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

/** The power of each half hour. Positive is import from the grid, and charging of the battery. */
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

/** The starts of all half hours, and the end of the day. */
const MOMENTS = [...ALL_SLOTS, SLOTS];

const moments = {
  head: t('lowcarbon.time'),
  categories: MOMENTS.map(clockOf),
  steps: STEPS,
  hasNoDots: true,
} as const;

/** The charge of the battery in kWh, with percent as a note, and yesterday's charge if it was measured. */
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

/** Two plans of a day: power from the grid and charge of the battery. */
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

/** The site's consumption by source, in whole percent. */
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

/** Formats a date such as 2026-11-22 for display. */
export function dayWords(day: string): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at)) return day;
  return new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'short', day: '2-digit', month: 'short', year: 'numeric' }).format(at);
}

/** Charge at the end of the day minus charge at its start. A plan that ends with less charge is cheaper only on this day. */
export function storedChange(storageKwh: Row): number {
  // If a clock change skips midnight, the day starts with its first existing time.
  return (storageKwh.at(-1) ?? 0) - (storageKwh.find((kwh) => kwh !== null) ?? 0);
}
