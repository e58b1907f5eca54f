// The data of a chart: columns of values over one time axis, and the style of each column.

export type Phase = 'R' | 'Y' | 'B';
export type Values = readonly (number | null)[];

export interface Column {
  readonly code: string;
  readonly name: string;
  readonly phase: Phase | null;
  readonly unit: string;
  readonly decimals: number;
  /** The values of the line: the mean of each bucket, or each raw value. Null is a gap. */
  readonly mean: Values;
  /** Minimum and maximum of each bucket. Empty for raw values. */
  readonly min: Values;
  readonly max: Values;
  /** The worst quality of each bucket (codes of `grid::Quality`). Empty if unknown. */
  readonly quality: Values;
}

export interface ChartData {
  /** Starts of the buckets, or times of the values; epoch ms, ascending. */
  readonly times: readonly number[];
  /** Length of a bucket, ms; 0 for raw values. */
  readonly bucketMs: number;
  readonly columns: readonly Column[];
  /** The time from which the values are kept, epoch ms; only if the span begins before this time. */
  readonly keptSince?: number | null;
}

/** An upper or lower limit of the values. */
export interface Limit {
  readonly name: string;
  readonly value: number;
}

/** A marked time span, such as a gap; epoch ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** The style of a column. */
export interface Style {
  /** The name at the end of the line and in the legend. Default: the letter of the phase. */
  readonly label?: string;
  /** Index of a plain colour of the palette, or a letter for the colour of that phase. */
  readonly colour?: number | Phase;
  readonly dash?: readonly number[];
  readonly axis?: 'left' | 'right';
  /** Columns are as wide as their bucket, are stacked, and start at 0. A line together with columns is drawn in steps. */
  readonly as?: 'line' | 'column';
  /** Whether columns are drawn faintly, because a line over them is more important. */
  readonly isFaint?: boolean;
  /** Names of the lower and upper end of a band that is not the range from minimum to maximum. */
  readonly band?: readonly [low: string, high: string];
}

/** The appearance of a chart, independent of its values. */
export interface Look {
  readonly styles: Readonly<Record<string, Style>>;
  readonly limits: readonly Limit[];
  /** Whether the axis starts at 0. */
  readonly fromZero: boolean;
  /** Leaves out the names at the ends of lines, for lines that end before the end of the chart. */
  readonly hasNoEnds?: boolean;
  /**
   * The meaning of a bucket's value: `mean`; `sum`, the total of the bucket, drawn in steps; `whole`, a value for the bucket as a whole;
   * `last`, the last value of a register.
   */
  readonly kind: 'mean' | 'sum' | 'whole' | 'last';
  /** Time spans marked over the full height, with a name if there is room. */
  readonly spans?: readonly Span[];
}

/** Whether values are drawn as columns. */
export function isColumns({ code }: Pick<Column, 'code'>, { styles }: Pick<Look, 'styles'>): boolean {
  return styles[code]?.as === 'column';
}

/** The label of a column's line. */
export function labelOf(column: Pick<Column, 'code' | 'name' | 'phase'>, look: Pick<Look, 'styles'>): string {
  return look.styles[column.code]?.label ?? column.phase ?? column.name;
}

/** Formats a number with fixed decimals and a typographic minus. An absent value is a dash. */
export function figure(value: number | null | undefined, decimals: number): string {
  return value == null ? '–' : value.toFixed(decimals).replace('-', '−');
}

/** Whether all values are null. */
export function isEmpty(data: ChartData): boolean {
  return data.columns.every(({ mean }) => mean.every((value) => value === null));
}
