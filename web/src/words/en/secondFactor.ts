// English texts of the screens: second factor.

export const secondFactor = {
  close: 'Close',
  code: 'The {{digits}} digits that it shows',
  codeOrRecovery: 'Code of your authenticator, or a recovery code',
  due: 'Your role needs a second factor here. Set it up to go on.',
  iHaveThem: 'I have them',
  isOff: 'Your password alone signs you in. With a second factor a code of your own device is asked for as well.',
  isOn: 'A code of your device is asked for when you sign in. {{left}} recovery codes are left.',
  keepTheCodes: 'Each of these signs you in once when your device is not at hand. They are shown this once: keep them where your device is not.',
  newCodes: 'New recovery codes',
  notOffered: 'This site does not offer a second factor.',
  orType: 'Or type it in:',
  password: 'Your password',
  qr: 'The secret as a QR code',
  removed: 'Your password alone signs you in again.',
  scan: 'Scan this with an authenticator app.',
  setUp: 'Set up',
  takeAway: 'Take away',
  title: 'Second factor',
  turnOn: 'Turn on',
} as const;
