// Tests of faults as columns: every day is shown, types have fixed colours, and an open fault does not count as 0 minutes.
import { expect, test } from 'vitest';
import type { FaultTrendRow } from '../../wire/analysis-faults';
import { daysOf, DAYS_MOST, faultBars, placeKey, PLACES_MOST, placesOf, typesOf } from './faulttrends';

const row = (rest: Partial<FaultTrendRow>): FaultTrendRow => ({
  Dt: '2026-11-02',
  dt: '02/11',
  FaultType: 'LG',
  assetId: 1,
  assetName: 'F1',
  locationId: 10,
  locationName: 'Autonagar',
  NoOfTimes: 1,
  Duration: 5,
  open: 0,
  ...rest,
});
const ZONE = 'Asia/Kolkata';
const at = (text: string) => Date.parse(`${text}+05:30`);

test('every day from the first to the last moment is there, by the clock of the utility', () => {
  const { days, cut } = daysOf({ from: at('2026-10-30T23:59:00'), to: at('2026-11-02T00:00:01') }, ZONE);
  expect(days.map(({ label }) => label)).toEqual(['30/10', '31/10', '01/11', '02/11']);
  expect([days[0]?.key, days[0]?.title, cut]).toEqual(['2026-10-30', '30/10/2026', 0]);
});

test('a span that ends at midnight has not begun the next day', () => {
  expect(daysOf({ from: at('2026-11-01T00:00:00'), to: at('2026-11-02T00:00:00') }, ZONE).days).toHaveLength(1);
});

test('of too many days the last are kept, and it is told', () => {
  const { days, cut } = daysOf({ from: at('2020-01-01T00:00:00'), to: at('2026-11-02T00:00:00') }, ZONE);
  expect([days.length, days.at(-1)?.key]).toEqual([DAYS_MOST, '2026-11-01']);
  expect(cut).toBeGreaterThan(2_000);
});

test('places are ordered by their faults, assets within one substation', () => {
  const rows = [
    row({}),
    row({ assetId: 2, assetName: 'F2', locationId: 11, locationName: 'Duvvada', NoOfTimes: 4 }),
    row({ assetId: 3, assetName: 'F3' }),
  ];
  expect(placesOf(rows, false).places.map(({ label }) => label)).toEqual(['Duvvada', 'Autonagar']);
  expect(placesOf(rows, true).places.map(({ label }) => label)).toEqual(['F2', 'F1', 'F3']);
  const many = Array.from({ length: PLACES_MOST + 3 }, (_, index) => row({ locationId: index, locationName: `S${index}` }));
  expect([placesOf(many, false).places.length, placesOf(many, false).cut]).toEqual([PLACES_MOST, 3]);
});

test('types have their order and colour whatever else there is', () => {
  expect(typesOf([row({ FaultType: 'Odd' }), row({ FaultType: 'LLL' }), row({ FaultType: 'LG' })])).toEqual(['LG', 'LLL', 'Odd']);
  const colours = (types: string[]) =>
    faultBars(
      types.map((FaultType) => row({ FaultType })),
      'Day',
      [],
      () => '',
    ).series.map(({ name, colour }) => [name, colour]);
  expect(colours(['LLL', 'LG'])).toEqual([
    ['LG', 0],
    ['LLL', 3],
    ['LG_duration', 0],
    ['LLL_duration', 3],
  ]);
  expect(colours(['LLL'])[0]).toEqual(['LLL', 3]);
});

test('counts are stacked by type, durations are lines on the other axis', () => {
  const { days } = daysOf({ from: at('2026-11-01T00:00:00'), to: at('2026-11-04T00:00:00') }, ZONE);
  const rows = [
    row({ NoOfTimes: 2, Duration: 12.5 }),
    row({ assetId: 2, NoOfTimes: 1, Duration: 2.5 }),
    row({ Dt: '2026-11-03', FaultType: 'LL', NoOfTimes: 1, Duration: null, open: 1 }),
  ];
  const data = faultBars(rows, 'Day', days, ({ Dt }) => Dt);
  const values = Object.fromEntries(data.series.map(({ name, values }) => [name, values]));
  expect(values).toEqual({
    LG: [0, 3, 0],
    LL: [0, 0, 1],
    LG_duration: [0, 15, 0],
    // The duration of an open fault is not known yet.
    LL_duration: [0, 0, null],
  });
  expect([data.left.name, data.right?.name]).toEqual(['Fault Count', 'Total Fault Duration (minutes)']);
  expect(data.notes).toEqual([null, null, '1 still open: their time is not in it.']);
});

test('days whose faults have been let go are not 0', () => {
  const { days } = daysOf({ from: at('2026-11-01T00:00:00'), to: at('2026-11-05T00:00:00') }, ZONE, at('2026-11-02T10:00:00'));
  expect(days.map(({ isForgotten }) => isForgotten ?? false)).toEqual([true, true, false, false]);
  const rows = [row({ Dt: '2026-11-02', NoOfTimes: 1, Duration: 3 }), row({ Dt: '2026-11-04', NoOfTimes: 2, Duration: 5 })];
  expect(faultBars(rows, 'Day', days, ({ Dt }) => Dt).series.map(({ values }) => values)).toEqual([
    [null, 1, 0, 2],
    [null, 3, 0, 5],
  ]);
});

test('what lasts beside what is over leaves the minutes of that', () => {
  const { days } = daysOf({ from: at('2026-11-02T00:00:00'), to: at('2026-11-03T00:00:00') }, ZONE);
  const [open, over] = [row({ assetId: 2, Duration: null, open: 1 }), row({ Duration: 7 })];
  for (const rows of [
    [open, over],
    [over, open],
  ])
    expect(faultBars(rows, 'Day', days, ({ Dt }) => Dt).series.at(-1)?.values).toEqual([7]);
});

test('a place is its substation, or the asset where it has none', () => {
  expect([placeKey(row({}), false), placeKey(row({}), true), placeKey(row({ locationId: null }), false)]).toEqual([
    'location 10',
    'asset 1',
    'asset 1',
  ]);
});
