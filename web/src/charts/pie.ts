// A ring of the shares of a whole, with the name beside each share.
import { spaced } from './aligned';
import { disc, inkOf, letters, line, type Colour, type Figure, type Ink, type Key, type Size, type View } from './ink';
import { figure } from './model';

export interface Slice {
  readonly name: string;
  /** Null means unknown. Values of 0 or less are not drawn. */
  readonly value: number | null;
  readonly colour: Colour;
}

export interface Pie {
  /** Headings of the table for the slices and their values. */
  readonly head: string;
  readonly valueHead: string;
  readonly unit: string;
  readonly decimals?: number;
  readonly slices: readonly Slice[];
  /** Text in the middle of the ring, such as the total. */
  readonly centre?: readonly string[];
}

/** Radius of the hole as a share of the ring's radius. */
const HOLE = 0.62;
/** Room for the names beside the ring, px. */
const BESIDE = 104;
const MARGIN = 14;
/** How far the slice under the pointer is enlarged outwards, px. */
const OUT = 4;
/** Smallest distance between names, px. */
const APART = 16;

interface Arc {
  readonly slice: number;
  /** Angles in radians, clockwise from the top. */
  readonly from: number;
  readonly to: number;
}

/** The angles of each slice with a value above 0, clockwise from the top. */
export function arcs(values: readonly (number | null)[]): Arc[] {
  const whole = values.reduce<number>((sum, value) => sum + Math.max(value ?? 0, 0), 0);
  let from = 0;
  return values.flatMap((value, slice) => {
    if (value === null || !(value > 0)) return [];
    const to = from + (value / whole) * 2 * Math.PI;
    const own = { slice, from, to };
    from = to;
    return [own];
  });
}

interface Ring {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

function ringOf({ width, height }: Size): Ring {
  return { x: width / 2, y: height / 2, radius: Math.max(Math.min(width / 2 - BESIDE, height / 2 - MARGIN), 20) };
}

const place = ({ x, y }: Ring, angle: number, far: number): readonly [number, number] => [
  x + Math.sin(angle) * far,
  y - Math.cos(angle) * far,
];

export function pie(data: Pie): Figure {
  const { slices, unit, decimals = 0 } = data;
  const laid = arcs(slices.map(({ value }) => value));
  const text = (value: number | null) => (value === null ? figure(null, 0) : [figure(value, decimals), unit].filter(Boolean).join(' '));
  const middle = ({ from, to }: Arc) => (from + to) / 2;
  return {
    isEmpty: laid.length === 0,
    stops: laid.length,
    keys: (palette) => slices.map(({ name, colour }): Key => ({ label: name, colour: inkOf(colour, palette), mark: 'column' })),
    nearest: (x, y, size) => {
      const ring = ringOf(size);
      const far = Math.hypot(x - ring.x, y - ring.y);
      if (far > ring.radius + OUT || far < ring.radius * HOLE - OUT) return null;
      const angle = (Math.atan2(x - ring.x, ring.y - y) + 2 * Math.PI) % (2 * Math.PI);
      const at = laid.findIndex(({ from, to }) => angle >= from && angle < to);
      return at < 0 ? null : at;
    },
    placeOf: (stop, size) => {
      const own = laid[stop];
      const ring = ringOf(size);
      const [x, y] = place(ring, own ? middle(own) : 0, (ring.radius * (1 + HOLE)) / 2);
      return { x, y };
    },
    told: (stop, palette) => {
      const slice = slices[laid[stop]?.slice ?? -1];
      if (!slice) return { title: '', said: [] };
      return { title: slice.name, said: [{ label: null, colour: inkOf(slice.colour, palette), text: text(slice.value) }] };
    },
    table: {
      head: [data.head, unit ? `${data.valueHead} (${unit})` : data.valueHead],
      decimals: [0, decimals],
      rows: slices.length,
      cells: (row) => {
        const slice = slices[row];
        return slice ? [slice.name, slice.value === null ? null : Number(slice.value.toFixed(decimals))] : [];
      },
    },
    draw: (ink, view) => {
      drawn(ink, view, data, laid);
      named(
        ink,
        view,
        laid.map((own) => {
          const slice = slices[own.slice];
          return { words: `${slice?.name ?? ''} ${text(slice?.value ?? null)}`, angle: middle(own) };
        }),
      );
    },
  };
}

function drawn(ink: Ink, view: View, { slices, centre = [] }: Pie, laid: readonly Arc[]): void {
  const { palette, font, at } = view;
  const ring = ringOf(view);
  laid.forEach(({ slice, from, to }, index) => {
    ink.fillStyle = inkOf(slices[slice]?.colour ?? 0, palette);
    ink.beginPath();
    if (laid.length > 1) ink.moveTo(ring.x, ring.y);
    // Canvas angles start at the right.
    ink.arc(ring.x, ring.y, ring.radius + (index === at ? OUT : 0), from - Math.PI / 2, to - Math.PI / 2);
    ink.closePath();
    ink.fill();
  });
  disc(ink, [ring.x, ring.y], ring.radius * HOLE, palette.ground);
  // A thin gap separates slices for users who cannot distinguish their colours.
  if (laid.length > 1)
    for (const { from } of laid) {
      const [inner, outer] = [place(ring, from, ring.radius * HOLE - 1), place(ring, from, ring.radius + OUT + 1)];
      for (const by of [-0.5, 0.5]) line(ink, [inner[0] + by, inner[1]], [outer[0] + by, outer[1]], palette.ground);
    }
  centre.forEach((words, row) =>
    letters(ink, words, ring.x, ring.y + (row - (centre.length - 1) / 2) * 18, {
      colour: row === 0 ? palette.text : palette.quiet,
      font,
      size: row === 0 ? 16 : 11,
      isBold: row === 0,
      align: 'center',
      most: ring.radius * HOLE * 2 - 12,
    }),
  );
}

interface Name {
  readonly words: string;
  readonly angle: number;
}

/** Draws names beside their slices, moved apart if they would overlap. */
function named(ink: Ink, view: View, names: readonly Name[]): void {
  const { palette, font, height } = view;
  const ring = ringOf(view);
  for (const isRight of [true, false]) {
    const own = names.filter(({ angle }) => Math.sin(angle) >= 0 === isRight);
    const heights = spaced(
      own.map(({ angle }) => place(ring, angle, ring.radius + 14)[1]),
      APART,
      APART / 2,
      height - APART / 2,
    );
    own.forEach(({ words, angle }, index) => {
      const y = heights[index] ?? ring.y;
      // The text starts where the ring ends at this height.
      const wide = Math.sqrt(Math.max((ring.radius + 12) ** 2 - (y - ring.y) ** 2, 0));
      const x = Math.max(Math.abs(place(ring, angle, ring.radius + 12)[0] - ring.x), wide) * (isRight ? 1 : -1) + ring.x;
      letters(ink, words, x, y, {
        colour: palette.text,
        font,
        size: 12,
        align: isRight ? 'left' : 'right',
        most: isRight ? view.width - x - 2 : x - 2,
      });
    });
  }
}
