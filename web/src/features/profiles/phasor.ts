// Where the phasors of a feeder stand in their diagram. Pure.
import type { Phase } from '../../charts/model';
import type { Phasors } from '../../wire/history';

export interface Phasor {
  /** VR, IR and so on. */
  readonly name: string;
  readonly phase: Phase;
  readonly isCurrent: boolean;
  readonly magnitude: number;
  /** Degrees, counter-clockwise from the right. */
  readonly angle: number;
  /** From the middle, in parts of the outer ring's radius; down is positive, as in SVG. */
  readonly x: number;
  readonly y: number;
  /** Where its name stands. */
  readonly nameX: number;
  readonly nameY: number;
}

/** The longest voltage and the longest current, in parts of the ring: both are readable, and a name has room before the ring. */
const LONGEST = { voltage: 0.84, current: 0.56 };
const BEYOND = 0.09;
const ASIDE = 0.1;

/** Those that are known: without a magnitude or an angle there is nothing to draw. */
export function phasors(given: Phasors): Phasor[] {
  const all: [Phase, boolean, number | null, number | null][] = [
    ['R', false, given.varms, given.vaph],
    ['Y', false, given.vbrms, given.vbph],
    ['B', false, given.vcrms, given.vcph],
    ['R', true, given.iarms, given.iaph],
    ['Y', true, given.ibrms, given.ibph],
    ['B', true, given.icrms, given.icph],
  ];
  const longest = (isCurrent: boolean) => Math.max(0, ...all.map(([, kind, magnitude]) => (kind === isCurrent ? (magnitude ?? 0) : 0)));
  return all.flatMap(([phase, isCurrent, magnitude, angle]): Phasor[] => {
    const whole = longest(isCurrent);
    if (magnitude === null || angle === null || whole <= 0) return [];
    const length = (magnitude / whole) * (isCurrent ? LONGEST.current : LONGEST.voltage);
    const turn = (angle * Math.PI) / 180;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    // A current's name stands beside its end, so that it can be read when it lies upon its voltage.
    const [out, aside] = isCurrent ? [length, ASIDE] : [length + BEYOND, 0];
    return [
      {
        name: `${isCurrent ? 'I' : 'V'}${phase}`,
        phase,
        isCurrent,
        magnitude,
        angle,
        x: length * cos,
        y: -length * sin,
        nameX: out * cos + aside * sin,
        nameY: -out * sin + aside * cos,
      },
    ];
  });
}
