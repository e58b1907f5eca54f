// Tests of the form of a low-carbon site: conversion of time bands to 48 prices and back, and errors by field.
import { expect, test } from 'vitest';
import type { SiteConfiguration } from '../../wire/lowcarbon';
import { bandsOf, BLANK, draftOfSite, endOf, pricesOf, readSite, split, without, type Band, type SiteDraft } from './lowcarbon';

const bands = (...all: [number, string, string?][]): Band[] => all.map(([from, importPrice, exportPrice = '']) => ({ from, importPrice, exportPrice }));
const DAY = bands([0, '5', '3'], [12, '7.5', '3'], [36, '9', '4']);

test('bands come to 48 prices, and 48 prices to the same bands', () => {
  const importPrice = pricesOf(DAY, 'importPrice') as number[];
  const exportPrice = pricesOf(DAY, 'exportPrice') as number[];
  expect(importPrice).toHaveLength(48);
  expect([importPrice[0], importPrice[11], importPrice[12], importPrice[35], importPrice[36], importPrice[47]]).toEqual([5, 5, 7.5, 7.5, 9, 9]);
  expect(bandsOf({ importPrice, exportPrice })).toEqual(DAY);
  expect(bandsOf({ importPrice, exportPrice: null }).map(({ exportPrice }) => exportPrice)).toEqual(['', '', '']);
});

test('a change of the export price alone begins a band', () => {
  const importPrice = Array.from({ length: 48 }, () => 5);
  const exportPrice = Array.from({ length: 48 }, (_, slot) => (slot < 20 ? 2 : 3));
  expect(bandsOf({ importPrice, exportPrice })).toEqual(bands([0, '5', '2'], [20, '5', '3']));
});

test('a band ends where the next begins, the last with the day', () => {
  expect(DAY.map((_, at) => endOf(DAY, at))).toEqual([12, 36, 48]);
});

test('a new band is the second half of the longest, until each half hour has its own', () => {
  expect(split(DAY)).toEqual(bands([0, '5', '3'], [12, '7.5', '3'], [24, '7.5', '3'], [36, '9', '4']));
  let all: readonly Band[] = bands([0, '5']);
  for (let more = split(all); more !== all; more = split(all)) all = more;
  expect(all.map(({ from }) => from)).toEqual(Array.from({ length: 48 }, (_, slot) => slot));
});

test('without a band the one before takes its time; the day always begins with one', () => {
  expect(without(DAY, 1)).toEqual(bands([0, '5', '3'], [36, '9', '4']));
  expect(without(DAY, 0)).toEqual(bands([0, '7.5', '3'], [36, '9', '4']));
  expect(without(bands([0, '5']), 0)).toEqual(bands([0, '5']));
});

const GOOD: SiteDraft = { ...BLANK, text: { ...BLANK.text, deviceId: '12193', name: ' Jetty ', lat: '17.69', lon: '83.22' }, locationId: 7, bands: DAY, mayExport: true };
const told = (part: Partial<SiteDraft>, text: Partial<SiteDraft['text']> = {}) => {
  const read = readSite({ ...GOOD, ...part, text: { ...GOOD.text, ...text } });
  return 'faults' in read ? Object.keys(read.faults) : [];
};

test('a whole form is sent as numbers; its place is that of the parameters', () => {
  const read = readSite(GOOD);
  if (!('change' in read)) throw new Error(JSON.stringify(read.faults));
  expect(read.device).toBe(12_193);
  expect(read.change).toMatchObject({ name: 'Jetty', locationId: 7, lat: 17.69, lon: 83.22, mayExport: true, initialEnergyKwh: null, importLimitKw: null, solarProfile: null });
  expect(read.change.parameters).toMatchObject({ BatteryCapacityMaxKwh: 100, DischargingEndTimeHours: 46, lat: 17.69, lon: 83.22, Objective: 'cost_with_solar', deviceId: 12_193 });
  expect(read.change.tariff.exportPrice).toHaveLength(48);
});

test('what may not be exported has no price', () => {
  const read = readSite({ ...GOOD, mayExport: false });
  expect('change' in read && read.change.tariff.exportPrice).toBe(null);
  expect(told({ mayExport: false, bands: bands([0, '5']) })).toEqual([]);
});

test('a site goes into the form and out of it as it was', () => {
  const read = readSite(GOOD);
  if (!('change' in read)) throw new Error('faults');
  const { name, locationId, lat, lon, ...rest } = read.change;
  const configuration: SiteConfiguration = {
    ...rest,
    solarProfile: Array.from({ length: 48 }, (_, slot) => slot / 10),
    initialEnergyKwh: 12.5,
    importLimitKw: 60.5,
    endsAsItBegan: true,
    site: { deviceId: read.device, name, locationId, locationName: 'Quayside', breadCrumbName: 'Harbour › Quayside', lat, lon },
    points: { site: { pointId: 4, name: 'P' }, solar: null, battery: null, grid: null, storage: null },
    timeZone: 'Asia/Kolkata',
    mayChange: true,
  };
  const again = readSite(draftOfSite(configuration));
  expect(again).toEqual({
    device: read.device,
    change: { ...read.change, solarProfile: configuration.solarProfile, initialEnergyKwh: 12.5, importLimitKw: 60.5, endsAsItBegan: true, points: { site: 4, solar: null, battery: null, grid: null, storage: null } },
  });
});

test.each([
  ['deviceId', { deviceId: '' }],
  ['deviceId', { deviceId: '1.5' }],
  ['name', { name: '  ' }],
  ['currency', { currency: 'Rs' }],
  ['lon', { lon: '' }],
  ['lat', { lat: '' }],
  ['lat', { lat: 'north' }],
  ['BatteryCapacityMaxKwh', { BatteryCapacityMaxKwh: '' }],
  ['chargeEfficiency', { chargeEfficiency: '95 %' }],
  ['importLimitKw', { importLimitKw: 'none' }],
  ['ChargingStartTimeHours', { ChargingStartTimeHours: '' }],
  ['solarProfile', { solarProfile: '1 2 3' }],
] as const)('%s is told of %j', (field, text) => {
  expect(told({}, text)).toEqual([field]);
});

test('a place and prices are needed, and nobody sells for more than they buy', () => {
  expect(told({ locationId: null })).toEqual(['locationId']);
  expect(told({ bands: bands([0, '5', ''], [20, 'x', '3'], [30, '5', '6']) })).toEqual(['exportPrice-0', 'importPrice-1', 'exportPrice-2']);
});

test('a blank form names all that is missing', () => {
  const read = readSite(BLANK);
  expect('faults' in read && Object.keys(read.faults)).toEqual(['name', 'deviceId', 'locationId', 'importPrice-0']);
});
