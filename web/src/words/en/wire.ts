// English texts of the screens: errors of requests.

export const wire = {
  somethingWentWrong: 'Something went wrong...',
  theServerCannotBeReached: 'The server cannot be reached. Check the connection and try again.',
} as const;
