// English texts of the screens: errors of requests.

export const wire = {
  somethingWentWrong: 'Something went wrong...',
  cancel: 'Cancel',
  cancelled: 'Cancelled before an answer arrived.',
  forSeconds: ': {{seconds}} s',
  stillWorking_one: 'The server is still working',
  stillWorking_other: 'The server is still working on {{count}} requests',
  theServerCannotBeReached: 'The server cannot be reached. Check the connection and try again.',
  tookTooLong: 'The server took too long to answer. Try again, or choose less data.',
} as const;
