// The drawing context of symbols, and the parts that all drawings share: the palette, the size of a symbol, and its badge.
import type { Element } from '../../../wire/sld';
import type { View } from '../state';
import { half } from './artwork';
import { atLeast } from './labels';

export interface Palette {
  ground: string;
  text1: string;
  text2: string;
  text3: string;
  closed: string;
  open: string;
  warn: string;
  alarm: string;
  focus: string;
  stale: string;
  dead: string;
  earthed: string;
  unknown: string;
  trace: string;
  onMark: string;
  font: string;
  level(kv: number | undefined): string;
}

/** Level of detail by zoom: all values of a block, or one of them. Breaker names and one value stay at every zoom. */
export type Detail = 'full' | 'short';

export type Context = CanvasRenderingContext2D;

export interface Sheet {
  readonly ctx: Context;
  readonly element: Element;
  readonly view: View;
  readonly palette: Palette;
  readonly detail: Detail;
  /** Pixels of a drawing unit. */
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export function badge({ ctx, palette, scale }: Pick<Sheet, 'ctx' | 'palette' | 'scale'>, letter: string, x: number, y: number, colour = palette.text1): void {
  ctx.font = `700 ${atLeast(11, scale)}px ${palette.font}`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = colour;
  ctx.fillText(letter, x, y);
}

/** Half the size of an element's symbol. */
export function extent(element: Element): number {
  return element.class === 'transformer' || element.class === 'generator' || element.class === 'motor' ? half(element.class) : 9;
}
