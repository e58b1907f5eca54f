// Generated answers for the export of reports: the specification's inputs and frequencies, and enough rows for scrolling.

export const NOW = Date.UTC(2026, 10, 22, 8, 33);

const report = (ReportId: number, ReportName: string, ReportKey: string, ReportFrequencyListIds: readonly number[], more: { Historic?: boolean; RealTime?: boolean; Multiple?: boolean } = {}) => ({ ReportId, ReportName, ReportKey, Historic: true, RealTime: false, ReportFrequencyListIds, Multiple: true, ...more });

export const REPORTS = [
  report(1, 'SAIDI and SAIFI', 'SAIDI_SAIFI', [2, 3, 4, 6]),
  report(2, 'Event Log', 'EVENT_LOG', [1, 6, 7, 9]),
  report(4, 'Limit Violation', 'LIMIT_VIOLATION', [1, 2, 6], { RealTime: true }),
  report(9, 'High Activity Breaker', 'HIGH_ACTIVITY_BREAKER', [2, 3, 4, 6, 9]),
  report(21, 'RTU Health', 'RTU_HEALTH', [5], { Historic: false, RealTime: true }),
  report(10, 'Substation Daily Log Sheet', 'SS_DAILY_LOG_SHEET', [1, 5], { Multiple: false }),
  report(31, 'Feeder Data by Sample Time', 'EE_DAILY_FEEDER_DATA', [6, 7]),
  report(32, 'Asset Hourly Log Sheet', 'ASSET_HOURLY_LOG_SHEET', [6, 7]),
  report(37, 'GDS Data by Sample Time', 'GDSDataSingleDateBySampleTime', [6, 7]),
];

export const FREQUENCIES = [
  [1, 'Daily'],
  [2, 'Monthly'],
  [3, 'Quarterly'],
  [4, 'Financial Year'],
  [5, 'None'],
  [6, 'Date Range'],
  [7, 'Single Date'],
  [9, 'Weekly'],
].map(([ReportFrequencyListId, DisplayText]) => ({ ReportFrequencyListId, DisplayText }));

const INPUTS: Readonly<Record<number, string>> = { 1: 'excludeMomentary', 4: 'quantity', 9: 'limit', 31: 'sampleMinutes', 32: 'sampleMinutes', 37: 'sampleMinutes' };

const COLUMNS = [
  { name: 'Substation', unit: '', kind: 'text', meaning: 'The substation of the feeder' },
  { name: 'Feeder', unit: '', kind: 'text', meaning: 'The feeder that the row is about' },
  { name: 'Time', unit: '', kind: 'time', meaning: 'When it was measured, in the zone of the utility' },
  { name: 'Voltage', unit: 'kV', kind: 'number', meaning: 'Mean of the three voltages between phases' },
  { name: 'Current', unit: 'A', kind: 'number', meaning: 'Mean of the three phase currents' },
  { name: 'Active power', unit: 'kW', kind: 'number', meaning: 'Three-phase active power' },
  { name: 'Reactive power', unit: 'kVAr', kind: 'number', meaning: 'Three-phase reactive power' },
  { name: 'Power factor', unit: '', kind: 'number', meaning: 'Active over apparent power' },
  { name: 'Remark', unit: '', kind: 'text', meaning: 'What is doubtful about the row' },
];

export const details = (id: number) => ({ ...REPORTS.find(({ ReportId }) => ReportId === id), input: INPUTS[id] ?? null, columns: COLUMNS });

const noise = (place: number) => Math.abs(Math.sin(place * 12.9898) * 43758.5453) % 1;
const round = (value: number, decimals: number) => Number(value.toFixed(decimals));

/** One row for each quarter of an hour. */
export function rows(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const amps = 80 + 140 * noise(index);
    const isGap = index % 97 === 13;
    return [
      ['33/11 kV Quayside', '33/11 kV Millfield', '33/11 kV Station Road'][index % 3] ?? '',
      `11KV-F${(index % 7) + 1}`,
      new Date(Date.UTC(2026, 10, 1) + Math.floor(index / 21) * 900_000).toISOString(),
      isGap ? null : round(10.8 + 0.5 * noise(index + 7), 2),
      isGap ? null : round(amps, 1),
      isGap ? null : round(amps * 18.4, 1),
      isGap ? null : round(amps * 5.1 * (noise(index + 3) - 0.3), 1),
      isGap ? null : round(0.9 + 0.09 * noise(index + 11), 3),
      isGap ? 'No values: the gateway was away' : '',
    ];
  });
}

export { COLUMNS };

export const LEVELS = [
  [1, 'ClientAdmin'],
  [2, 'CircleAdmin'],
  [3, 'DivisionAdmin'],
  [8, 'SubstationAdmin'],
].map(([roleId, levelName]) => ({ roleId, levelName, tabsList: '' }));

const item = (displayId: number, displayName: string, breadCrumbName: string, more: object = {}) => ({ displayId, displayName, breadCrumbName, parentId: null, ...more });

export const DIVISIONS = [item(4, 'Harbour', 'Coast › Harbour'), item(5, 'Hills', 'Coast › Hills'), item(6, 'Old Town', 'Coast › Old Town')];

export const LOCATIONS = Array.from({ length: 24 }, (_, index) => {
  const division = DIVISIONS[index % 3];
  const name = `33/11 kV ${['Quayside', 'Ridge', 'Market'][index % 3]} ${Math.floor(index / 3) + 1}`;
  return item(100 + index, name, `${division?.breadCrumbName} › ${name}`, { divisionId: division?.displayId });
});

export const ASSETS = Array.from({ length: 180 }, (_, index) => {
  const place = LOCATIONS[index % 24];
  const name = index % 8 === 7 ? `TR-${index}` : `11KV-F${index}`;
  return item(1_000 + index, name, `${place?.breadCrumbName} › ${name}`, { assetPointId: place?.displayId, assetTypeId: index % 8 === 7 ? 2 : 1 });
});
