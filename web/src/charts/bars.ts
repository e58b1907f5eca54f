// A chart of values by category, such as days or places: grouped or stacked columns, and lines on a second axis.
import { course, crisp, inkOf, letters, line, type Box, type Colour, type Figure, type Ink, type Key, type Size, type View } from './ink';
import { figure, type Values } from './model';
import { faint, type Palette } from './palette';
import type { Said } from './readout';
import { linear, roomFor, type Scale } from './scales';

export interface BarSeries {
  readonly name: string;
  readonly unit: string;
  /** One value for each category. Null means unknown, not 0. */
  readonly values: Values;
  readonly colour: Colour;
  /** Number of decimals in the tooltip, tables and files. Default: 2 (specification 3, section 9). */
  readonly decimals?: number;
  readonly as?: 'column' | 'line';
  readonly axis?: 'left' | 'right';
  readonly dash?: readonly number[];
  /** Series with the same text are stacked. A series without it has a separate column. */
  readonly stack?: string;
  /** Forecast values are drawn as hollow columns or dotted lines. */
  readonly isForecast?: boolean;
}

export interface Axis {
  readonly name: string;
  /** For counts: the axis has whole numbers only. */
  readonly isWhole?: boolean;
}

export interface Bars {
  /** The heading of the category column in tables. */
  readonly head: string;
  /** A line feed starts the second line of a label. */
  readonly categories: readonly string[];
  /** Titles for the tooltip, if they differ from the labels. */
  readonly titles?: readonly string[];
  /** A note on each category, such as that it is incomplete. The chart has a mark below such a category. */
  readonly notes?: readonly (string | null)[];
  readonly series: readonly BarSeries[];
  /** Labels are shown at multiples of the smallest of these numbers for which there is room. Default: any number. */
  readonly steps?: readonly number[];
  /** Whether lines have no dots at their values. */
  readonly hasNoDots?: boolean;
  readonly left: Axis;
  readonly right?: Axis;
}

/** Share of a category's width that its columns take, and the largest width of a column, px. */
const FILLED = 0.64;
const WIDEST = 56;
/** Largest number of categories for which lines have dots. */
const DOTS_MOST = 62;

interface Laid {
  readonly box: Box;
  readonly left: Scale;
  readonly right: Scale | null;
}

/** Start and end of each column, stacked on the earlier columns of the same stack and sign. */
export function stacked(series: readonly BarSeries[], count: number): (readonly [number, number] | null)[][] {
  const sums = new Map<string, { up: number; down: number }[]>();
  return series.map(({ values, stack, as }, place) => {
    if (as === 'line') return [];
    const own = stack ?? `alone ${place}`;
    const before = sums.get(own) ?? Array.from({ length: count }, () => ({ up: 0, down: 0 }));
    sums.set(own, before);
    return Array.from({ length: count }, (_, at) => {
      const value = values[at];
      const sum = before[at];
      if (value == null || !sum) return null;
      const side = value < 0 ? 'down' : 'up';
      const from = sum[side];
      sum[side] += value;
      return [from, sum[side]] as const;
    });
  });
}

export function bars(data: Bars): Figure {
  const { categories, series, head, notes } = data;
  const count = categories.length;
  const spans = stacked(series, count);
  const hasRight = series.some(({ axis }) => axis === 'right');
  const extent = (side: 'left' | 'right'): [number, number] => {
    const values = series.flatMap(({ axis = 'left', as, values }, place) =>
      axis !== side ? [] : as === 'line' ? values.flatMap((value) => value ?? []) : (spans[place] ?? []).flatMap((span) => span?.[1] ?? []),
    );
    return values.reduce<[number, number]>(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [0, 0]);
  };
  const left = linear(...extent('left'), { fromZero: true, isWhole: data.left.isWhole });
  const right = hasRight
    ? linear(...extent('right'), { fromZero: true, isWhole: data.right?.isWhole, parts: left.marks.length - 1, exactly: true })
    : null;
  const lines = Math.max(1, ...categories.map((label) => label.split('\n').length));
  const laid = ({ width, height }: Size): Laid => {
    const edge = Math.max(roomFor(left), 40);
    const end = right ? Math.max(roomFor(right), 40) : 12;
    const top = 26;
    const foot = 10 + lines * 14;
    return { box: { left: edge, top, width: Math.max(width - edge - end, 1), height: Math.max(height - top - foot, 1) }, left, right };
  };
  const said = (stop: number, palette: Palette): Said[] =>
    series.map(({ name, unit, decimals = 2, values, colour }) => ({
      label: name,
      colour: inkOf(colour, palette),
      text: values[stop] == null ? figure(null, 0) : [figure(values[stop], decimals), unit].filter(Boolean).join(' '),
    }));
  const titleOf = (stop: number) => data.titles?.[stop] ?? (categories[stop] ?? '').replace('\n', ' ');
  const hasNotes = notes?.some((note) => note !== null) ?? false;
  return {
    isEmpty: count === 0 || series.every(({ values }) => values.every((value) => value === null)),
    stops: count,
    keys: (palette) =>
      series.map(({ name, colour, as, dash, isForecast }): Key => ({
        label: name,
        colour: inkOf(colour, palette),
        mark: as === 'line' ? (dash || isForecast ? 'dashed' : 'line') : isForecast ? 'band' : 'column',
      })),
    nearest: (x, y, size) => {
      const { box } = laid(size);
      const at = Math.floor(((x - box.left) / box.width) * count);
      return y >= 0 && y <= size.height && at >= 0 && at < count ? at : null;
    },
    placeOf: (stop, size) => {
      const { box } = laid(size);
      return { x: box.left + ((stop + 0.5) / count) * box.width, y: box.top };
    },
    told: (stop, palette) => ({ title: titleOf(stop), said: said(stop, palette), note: notes?.[stop] ?? undefined }),
    table: {
      head: [
        head,
        ...series.map(({ name, unit }) => (unit && !name.includes(`(${unit})`) ? `${name} (${unit})` : name)),
        ...(hasNotes ? [''] : []),
      ],
      decimals: [0, ...series.map(({ decimals = 2 }) => decimals), ...(hasNotes ? [0] : [])],
      rows: count,
      cells: (row) => [
        titleOf(row),
        ...series.map(({ values, decimals = 2 }) => (values[row] == null ? null : Number(values[row].toFixed(decimals)))),
        ...(hasNotes ? [notes?.[row] ?? ''] : []),
      ],
    },
    draw: (ink, view) => drawn(ink, view, data, spans, laid(view)),
  };
}

function drawn(ink: Ink, view: View, data: Bars, spans: readonly (readonly (readonly [number, number] | null)[])[], laid: Laid): void {
  const { palette, font, at } = view;
  const { categories, series, notes } = data;
  const { box, left, right } = laid;
  const count = categories.length;
  const each = box.width / Math.max(count, 1);
  const end = box.left + box.width;
  const foot = box.top + box.height;
  const yOf = (value: number, scale: Scale) => foot - (scale.share(value) ?? 0) * box.height;
  const scaleOf = ({ axis }: BarSeries) => (axis === 'right' && right ? right : left);
  if (at !== null) {
    ink.fillStyle = faint(palette.quiet, 0.14);
    ink.fillRect(box.left + at * each, box.top, each, box.height);
  }
  const axes = { colour: palette.quiet, font };
  for (const { value, words } of left.marks) {
    const y = crisp(yOf(value, left));
    line(ink, [box.left, y], [end, y], value === 0 ? faint(palette.quiet, 0.6) : palette.grid);
    letters(ink, words, box.left - 8, y, { ...axes, align: 'right' });
  }
  for (const { value, words } of right?.marks ?? []) if (right) letters(ink, words, end + 8, yOf(value, right), axes);
  letters(ink, data.left.name, 0, 9, axes);
  if (right && data.right) letters(ink, data.right.name, view.width, 9, { ...axes, align: 'right' });
  // Each stack has its own column beside the others.
  const stacks = [...new Set(series.flatMap(({ as, stack }, place) => (as === 'line' ? [] : [stack ?? `alone ${place}`])))];
  const wide = Math.max(1, Math.min(WIDEST, (each * FILLED) / Math.max(stacks.length, 1)));
  series.forEach((own, place) => {
    if (own.as === 'line') return;
    const scale = scaleOf(own);
    const colour = inkOf(own.colour, palette);
    const beside = stacks.indexOf(own.stack ?? `alone ${place}`) - stacks.length / 2;
    spans[place]?.forEach((span, index) => {
      if (!span) return;
      const x = box.left + (index + 0.5) * each + beside * wide + (stacks.length > 1 && wide > 4 ? 0.5 : 0);
      const [one, other] = [yOf(span[0], scale), yOf(span[1], scale)];
      // A thin gap separates segments for users who cannot distinguish their colours.
      const gap = own.stack && Math.abs(one - other) > 4 ? 1 : 0;
      const [width, height] = [wide - (stacks.length > 1 && wide > 4 ? 1 : 0), Math.abs(one - other) - gap];
      if (height <= 0) return;
      const y = Math.min(one, other) + gap;
      ink.fillStyle = own.isForecast ? faint(colour, 0.25) : colour;
      ink.fillRect(x, y, width, height);
      if (!own.isForecast) return;
      ink.strokeStyle = colour;
      ink.lineWidth = 1;
      ink.beginPath();
      ink.rect(x + 0.5, y + 0.5, Math.max(width - 1, 0), Math.max(height - 1, 0));
      ink.stroke();
    });
  });
  for (const own of series) {
    if (own.as !== 'line') continue;
    const points = categories.map((_, index) => {
      const value = own.values[index];
      return value == null ? null : ([box.left + (index + 0.5) * each, yOf(value, scaleOf(own))] as const);
    });
    const dash = own.dash ?? (own.isForecast ? DOTTED : []);
    // Over columns, a line has an outline in the background colour. Between lines only, the outline would look like gaps.
    const ground = stacks.length > 0 ? palette.ground : undefined;
    course(ink, points, { colour: inkOf(own.colour, palette), dash, ground, dots: !data.hasNoDots && count <= DOTS_MOST });
  }
  ink.fillStyle = palette.doubt;
  notes?.forEach((note, index) => note !== null && ink.fillRect(box.left + index * each, foot - 2, each, 2));
  labelled(ink, data, each, box, { palette, font });
}

/** Dash pattern of forecast lines. */
export const DOTTED = [1.5, 3.5] as const;

/** Smallest room for a label, px. With less room, labels are left out. */
const LABEL = 34;

/** Draws as many labels as there is room for, each shortened to its room. */
function labelled(
  ink: Ink,
  { categories, steps }: Bars,
  each: number,
  box: Box,
  { palette, font }: Pick<View, 'palette' | 'font'>,
): void {
  ink.font = `11px ${font}`;
  const widest = categories.reduce((most, label) => Math.max(most, ...label.split('\n').map((part) => ink.measureText(part).width)), 0);
  const least = Math.max(1, Math.ceil(Math.min(widest + 10, Math.max(LABEL, widest > 60 ? 60 : widest + 10)) / each));
  const every = steps?.find((step) => step >= least) ?? least;
  categories.forEach((label, index) => {
    if (index % every !== 0) return;
    label.split('\n').forEach((part, row) =>
      letters(ink, part, box.left + (index + 0.5) * each, box.top + box.height + 8 + row * 14, {
        colour: palette.quiet,
        font,
        align: 'center',
        baseline: 'top',
        most: each * every - 6,
      }),
    );
  });
}
