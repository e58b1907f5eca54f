// What a chart is made of: columns of values over one axis of time, and how each of them is drawn.

export type Phase = 'R' | 'Y' | 'B';
export type Values = readonly (number | null)[];

export interface Column {
  readonly code: string;
  readonly name: string;
  readonly phase: Phase | null;
  readonly unit: string;
  readonly decimals: number;
  /** The line: the mean of each bucket, or each value where the source is raw; null is a gap. */
  readonly mean: Values;
  /** The lowest and the highest of each bucket; empty where a value is only itself. */
  readonly min: Values;
  readonly max: Values;
  /** The worst quality of each bucket (codes of `grid::Quality`); empty where nothing is known of it. */
  readonly quality: Values;
}

export interface ChartData {
  /** Epoch ms, ascending: the beginnings of the buckets, or the times of the values. */
  readonly times: readonly number[];
  /** How long a bucket is, ms; 0 for single values. */
  readonly bucketMs: number;
  readonly columns: readonly Column[];
}

/** A line that values should stay under, or over. */
export interface Limit {
  readonly name: string;
  readonly value: number;
}

/** A time that is marked, such as one in which values are missing; epoch ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** How a column is drawn. */
export interface Style {
  /** What stands at the line's end and in the legend; the phase's letter unless told otherwise. */
  readonly label?: string;
  /** Of the palette's plain colours, for what is no phase; a letter is the colour of that phase. */
  readonly colour?: number | Phase;
  readonly dash?: readonly number[];
  readonly axis?: 'left' | 'right';
  /** Columns, each as wide as its bucket, stand on one another and begin at 0; beside columns a line has steps. */
  readonly as?: 'line' | 'column';
  /** Columns that a line over them matters more than. */
  readonly isFaint?: boolean;
  /** What the lower and the upper end of a band are called, where it is not from the lowest to the highest. */
  readonly band?: readonly [low: string, high: string];
}

/** What a chart of some data looks like, whatever the values. */
export interface Look {
  readonly styles: Readonly<Record<string, Style>>;
  readonly limits: readonly Limit[];
  /** The axis begins at 0. */
  readonly fromZero: boolean;
  /** No names at the ends of lines, where these do not end at the end of the chart. */
  readonly hasNoEnds?: boolean;
  /**
   * What a bucket's value is: the mean, what came together in the whole of it (drawn as steps), what it was of the whole of it, or the last
   * that a register showed.
   */
  readonly kind: 'mean' | 'sum' | 'whole' | 'last';
  /** Marked from top to bottom, each with its name where there is room. */
  readonly spans?: readonly Span[];
}

/** Whether values are drawn as columns. */
export function isColumns({ code }: Pick<Column, 'code'>, { styles }: Pick<Look, 'styles'>): boolean {
  return styles[code]?.as === 'column';
}

/** What stands at a column's line. */
export function labelOf(column: Pick<Column, 'code' | 'name' | 'phase'>, look: Pick<Look, 'styles'>): string {
  return look.styles[column.code]?.label ?? column.phase ?? column.name;
}

/** A number as charts write it: fixed decimals, a true minus, a dash for absence. */
export function figure(value: number | null | undefined, decimals: number): string {
  return value == null ? '–' : value.toFixed(decimals).replace('-', '−');
}

/** Whether there is anything to see. */
export function isEmpty(data: ChartData): boolean {
  return data.columns.every(({ mean }) => mean.every((value) => value === null));
}
