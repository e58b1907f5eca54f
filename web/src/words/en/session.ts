// English texts of the screens: session and passwords.

export const session = {
  aPasswordHasAtLeast: 'A password has at least {{min}} characters; this one has {{length}}',
  aPasswordHasAtMost: 'A password has at most {{max}} characters; this one has {{length}}',
  pleaseEnterPassword: 'Please enter password',
  pleaseEnterUsername: 'Please enter username',
  theTwoAreNotThe: 'The two are not the same',
} as const;
