// English texts of the screens: hierarchy.

export const hierarchy = {
  client: 'Client',
  hierarchy: 'Hierarchy',
  noChildNodesExist: 'no child nodes exist',
  select: 'Select {{name}}',
  selectLevel: 'Select Level',
  selectLevel2: '-- Select Level --',
  thePlaceInThisAddress: 'The place in this address is none that you may see.',
  tryAgain: 'Try again',
  where: 'Where',
} as const;
