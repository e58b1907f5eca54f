// The appearance of a chart as uPlot's options: axes, lines, envelopes, limits, names at the ends of lines. The screen and files share
// them.
import uPlot from 'uplot';
import { alone, decimalsOf, valueRange } from './aligned';
import { drawDoubt, drawEnds, drawLimits, drawUnits } from './marks';
import { columnPaths } from './columns';
import { figure, isColumns, labelOf, type Column, type Look } from './model';
import { faint, type Palette } from './palette';
import { drawSpans } from './spans';
import { labels, stepFor, ticks } from './ticks';

/** The inputs of a chart's options. While they stay the same, only the data change. */
export interface Build {
  /** The columns without their values. */
  readonly columns: readonly Omit<Column, 'mean' | 'min' | 'max' | 'quality'>[];
  readonly envelope: boolean;
  readonly look: Look;
  readonly zone: string;
  readonly palette: Palette;
  readonly font: string;
  /** Length of a bucket, ms, which is the width of a column. */
  readonly bucketMs: number;
  /** Returns the qualities of the current data, one array for each column. */
  readonly qualities: () => readonly Column['quality'][];
}

/** Smallest distance between labels of the time axis, px. */
const APART = 84;
const LEFT = 54;
const RIGHT = 34;

/** The colour of a column's line. */
export function colourOf(column: Pick<Column, 'code' | 'phase'>, index: number, look: Look, palette: Palette): string {
  if (column.phase) return palette.phase[column.phase];
  const at = look.styles[column.code]?.colour ?? index;
  if (typeof at === 'string') return palette.phase[at];
  return palette.plain[at % palette.plain.length] ?? palette.text;
}

export function optionsOf(build: Build): Omit<uPlot.Options, 'width' | 'height'> {
  const { columns, envelope, look, zone, palette, font, bucketMs } = build;
  const places = envelope ? 3 : 1;
  const axisOf = (column: Pick<Column, 'code'>) => look.styles[column.code]?.axis ?? 'left';
  const hasRight = columns.some((column) => axisOf(column) === 'right');
  const hasColumns = columns.some((column) => isColumns(column, look));
  const path = look.kind === 'sum' || look.kind === 'whole' || hasColumns ? uPlot.paths.stepped?.({ align: 1 }) : uPlot.paths.linear?.();
  const columnSeries = (column: Pick<Column, 'code' | 'name' | 'phase'>, index: number, fill: string): uPlot.Series[] => {
    const scale = axisOf(column);
    const before = columns.flatMap((own, place) =>
      place < index && isColumns(own, look) && axisOf(own) === scale ? [place * places + 1] : [],
    );
    const own: uPlot.Series = {
      label: labelOf(column, look),
      scale,
      fill,
      width: 0,
      paths: columnPaths(before, bucketMs),
      points: { show: false },
    };
    const nothing: uPlot.Series = { scale, width: 0, points: { show: false } };
    return envelope ? [own, nothing, nothing] : [own];
  };
  const lines = columns.flatMap((column, index): uPlot.Series[] => {
    const stroke = colourOf(column, index, look, palette);
    if (isColumns(column, look)) return columnSeries(column, index, look.styles[column.code]?.isFaint ? faint(stroke, 0.45) : stroke);
    const base: uPlot.Series = { scale: axisOf(column), paths: path, points: { show: false } };
    const line: uPlot.Series = {
      ...base,
      label: labelOf(column, look),
      stroke,
      width: 1.5,
      dash: look.styles[column.code]?.dash as number[] | undefined,
      points: { show: false, size: 4, stroke, fill: stroke, filter: (u, at) => dots(u, at) },
    };
    return envelope ? [line, { ...base, width: 0 }, { ...base, width: 0 }] : [line];
  });
  const bands = envelope
    ? columns.map((column, index): uPlot.Band => ({
        series: [index * 3 + 2, index * 3 + 3],
        fill: faint(colourOf(column, index, look, palette), 0.16),
      }))
    : [];
  const grid: uPlot.Axis.Grid = { stroke: palette.grid, width: 1 };
  const axis: uPlot.Axis = { stroke: palette.quiet, font: `11px ${font}`, ticks: { show: false }, gap: 8 };
  const valueAxis = (scale: string, side: 1 | 3): uPlot.Axis => ({
    ...axis,
    scale,
    side,
    size: LEFT,
    space: 26,
    grid: { ...grid, show: side === 3 },
    values: (_, splits, __, ___, distance) => splits.map((split) => figure(split, decimalsOf(distance))),
  });
  const scale = (name: string): uPlot.Scale => ({
    range: (_, low, high) =>
      valueRange(
        low,
        high,
        name === 'left' ? look.limits : [],
        look.fromZero || columns.some((own) => isColumns(own, look) && axisOf(own) === name),
      ),
  });
  return {
    ms: 1,
    legend: { show: false },
    padding: [hasRight ? 20 : 10, hasRight ? 16 : RIGHT, 0, 0],
    scales: { x: { time: false, auto: false }, left: scale('left'), ...(hasRight && { right: scale('right') }) },
    series: [{}, ...lines],
    bands,
    axes: [
      {
        ...axis,
        size: 36,
        gap: 7,
        grid: { ...grid, show: false },
        splits: (u, _, from, to) => ticks(from, to, stepFor(to - from, u.bbox.width / uPlot.pxRatio, APART), zone),
        values: (u, splits) =>
          labels(splits, stepFor((u.scales.x?.max ?? 1) - (u.scales.x?.min ?? 0), u.bbox.width / uPlot.pxRatio, APART), zone),
      },
      valueAxis('left', 3),
      ...(hasRight ? [valueAxis('right', 1)] : []),
    ],
    hooks: {
      drawClear: [(u) => drawSpans(u, look.spans ?? [], palette, font, uPlot.pxRatio)],
      draw: [
        (u) => drawLimits(u, look.limits, palette, font),
        (u) => drawDoubt(u, build.qualities(), palette),
        (u) =>
          !look.hasNoEnds &&
          drawEnds(
            u,
            columns.flatMap((column, index) =>
              isColumns(column, look)
                ? []
                : [
                    {
                      text: labelOf(column, look),
                      colour: colourOf(column, index, look, palette),
                      place: index * places + 1,
                      scale: axisOf(column),
                    },
                  ],
            ),
            palette,
            font,
          ),
        (u) =>
          hasRight &&
          drawUnits(
            u,
            columns.map((column) => ({ unit: column.unit, scale: axisOf(column) })),
            palette,
            font,
          ),
      ],
    },
  };
}

/** Indexes of single values between gaps. Null if there are none, because uPlot then draws no dots. */
function dots(u: uPlot, series: number): number[] | null {
  const [first, last] = u.series[0]?.idxs ?? [0, -1];
  const values = u.data[series];
  const found = values ? alone(values, first, last) : [];
  return found.length > 0 ? found : null;
}
