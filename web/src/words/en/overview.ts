// English texts of the screens: first screens with current abnormal conditions.

export const overview = {
  allHeard: 'All RTUs are heard.',
  byPriority: 'active: P1 {{one}}, P2 {{two}}, P3 {{three}}',
  customersNotEntered: '{{feeder}}, {{place}}: its number of customers is not entered',
  customersWithoutSupply: 'customers without supply',
  faultsOfADay: '{{total}} faults in the last 24 hours, by hour',
  faultSummary: 'Fault summary over time',
  feedersDead: 'feeders dead: {{n}}',
  hz: 'Hz',
  inADay: 'last 24 h: {{sustained}} sustained, {{momentary}} momentary',
  lastDay: 'last 24 hours, count by hour',
  loading: 'Loading...',
  momentary: 'momentary',
  moreUncounted: '{{n}} more without customers',
  mwLoadNow: 'MW load now',
  openFaults: 'open faults',
  silentFor: '{{name}} silent {{time}}',
  substationsReporting: 'substations reporting',
  suppliesNobody: '{{feeder}}, {{place}}: supplies no customers',
  sustained: 'sustained',
  unacknowledgedAlarms: 'unacknowledged alarms',
} as const;
