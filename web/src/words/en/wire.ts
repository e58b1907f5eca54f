// What is said in English: wire.

export const wire = {
  somethingWentWrong: 'Something went wrong...',
  theServerCannotBeReached: 'The server cannot be reached. Check the connection and try again.',
} as const;
