// A chart of one value over another with linear or logarithmic axes: curves, bands, and single points with names.
import {
  course,
  crisp,
  disc,
  inkOf,
  letters,
  line,
  type Box,
  type Colour,
  type Figure,
  type Ink,
  type Key,
  type Size,
  type View,
} from './ink';
import { figure } from './model';
import { faint, type Palette } from './palette';
import { between, linear, logarithmic, roomFor, type Scale } from './scales';

export interface XyPoint {
  readonly x: number;
  readonly y: number;
  /** The lower end of a band at this point; `y` is the upper end. */
  readonly low?: number;
  /** The true value of `y` if it has no position on the axis (0 on a logarithmic axis) and is drawn at the edge. */
  readonly said?: number;
  /** A note that the tooltip shows beside the values. */
  readonly note?: string;
}

export interface XySeries {
  readonly name: string;
  /** A curve connects its points in order; null is a gap. */
  readonly points: readonly (XyPoint | null)[];
  readonly as: 'line' | 'points' | 'band';
  readonly colour: Colour;
  readonly dash?: readonly number[];
}

export interface XyAxis {
  readonly name: string;
  readonly unit: string;
  readonly isLogarithmic?: boolean;
  readonly fromZero?: boolean;
  /** Start and end of the axis. With both, the axis has exactly these ends. */
  readonly from?: number;
  readonly to?: number;
  /** Distance between marks, if the axis has both ends. */
  readonly step?: number;
  /** Default: 2. */
  readonly decimals?: number;
}

/** A named value, drawn as a thin dashed line. */
export interface Mark {
  readonly name: string;
  readonly axis: 'x' | 'y';
  readonly value: number;
}

export interface Xy {
  readonly x: XyAxis;
  readonly y: XyAxis;
  readonly series: readonly XySeries[];
  readonly marks?: readonly Mark[];
  /** Heading of the column that contains the name of the curve. */
  readonly head: string;
}

function scaleOf(axis: XyAxis, values: readonly number[], parts: number): Scale {
  const { from, to, step } = axis;
  if (!axis.isLogarithmic && from !== undefined && to !== undefined)
    return between(from, to, { parts, ...(step !== undefined && { step }) });
  const usable = values.filter((value) => Number.isFinite(value) && (!axis.isLogarithmic || value > 0));
  let [low, high] = [axis.from ?? Infinity, axis.to ?? -Infinity];
  for (const value of usable) {
    if (axis.from === undefined) low = Math.min(low, value);
    if (axis.to === undefined) high = Math.max(high, value);
  }
  if (!(low <= high)) [low, high] = axis.isLogarithmic ? [1, 10] : [0, 1];
  return axis.isLogarithmic ? logarithmic(low, high) : linear(low, high, { parts, fromZero: axis.fromZero ?? false });
}

interface Stop {
  readonly series: number;
  readonly point: XyPoint;
}

export function xy(data: Xy): Figure {
  const { series, head } = data;
  const all: Stop[] = series.flatMap(({ points }, place) => points.flatMap((point) => (point ? [{ series: place, point }] : [])));
  const xScale = scaleOf(
    data.x,
    all.map(({ point }) => point.x),
    8,
  );
  const yScale = scaleOf(
    data.y,
    all.flatMap(({ point }) => (point.low === undefined ? [point.y] : [point.y, point.low])),
    5,
  );
  // The tooltip of a curve includes its band, so a band has stops only in a figure of bands.
  const own = all.filter(({ series: place }) => series[place]?.as !== 'band');
  const stops = (own.length > 0 ? own : all)
    .filter(({ point }) => xScale.share(point.x) !== null && yScale.share(point.y) !== null)
    .sort((a, b) => a.point.x - b.point.x);
  const laid = ({ width, height }: Size): Box => {
    const left = Math.max(roomFor(yScale), 40);
    return { left, top: 26, width: Math.max(width - left - 24, 1), height: Math.max(height - 26 - 40, 1) };
  };
  const at = (point: XyPoint, box: Box): [number, number] | null => placed(point.x, point.y, xScale, yScale, box);
  const text = (value: number, { unit, decimals = 2 }: XyAxis) => [figure(value, decimals), unit].filter(Boolean).join(' ');
  return {
    isEmpty: all.length === 0,
    stops: stops.length,
    keys: (palette) =>
      series.map(({ name, as, colour, dash }): Key => ({
        label: name,
        colour: inkOf(colour, palette),
        mark: as === 'points' ? 'point' : as === 'band' ? 'band' : dash ? 'dashed' : 'line',
      })),
    nearest: (x, y, size) => {
      const box = laid(size);
      let [found, least]: [number | null, number] = [null, Infinity];
      stops.forEach(({ point, series: place }, index) => {
        const there = at(point, box);
        if (!there) return;
        // For curves, the distance along the x axis counts more. A point wins when the pointer is on it.
        const far =
          series[place]?.as === 'points' ? Math.hypot(there[0] - x, there[1] - y) : Math.hypot(there[0] - x, (there[1] - y) / 3) + 4;
        if (far < least) [found, least] = [index, far];
      });
      return found;
    },
    placeOf: (stop, size) => {
      const held = stops[stop];
      const [x, y] = (held && at(held.point, laid(size))) ?? [0, 0];
      return { x, y };
    },
    told: (stop, palette) => {
      const held = stops[stop];
      if (!held) return { title: '', said: [] };
      const isPoint = series[held.series]?.as === 'points';
      // The values of the other curves at the same x.
      const same = isPoint ? [held] : all.filter(({ point, series: place }) => point.x === held.point.x && series[place]?.as !== 'points');
      return {
        title: `${data.x.name} ${text(held.point.x, data.x)}`,
        said: same.map(({ series: place, point }) => ({
          label: series[place]?.name ?? '',
          colour: inkOf(series[place]?.colour ?? 0, palette),
          text: point.low === undefined ? text(point.said ?? point.y, data.y) : `${figure(point.low, data.y.decimals ?? 2)} … ${text(point.y, data.y)}`,
        })),
        note: held.point.note,
      };
    },
    table: {
      head: [
        head,
        ...[data.x, data.y].map(({ name, unit }) => (unit ? `${name} (${unit})` : name)),
        ...(hasLow(all) ? [`${data.y.name} min`] : []),
        ...(hasNote(all) ? [''] : []),
      ],
      decimals: [0, data.x.decimals ?? 2, data.y.decimals ?? 2, ...(hasLow(all) ? [data.y.decimals ?? 2] : []), 0],
      rows: all.length,
      cells: (row) => {
        const held = all[row];
        if (!held) return [];
        const { point } = held;
        return [
          series[held.series]?.name ?? '',
          point.x,
          point.said ?? point.y,
          ...(hasLow(all) ? [point.low ?? null] : []),
          ...(hasNote(all) ? [point.note ?? ''] : []),
        ];
      },
    },
    draw: (ink, view) =>
      drawn(ink, view, data, { xScale, yScale, box: laid(view), pointed: view.at === null ? null : (stops[view.at] ?? null) }),
  };
}

const hasLow = (all: readonly Stop[]) => all.some(({ point }) => point.low !== undefined);
const hasNote = (all: readonly Stop[]) => all.some(({ point }) => point.note !== undefined);

function placed(x: number, y: number, xScale: Scale, yScale: Scale, box: Box): [number, number] | null {
  const [right, up] = [xScale.share(x), yScale.share(y)];
  return right === null || up === null ? null : [box.left + right * box.width, box.top + box.height - up * box.height];
}

interface Laid {
  readonly xScale: Scale;
  readonly yScale: Scale;
  readonly box: Box;
  readonly pointed: Stop | null;
}

function drawn(ink: Ink, { palette, font, width }: View, data: Xy, { xScale, yScale, box, pointed }: Laid): void {
  const [end, foot] = [box.left + box.width, box.top + box.height];
  const axes = { colour: palette.quiet, font };
  let free = -Infinity;
  for (const { value, words } of xScale.marks) {
    const x = crisp(box.left + (xScale.share(value) ?? 0) * box.width);
    line(ink, [x, box.top], [x, foot], words ? palette.grid : faint(palette.grid, 0.5));
    if (!words || x - words.length * 3.4 < free) continue;
    letters(ink, words, x, foot + 8, { ...axes, align: 'center', baseline: 'top' });
    free = x + words.length * 3.4 + 8;
  }
  free = Infinity;
  for (const { value, words } of yScale.marks) {
    const y = crisp(foot - (yScale.share(value) ?? 0) * box.height);
    line(ink, [box.left, y], [end, y], words ? palette.grid : faint(palette.grid, 0.5));
    if (!words || y > free) continue;
    letters(ink, words, box.left - 8, y, { ...axes, align: 'right' });
    free = y - 13;
  }
  const named = ({ name, unit }: XyAxis) => (unit && !name.includes(unit) ? `${name} (${unit})` : name);
  letters(ink, named(data.y), 0, 9, axes);
  letters(ink, named(data.x), end, foot + 26, { ...axes, align: 'right', baseline: 'top' });
  ink.save();
  ink.beginPath();
  ink.rect(box.left - 4, box.top - 4, box.width + 8, box.height + 8);
  ink.clip();
  for (const own of data.series) curve(ink, own, palette, (x, y) => placed(x, y, xScale, yScale, box));
  ink.restore();
  for (const { name, axis, value } of data.marks ?? []) {
    const share = (axis === 'x' ? xScale : yScale).share(value);
    if (share === null || share < 0 || share > 1) continue;
    const [x, y] = [crisp(box.left + share * box.width), crisp(foot - share * box.height)];
    if (axis === 'x') line(ink, [x, box.top], [x, foot], palette.quiet, [5, 4]);
    else line(ink, [box.left, y], [end, y], palette.quiet, [5, 4]);
    // The name is on the side of the line that has room.
    const isFar = x > width - 120;
    if (axis === 'x') letters(ink, name, x + (isFar ? -5 : 5), box.top + 8, { ...axes, align: isFar ? 'right' : 'left' });
    else letters(ink, name, end - 4, y - box.top < 14 ? y + 9 : y - 8, { ...axes, align: 'right' });
  }
  const there = pointed && placed(pointed.point.x, pointed.point.y, xScale, yScale, box);
  if (!there) return;
  line(ink, [crisp(there[0]), box.top], [crisp(there[0]), foot], palette.cursor);
  disc(ink, there, 5, palette.ground);
  disc(ink, there, 3.5, inkOf(data.series[pointed.series]?.colour ?? 0, palette));
}

function curve(
  ink: Ink,
  { points, as, colour, dash }: XySeries,
  palette: Palette,
  at: (x: number, y: number) => [number, number] | null,
): void {
  const own = inkOf(colour, palette);
  const places = points.map((point) => point && at(point.x, point.y));
  if (as === 'line') return course(ink, places, { colour: own, ...(dash && { dash }) });
  if (as === 'points') {
    for (const place of places) {
      if (!place) continue;
      disc(ink, place, 5, palette.ground);
      disc(ink, place, 3.5, own);
    }
    return;
  }
  const lows = points.map((point) => point && at(point.x, point.low ?? point.y));
  ink.fillStyle = faint(own, 0.16);
  // Each part without a gap is a separate area.
  let from = 0;
  for (let index = 0; index <= points.length; index += 1) {
    if (places[index] && lows[index]) continue;
    if (index - from > 1) {
      ink.beginPath();
      for (let up = from; up < index; up += 1) ink.lineTo(...(places[up] as [number, number]));
      for (let down = index - 1; down >= from; down -= 1) ink.lineTo(...(lows[down] as [number, number]));
      ink.closePath();
      ink.fill();
    }
    from = index + 1;
  }
}
