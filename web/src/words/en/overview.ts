// What is said in English: the first screens, with what is abnormal now.

export const overview = {
  allHeard: 'All RTUs are heard.',
  customersWithoutSupply: 'customers without supply',
  heard: 'heard',
  hz: 'Hz',
  lastMessage: 'Last message',
  mwLoadNow: 'MW load now',
  rtu: 'RTU',
  silent: 'silent',
  since: 'Since',
  state: 'State',
  substationsReporting: 'substations reporting',
} as const;
