// What is said in English: live.

export const live = {
  communicationLost: 'communication lost',
  neverReceived: 'never received',
} as const;
