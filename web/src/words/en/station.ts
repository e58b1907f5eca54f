// What is said in English: station.

export const station = {
  all: 'All',
  circle: 'Circle',
  device: 'Device',
  devices: 'Devices',
  devicesOfThisDiagram: 'Devices of this diagram',
  division: 'Division',
  eventsHere: 'Events here',
  is: '{{name}} is {{status}}',
  lastKnownAsOf: 'last known, as of',
  loading: 'Loading...',
  location: 'Location',
  more: '{{more}} more',
  neverReceived: 'Never received',
  noDataAvailable: 'No data available',
  now: 'Now',
  old: 'old',
  rtuLost: 'RTU lost',
  select: 'Select',
  selectADeviceOnThe: 'Select a device on the diagram or in the list.',
  substations: 'Substations',
} as const;
