// Symbols as plain draw functions on a 2D context: state by shape first, colour second (ui visual language). Our own artwork.
import { number } from '../../ui/format';
import { looksLive, qualityLetter } from '../../live/freshness';
import type { Element } from '../../wire/sld';
import { qualityOf, shown, type Shown, type View } from './state';

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
  font: string;
  level(kv: number | undefined): string;
}

/** Level of detail by zoom: below half only what matters, below a quarter only symbols. */
export type Detail = 'full' | 'short' | 'symbols';

type Context = CanvasRenderingContext2D;

export function draw(ctx: Context, element: Element, view: View, palette: Palette, detail: Detail): void {
  const drawer = DRAWERS[element.class];
  if (!drawer) return;
  ctx.lineJoin = 'round';
  ctx.lineCap = 'round';
  ctx.setLineDash([]);
  drawer({ ctx, element, view, palette, detail, x: element.x ?? 0, y: element.y ?? 0 });
}

interface Sheet {
  ctx: Context;
  element: Element;
  view: View;
  palette: Palette;
  detail: Detail;
  x: number;
  y: number;
}

const DRAWERS: Record<string, (sheet: Sheet) => void> = { busbar, line, breaker, isolator, relay, transformer, battery, capacitor, ct, pt: ct, arrester: ct, source, feeder, values, text };

function level({ palette, view }: Sheet, kv: number | undefined): string {
  return view.linkUp ? palette.level(kv) : palette.stale;
}

function label({ ctx, palette, detail }: Sheet, text: string | undefined, x: number, y: number, style: { align?: CanvasTextAlign; strong?: boolean; size?: number; colour?: string } = {}): void {
  if (!text || detail === 'symbols') return;
  ctx.font = `${style.strong ? 600 : 400} ${style.size ?? 12}px ${palette.font}`;
  ctx.textAlign = style.align ?? 'left';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = style.colour ?? palette.text2;
  ctx.fillText(text, x, y);
}

function stroke(ctx: Context, colour: string, width: number, path: readonly (readonly [number, number])[]): void {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  path.forEach(([x, y], index) => (index === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
  ctx.stroke();
}

function busbar(sheet: Sheet): void {
  const { ctx, element, palette } = sheet;
  const { x1 = 0, y1 = 0, x2 = 0, y2 = 0 } = element;
  stroke(ctx, level(sheet, element.kv), 4, [[x1, y1], [x2, y2]]);
  label(sheet, element.name, x1, y1 - 14, { strong: true, size: 13, colour: palette.text1 });
}

function line(sheet: Sheet): void {
  const { ctx, element } = sheet;
  ctx.globalAlpha = 0.8;
  stroke(ctx, level(sheet, element.kv), 2, element.path ?? []);
  ctx.globalAlpha = 1;
}

/** Grey diagonal hatching and a question mark: the last known state, not a live one. */
function veil({ ctx, palette }: Sheet, x: number, y: number, half: number): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x - half, y - half, half * 2, half * 2);
  ctx.clip();
  ctx.strokeStyle = palette.ground;
  ctx.lineWidth = 2;
  for (let d = -half * 2; d <= half * 2; d += 5) {
    ctx.beginPath();
    ctx.moveTo(x + d - half, y + half);
    ctx.lineTo(x + d + half, y - half);
    ctx.stroke();
  }
  ctx.restore();
  badge(ctx, palette, '?', x + half + 5, y - half - 2);
}

function badge(ctx: Context, palette: Palette, letter: string, x: number, y: number): void {
  ctx.font = `700 11px ${palette.font}`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = palette.text1;
  ctx.fillText(letter, x, y);
}

function stateColour(state: Shown, palette: Palette): string {
  if (!state.live) return palette.stale;
  return state.meaning === 'closed' ? palette.closed : state.meaning === 'open' ? palette.open : palette.warn;
}

function breaker(sheet: Sheet): void {
  const { ctx, element, view, palette, x, y } = sheet;
  const state = shown(view, element);
  const colour = stateColour(state, palette);
  const half = 8;
  ctx.fillStyle = palette.ground;
  ctx.fillRect(x - half - 1, y - half - 1, half * 2 + 2, half * 2 + 2);
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2;
  if (state.meaning === 'closed') {
    ctx.fillStyle = colour;
    ctx.fillRect(x - half, y - half, half * 2, half * 2);
  }
  if (state.meaning === 'bad' || state.meaning === 'intermediate') ctx.setLineDash([3, 2]);
  ctx.strokeRect(x - half, y - half, half * 2, half * 2);
  ctx.setLineDash([]);
  if (state.meaning === 'bad' || state.meaning === 'intermediate') badge(ctx, palette, '?', x, y);
  else if (!state.live) veil(sheet, x, y, half);
  const horizontal = element.orientation === 'horizontal';
  if (sheet.detail === 'full') label(sheet, element.name, horizontal ? x : x - 16, horizontal ? y - 18 : y, { align: horizontal ? 'center' : 'right', size: 11, colour: palette.text3 });
}

function isolator(sheet: Sheet): void {
  const { ctx, element, view, palette, x, y } = sheet;
  const state = shown(view, element);
  if (element.category && element.category !== 'isolator') {
    earthSwitch(sheet, state);
    return;
  }
  const colour = state.live ? level(sheet, element.kv) : palette.stale;
  ctx.fillStyle = palette.ground;
  ctx.fillRect(x - 4, y - 9, 8, 18);
  for (const end of [-10, 10]) {
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.arc(x, y + end, 2.4, 0, Math.PI * 2);
    ctx.fill();
  }
  const known = state.meaning === 'closed' || state.meaning === 'open';
  stroke(ctx, colour, 2, [[x, y + 10], state.meaning === 'closed' ? [x, y - 10] : [x - 12, y - 7]]);
  if (!known || !state.live) badge(ctx, palette, '?', x + 12, y);
}

function earthSwitch(sheet: Sheet, state: Shown): void {
  const { ctx, palette, x, y } = sheet;
  const colour = !state.live ? palette.stale : state.meaning === 'closed' ? palette.warn : palette.text3;
  const path: [number, number][] = state.meaning === 'closed' ? [[x, y], [x + 24, y]] : [[x, y], [x + 8, y]];
  stroke(ctx, colour, 1.2, path);
  if (state.meaning !== 'closed') stroke(ctx, colour, 1.2, [[x + 8, y], [x + 21, y - 9]]);
  stroke(ctx, colour, 1.2, [[x + 24, y], [x + 28, y]]);
  for (const [step, half] of [[28, 8], [32, 5], [36, 2]] as const) stroke(ctx, colour, 1.4, [[x + step, y - half], [x + step, y + half]]);
  if (!state.live) badge(ctx, palette, '?', x + 44, y);
}

function relay(sheet: Sheet): void {
  const { ctx, element, view, palette, x, y } = sheet;
  const state = shown(view, element);
  const active = state.meaning === 'active';
  ctx.beginPath();
  ctx.arc(x, y, 10, 0, Math.PI * 2);
  if (active) {
    ctx.fillStyle = state.live ? palette.alarm : palette.stale;
    ctx.fill();
  }
  ctx.strokeStyle = active && state.live ? palette.alarm : palette.text3;
  ctx.lineWidth = 1.2;
  ctx.stroke();
  label(sheet, element.ansi, x, y + 0.5, { align: 'center', size: 10, colour: active ? palette.ground : palette.text3 });
  if (!state.live) badge(ctx, palette, '?', x + 13, y - 10);
}

function transformer(sheet: Sheet): void {
  const { ctx, element, view, palette, x, y } = sheet;
  ctx.lineWidth = 2;
  for (const [offset, kv] of [[-10, element.kvHigh], [10, element.kvLow]] as const) {
    ctx.strokeStyle = level(sheet, kv);
    ctx.beginPath();
    ctx.arc(x, y + offset, 16, 0, Math.PI * 2);
    ctx.stroke();
  }
  label(sheet, element.name, x + 30, y - 16, { strong: true, size: 13, colour: palette.text1 });
  if (sheet.detail !== 'full') return;
  label(sheet, [element.mva && `${element.mva} MVA`, element.vectorGroup].filter(Boolean).join(' '), x + 30, y + 2, { colour: palette.text3 });
  const tap = element.tap?.pointId;
  if (tap !== undefined) {
    const quality = qualityOf(view, tap);
    label(sheet, `${qualityLetter(quality)} Tap ${number(view.point(tap)?.v, 0)}`.trim(), x + 30, y + 19, { colour: palette.text3 });
  }
}

function battery(sheet: Sheet): void {
  const { ctx, element, palette, x, y } = sheet;
  for (const [step, half] of [[-9, 9], [-3, 5], [3, 9], [9, 5]] as const) stroke(ctx, palette.text2, 1.4, [[x + step, y - half], [x + step, y + half]]);
  label(sheet, element.name, x + 22, y, { strong: true, colour: palette.text1 });
}

function capacitor(sheet: Sheet): void {
  const { ctx, element, palette, x, y } = sheet;
  const colour = level(sheet, element.kv);
  stroke(ctx, colour, 2.4, [[x - 12, y], [x + 12, y]]);
  stroke(ctx, colour, 2.4, [[x - 12, y + 7], [x + 12, y + 7]]);
  stroke(ctx, palette.text3, 1.2, [[x, y + 7], [x, y + 22]]);
  for (const [step, half] of [[22, 8], [26, 5], [30, 2]] as const) stroke(ctx, palette.text3, 1.4, [[x - half, y + step], [x + half, y + step]]);
  label(sheet, element.name, x, y + 46, { align: 'center', strong: true, colour: palette.text1 });
}

function ct({ ctx, palette, x, y }: Sheet): void {
  ctx.strokeStyle = palette.text2;
  ctx.lineWidth = 1.2;
  ctx.beginPath();
  ctx.arc(x, y, 5.5, 0, Math.PI * 2);
  ctx.stroke();
}

function triangle(ctx: Context, x: number, y: number, colour: string): void {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(x - 6, y - 5);
  ctx.lineTo(x + 6, y - 5);
  ctx.lineTo(x, y + 6);
  ctx.closePath();
  ctx.fill();
}

function source(sheet: Sheet): void {
  const { ctx, element, palette, x, y } = sheet;
  triangle(ctx, x, y, level(sheet, element.kv));
  label(sheet, element.name, x, y - 20, { align: 'center', strong: true, size: 13, colour: palette.text1 });
}

function feeder(sheet: Sheet): void {
  const { ctx, element, palette, x, y } = sheet;
  triangle(ctx, x, y, level(sheet, element.kv));
  label(sheet, element.name, x, y + 20, { align: 'center', strong: true, size: 13, colour: palette.text1 });
  if (sheet.detail === 'full') label(sheet, element.label, x, y + 36, { align: 'center', size: 11.5, colour: palette.text3 });
}

function values(sheet: Sheet): void {
  const { ctx, element, view, palette, detail, x, y } = sheet;
  if (detail === 'symbols') return;
  let rows = element.rows ?? [];
  // When there is little room only the worst value is worth it.
  if (detail === 'short') {
    const worst = [...rows].sort((a, b) => qualityOf(view, b.pointId) - qualityOf(view, a.pointId))[0];
    rows = worst ? [worst] : [];
  }
  rows.forEach((row, index) => {
    const quality = qualityOf(view, row.pointId);
    const point = row.pointId === undefined ? undefined : view.point(row.pointId);
    const live = looksLive(quality);
    const at = y + index * 17;
    ctx.font = `${live ? 500 : 400} 12.5px ${palette.font}`;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'right';
    ctx.fillStyle = live ? palette.text1 : palette.stale;
    const letter = qualityLetter(quality);
    ctx.fillText(`${letter ? `${letter} ` : ''}${number(point?.v, row.decimals)}`, x, at);
    ctx.textAlign = 'left';
    ctx.font = `400 11px ${palette.font}`;
    ctx.fillStyle = palette.text3;
    ctx.fillText(row.unit, x + 5, at + 0.5);
  });
}

function text(sheet: Sheet): void {
  label(sheet, sheet.element.text, sheet.x, sheet.y);
}
