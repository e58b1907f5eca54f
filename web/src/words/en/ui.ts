// English texts of the screens: shared controls.

export const ui = {
  all: 'All {{count}}',
  and: 'and',
  chosenOf: '{{count}} chosen: {{names}}',
  fromTo: '{{from}} to {{to}}',
  invalidData: 'Invalid data',
  keptSince: 'Kept since {{date}}',
  loading: 'Loading...',
  noHalfHour: 'There is no half hour in it: 0 and 48 are all day.',
  notAHalfHour: 'Half hours of a day, from 0 to {{most}}',
  overMidnight: '{{from}} to {{to}}, over midnight',
  moreTypeOn: 'more: type on',
  nothingByThatName: 'Nothing by that name',
  ok: 'OK',
  notUpToDate: 'Not up to date: {{problem}}',
  tryAgain: 'Try again',
  typeToFind: 'Type to find',
} as const;
