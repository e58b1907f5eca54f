// English texts of the screens: substation.

export const station = {
  all: 'All',
  asset: 'Asset',
  circle: 'Circle',
  device: 'Device',
  devices: 'Devices',
  devicesOfThisDiagram: 'Devices of this diagram',
  division: 'Division',
  drawnInverted: 'This is what the device reports. The diagram draws this device the other way round.',
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
  select: 'Select',
  selectADeviceOnThe: 'Select a device on the diagram or in the list.',
} as const;
