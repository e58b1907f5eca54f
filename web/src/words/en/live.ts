// English texts of the screens: live values and positions.

export const live = {
  active: 'Active',
  closed: 'Closed',
  communicationLost: 'communication lost',
  inactive: 'Inactive',
  intermediate: 'Intermediate',
  invalid: 'Invalid',
  neverReceived: 'never received',
  open: 'Open',
} as const;
