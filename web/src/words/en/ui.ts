// What is said in English: ui.

export const ui = {
  and: 'and',
  invalidData: 'Invalid data',
  loading: 'Loading...',
  moreTypeOn: 'more: type on',
  nothingByThatName: 'Nothing by that name',
  ok: 'OK',
  notUpToDate: 'Not up to date: {{problem}}',
  tryAgain: 'Try again',
  typeToFind: 'Type to find',
} as const;
