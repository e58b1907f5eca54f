// The drawing interface of figures, which is the part of a canvas context that the file recorder supports, and the interface of a figure:
// its drawing, stops, texts and rows.
import type { Palette } from './palette';
import type { Said } from './readout';
import type { Table } from './table';

/** A drawing context. Properties are only written, never read. Colours are `#rrggbb` or `#rrggbbaa`. */
export interface Ink {
  strokeStyle: string;
  fillStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: string;
  textBaseline: string;
  setLineDash(dash: readonly number[]): void;
  save(): void;
  restore(): void;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  rect(x: number, y: number, width: number, height: number): void;
  arc(x: number, y: number, radius: number, start: number, end: number): void;
  closePath(): void;
  stroke(): void;
  fill(): void;
  clip(): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  measureText(text: string): { readonly width: number };
}

/** In CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface View extends Size {
  readonly palette: Palette;
  readonly font: string;
  /** The stop under the pointer. */
  readonly at: number | null;
}

/** An entry of the legend. */
export interface Key {
  readonly label: string;
  readonly colour: string;
  readonly mark: 'column' | 'line' | 'dashed' | 'point' | 'band';
}

/** The text of a stop. */
export interface Told {
  readonly title: string;
  readonly said: readonly Said[];
  /** An additional note, such as that the value is incomplete. */
  readonly note?: string | undefined;
}

/** A figure of values. Its stops are the positions of the crosshair, in the order of the arrow keys. */
export interface Figure {
  readonly isEmpty: boolean;
  readonly keys: (palette: Palette) => readonly Key[];
  readonly draw: (ink: Ink, view: View) => void;
  readonly stops: number;
  /** The stop nearest to a position. */
  readonly nearest: (x: number, y: number, size: Size) => number | null;
  /** The position of a stop. */
  readonly placeOf: (stop: number, size: Size) => { readonly x: number; readonly y: number };
  readonly told: (stop: number, palette: Palette) => Told;
  readonly table: Table;
}

/** The area between the axes of a figure. */
export interface Box extends Size {
  readonly left: number;
  readonly top: number;
}

/** The bands from good to bad. */
const BANDS = ['band1', 'band2', 'band3', 'band4', 'band5'] as const;
export type Band = (typeof BANDS)[number];

/** A phase by its letter, a band from good to bad, the quiet colour, or the index of a plain colour of the palette. */
export type Colour = number | 'R' | 'Y' | 'B' | Band | 'quiet';

export function inkOf(colour: Colour, { phase, plain, bands, quiet, text }: Palette): string {
  if (typeof colour === 'number') return plain[colour % plain.length] ?? text;
  if (colour === 'R' || colour === 'Y' || colour === 'B') return phase[colour];
  return colour === 'quiet' ? quiet : (bands[BANDS.indexOf(colour)] ?? text);
}

/** Moves a coordinate to the middle of a pixel. Otherwise thin lines would be blurred over two pixels. */
export const crisp = (place: number) => Math.round(place) + 0.5;

export function line(
  ink: Ink,
  from: readonly [number, number],
  to: readonly [number, number],
  colour: string,
  dash: readonly number[] = [],
): void {
  ink.strokeStyle = colour;
  ink.lineWidth = 1;
  ink.setLineDash(dash);
  ink.beginPath();
  ink.moveTo(...from);
  ink.lineTo(...to);
  ink.stroke();
  ink.setLineDash([]);
}

export interface Lettering {
  readonly colour: string;
  readonly font: string;
  readonly size?: number;
  readonly isBold?: boolean;
  readonly align?: 'left' | 'center' | 'right';
  readonly baseline?: 'top' | 'middle' | 'bottom';
  /** Largest width, px. A longer text ends with three dots. */
  readonly most?: number;
}

export function letters(
  ink: Ink,
  text: string,
  x: number,
  y: number,
  { colour, font, size = 11, isBold, align = 'left', baseline = 'middle', most }: Lettering,
): void {
  ink.font = `${isBold ? '600 ' : ''}${size}px ${font}`;
  ink.fillStyle = colour;
  ink.textAlign = align;
  ink.textBaseline = baseline;
  ink.fillText(most === undefined ? text : shortened(text, most, (own) => ink.measureText(own).width), x, y);
}

/** The text, shortened to the given width. */
export function shortened(text: string, most: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= most) return text;
  let [low, high] = [0, text.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(`${text.slice(0, middle).trimEnd()}…`) <= most) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : `${text.slice(0, low).trimEnd()}…`;
}

/**
 * Draws a line through points, with a gap at null. A single point between gaps gets a dot. `ground` adds an outline that keeps the line
 * visible over columns.
 */
export function course(
  ink: Ink,
  points: readonly (readonly [number, number] | null)[],
  { colour, dash = [], ground, dots = false }: { colour: string; dash?: readonly number[]; ground?: string | undefined; dots?: boolean },
): void {
  const path = () => {
    ink.beginPath();
    points.forEach((point, index) => {
      if (!point) return;
      if (points[index - 1]) ink.lineTo(...point);
      else ink.moveTo(...point);
    });
  };
  if (ground) {
    ink.strokeStyle = ground;
    ink.lineWidth = 4;
    ink.setLineDash([]);
    path();
    ink.stroke();
  }
  ink.strokeStyle = colour;
  ink.lineWidth = 1.5;
  ink.setLineDash(dash);
  path();
  ink.stroke();
  ink.setLineDash([]);
  points.forEach((point, index) => {
    if (!point || !(dots || (!points[index - 1] && !points[index + 1]))) return;
    if (ground) disc(ink, point, 4, ground);
    disc(ink, point, 2.5, colour);
  });
}

export function disc(ink: Ink, [x, y]: readonly [number, number], radius: number, colour: string): void {
  ink.fillStyle = colour;
  ink.beginPath();
  ink.arc(x, y, radius, 0, 2 * Math.PI);
  ink.fill();
}
