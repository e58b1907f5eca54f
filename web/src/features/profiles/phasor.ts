// Positions of the phasors of a feeder in their diagram. Pure.
import type { Phase } from '../../charts/model';
import type { Phasors } from '../../wire/history';

export interface Phasor {
  /** The name, such as VR or IR. */
  readonly name: string;
  readonly phase: Phase;
  readonly isCurrent: boolean;
  readonly magnitude: number;
  /** In degrees, counter-clockwise from the right. */
  readonly angle: number;
  /** Position from the centre in units of the outer ring's radius. Down is positive, as in SVG. */
  readonly x: number;
  readonly y: number;
  /** Position of the name. */
  readonly nameX: number;
  readonly nameY: number;
}

/** Length of the longest voltage and current in units of the ring's radius, so that both are visible and names fit inside the ring. */
const LONGEST = { voltage: 0.84, current: 0.56 };
const BEYOND = 0.09;
const ASIDE = 0.1;

/** Returns the phasors with known magnitude and angle. */
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
    // The name of a current is beside its end, so that it is readable if the current lies on its voltage.
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
