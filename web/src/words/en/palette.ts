// English texts of the screens: search with Ctrl+K.

export const palette = {
  found: 'Found',
  goTo: 'Go to',
  loading: 'Loading...',
  nameOfASubstationDevice: 'Name of a substation, device or screen',
  nothingByThatName: 'Nothing by that name',
} as const;
