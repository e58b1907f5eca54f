// Our own artwork of the symbols, as path data around the origin, for a device on a vertical line. The canvas draws it, and the files in
// public/Images are generated from it. Two sets: in the style of IEEE 315-1975, and of IEC 60617.

/** The colours of the parts of a symbol. */
export type Role = 'state' | 'high' | 'low' | 'third' | 'line' | 'quiet';

export interface Stroke {
  readonly d: string;
  readonly role: Role;
  /** Whether the path is filled and not stroked. */
  readonly fill?: true;
  readonly dash?: true;
  readonly width?: number;
}

export type Figure = 'open' | 'closed' | 'between' | 'active' | 'still';
export type Artwork = Readonly<Partial<Record<Figure, readonly Stroke[]>>>;
export type SymbolName = 'breaker' | 'isolator' | 'earth-switch' | 'transformer' | 'three-winding-transformer' | 'relay' | 'battery' | 'capacitor' | 'ct' | 'pt' | 'arrester' | 'fuse' | 'generator' | 'motor' | 'reactor' | 'source' | 'feeder' | 'load-break-switch' | 'recloser' | 'sectionaliser' | 'switch' | 'load' | 'inverter' | 'continuation';
export type SymbolSet = Readonly<Record<SymbolName, Artwork>>;

const SQUARE = 'M-8-8H8V8H-8Z';
const ENDS = 'M-2.4-10a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0-4.8 0M-2.4 10a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0-4.8 0';
const FOOT = 'M-2.4 10a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0-4.8 0';
const EARTH = 'M24 0H28M28-8V8M32-5V5M36-2V2';
const GROUND = 'M0 7V22M-8 22H8M-5 26H5M-2 30H2';
const TRIANGLE = 'M-6-5H6L0 6Z';
const circle = (y: number, r: number) => `M${-r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

const COILS: readonly Stroke[] = [
  { d: 'M0-26V-13M-18-13a6 6.5 0 0 0 12 0a6 6.5 0 0 0 12 0a6 6.5 0 0 0 12 0', role: 'high', width: 2.2 },
  { d: 'M0 26V13M-18 13a6 6.5 0 0 1 12 0a6 6.5 0 0 1 12 0a6 6.5 0 0 1 12 0', role: 'low', width: 2.2 },
  { d: 'M-20-1.6H20M-20 1.6H20', role: 'quiet', width: 1.2 },
];
const WINDINGS: readonly Stroke[] = [{ d: circle(-10, 16), role: 'high', width: 2 }, { d: circle(10, 16), role: 'low', width: 2 }];

const still = (...strokes: readonly Stroke[]): Artwork => ({ still: strokes });

/** A switch with a blade. `contact` is its fixed contact: a ring for a switch that can break load current, a bar for a switch of unknown kind. */
const blades = (contact: string): Artwork => ({
  closed: [{ d: contact, role: 'state', width: 1.8 }, { d: `M0 10V${contact.includes('a') ? -4.4 : -10}`, role: 'state', width: 2 }, { d: FOOT, role: 'state', fill: true }],
  open: [{ d: contact, role: 'state', width: 1.8 }, { d: 'M0 10L-11-5', role: 'state', width: 2 }, { d: FOOT, role: 'state', fill: true }],
  between: [{ d: contact, role: 'state', width: 1.8 }, { d: 'M0 10L-7-7', role: 'state', width: 2, dash: true }],
});

/** A breaker in a round case, with its letter inside. */
const CASE: Artwork = {
  closed: [{ d: circle(0, 9), role: 'state', fill: true }, { d: circle(0, 9), role: 'state', width: 2 }],
  open: [{ d: circle(0, 9), role: 'state', width: 2 }],
  between: [{ d: circle(0, 9), role: 'state', width: 2, dash: true }],
};

const COMMON = {
  'earth-switch': {
    closed: [{ d: `M0 0H24${EARTH}`, role: 'state', width: 1.6 }],
    open: [{ d: `M0 0H8L21-9${EARTH}`, role: 'state', width: 1.2 }],
    between: [{ d: 'M0 0H8L22-4', role: 'state', width: 1.2, dash: true }, { d: EARTH, role: 'state', width: 1.2 }],
  },
  relay: {
    still: [{ d: circle(0, 10), role: 'quiet', width: 1.2 }],
    active: [{ d: circle(0, 10), role: 'state', fill: true }, { d: circle(0, 10), role: 'state', width: 1.2 }],
  },
  battery: still({ d: 'M-9-9V9M-3-5V5M3-9V9M9-5V5', role: 'line', width: 1.4 }),
  arrester: still({ d: 'M-5-10H5V10H-5ZM0-16V4M-3 0L0 4L3 0M0 10V16', role: 'line', width: 1.2 }),
  fuse: still({ d: 'M-4-10H4V10H-4ZM0-10V10', role: 'line', width: 1.4 }),
  generator: still({ d: circle(0, 14), role: 'low', width: 2 }),
  motor: still({ d: circle(0, 14), role: 'low', width: 2 }),
  reactor: still({ d: 'M0-18V-12a4 4 0 0 1 0 8a4 4 0 0 1 0 8a4 4 0 0 1 0 8V18', role: 'low', width: 2 }),
  'load-break-switch': blades(circle(-7.2, 2.8)),
  switch: blades('M-4-10H4'),
  recloser: CASE,
  sectionaliser: CASE,
  load: still({ d: 'M0-6V0', role: 'low', width: 1.6 }, { d: 'M-5.5-1H5.5L0 8Z', role: 'low', fill: true }),
  inverter: still({ d: 'M-12-12H12V12H-12Z', role: 'low', width: 1.8 }, { d: 'M-7 0C-4.5-6-2.5-6 0 0S4.5 6 7 0', role: 'low', width: 1.6 }),
  continuation: still({ d: 'M-9 0H9', role: 'low', width: 3.4 }),
  source: still({ d: TRIANGLE, role: 'low', fill: true }),
  feeder: still({ d: TRIANGLE, role: 'low', fill: true }),
} as const satisfies Partial<SymbolSet>;

/** In the style of IEEE 315-1975: breakers are squares, windings are coils. */
export const IEEE1975: SymbolSet = {
  ...COMMON,
  breaker: {
    closed: [{ d: SQUARE, role: 'state', fill: true }, { d: SQUARE, role: 'state', width: 2 }],
    open: [{ d: SQUARE, role: 'state', width: 2 }],
    between: [{ d: SQUARE, role: 'state', width: 2, dash: true }],
  },
  isolator: {
    closed: [{ d: ENDS, role: 'state', fill: true }, { d: 'M0 10V-10', role: 'state', width: 2 }],
    open: [{ d: ENDS, role: 'state', fill: true }, { d: 'M0 10L-12-7', role: 'state', width: 2 }],
    between: [{ d: ENDS, role: 'state', fill: true }, { d: 'M0 10L-7-9', role: 'state', width: 2, dash: true }],
  },
  transformer: still(...COILS),
  'three-winding-transformer': still(...COILS, { d: 'M-33 0H-26M-26-12a4 4 0 0 1 0 8a4 4 0 0 1 0 8a4 4 0 0 1 0 8', role: 'third', width: 2.2 }),
  capacitor: still({ d: 'M-12 0H12', role: 'low', width: 2.4 }, { d: 'M-12 10Q0 3 12 10', role: 'low', width: 2.4 }, { d: GROUND, role: 'quiet', width: 1.3 }),
  ct: still({ d: 'M0-8a4 4 0 0 1 0 8a4 4 0 0 1 0 8', role: 'line', width: 1.4 }),
  pt: still({ d: 'M-9-3a3 4 0 0 0 6 0a3 4 0 0 0 6 0a3 4 0 0 0 6 0M-9 6a3 4 0 0 1 6 0a3 4 0 0 1 6 0a3 4 0 0 1 6 0', role: 'line', width: 1.4 }),
};

/** In the style of IEC 60617: contacts have qualifying symbols, windings are circles. */
export const IEC60617: SymbolSet = {
  ...COMMON,
  breaker: {
    closed: [{ d: 'M-4-14L4-6M4-14L-4-6M0 10V-10', role: 'state', width: 2.2 }, { d: 'M8-4H16V4H8Z', role: 'state', fill: true }],
    open: [{ d: 'M-4-14L4-6M4-14L-4-6M0 10L-11-7', role: 'state', width: 2.2 }, { d: 'M8-4H16V4H8Z', role: 'state', width: 1.4 }],
    between: [{ d: 'M-4-14L4-6M4-14L-4-6', role: 'state', width: 2.2 }, { d: 'M0 10L-6-9', role: 'state', width: 2.2, dash: true }],
  },
  isolator: {
    closed: [{ d: 'M-5-10H5M0 10V-10', role: 'state', width: 2 }],
    open: [{ d: 'M-5-10H5M0 10L-12-7', role: 'state', width: 2 }],
    between: [{ d: 'M-5-10H5', role: 'state', width: 2 }, { d: 'M0 10L-7-9', role: 'state', width: 2, dash: true }],
  },
  transformer: still(...WINDINGS),
  'three-winding-transformer': still(...WINDINGS, { d: 'M-33 0a16 16 0 1 0 32 0a16 16 0 1 0-32 0', role: 'third', width: 2 }),
  capacitor: still({ d: 'M-12 0H12M-12 7H12', role: 'low', width: 2.4 }, { d: GROUND, role: 'quiet', width: 1.3 }),
  ct: still({ d: circle(0, 5.5), role: 'line', width: 1.2 }),
  pt: still({ d: `${circle(-4, 5.5)}${circle(4, 5.5)}`, role: 'line', width: 1.2 }),
};

export const SETS = { IEEE1975, IEC60617 } as const;

/** Half the size of a symbol, for rings, marks and hatching. */
export function half(name: SymbolName): number {
  return name === 'transformer' ? 28 : name === 'generator' || name === 'motor' ? 15 : 9;
}
