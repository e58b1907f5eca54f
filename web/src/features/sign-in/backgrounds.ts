// The eight background images of the pages before a session. One is selected at random (specification 1, section 9).

export const BACKGROUNDS = ['pylons', 'feeder', 'bay', 'switchgear', 'transformer', 'trench', 'desk', 'coast'] as const;

export function background(random: () => number = Math.random): string {
  return `/backgrounds/${BACKGROUNDS[Math.floor(random() * BACKGROUNDS.length)] ?? BACKGROUNDS[0]}.svg`;
}
