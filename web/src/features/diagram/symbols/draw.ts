// Draws the elements of a diagram on a 2D context. Shape shows the state first, colour second.
import { looksLive, qualityLetter } from '../../../live/freshness';
import { number } from '../../../ui/format';
import { inUnit } from '../../../ui/quantities';
import { Energy } from '../../../wire/control';
import type { Element } from '../../../wire/sld';
import { qualityOf, shown, type Shown, type View } from '../state';
import { type Figure, type Role, type Stroke, type SymbolName } from './artwork';
import { marks } from './marks';
import { atLeast, FULL_SCALE, type Label } from './labels';
import { badge, extent, type Context, type Palette, type Sheet } from './sheet';
import { temporary } from './temporary';

/** The layer of a part: the ground changes with circuit and camera, the live layer with every value. */
export type Pass = 'ground' | 'live';

export function draw(ctx: Context, element: Element, view: View, palette: Palette, scale: number, pass: Pass): void {
  const drawer = (pass === 'ground' ? GROUND : LIVE)[element.class];
  const marked = pass === 'live' && (element.position !== undefined || element.assetId !== undefined);
  const changed = pass === 'live' && element.temporary !== undefined;
  if (!drawer && !marked && !changed) return;
  ctx.lineJoin = 'round';
  ctx.lineCap = 'round';
  const sheet: Sheet = { ctx, element, view, palette, scale, detail: scale < FULL_SCALE ? 'short' : 'full', x: element.x ?? 0, y: element.y ?? 0 };
  drawer?.(sheet);
  if (pass === 'live' && drawer && (element.confirmed || element.position)) {
    const { confirmed, live } = shown(view, element);
    // A switch in a horizontal line has its name above it, another one beside it. What is not live has `?` on the right.
    const [across, down] = element.orientation === 'horizontal' ? [0, extent(element) + atLeast(8, scale, 8)] : [live ? 14 : -14, -12];
    if (confirmed) badge(sheet, 'S', sheet.x + across, sheet.y + down, live ? palette.text1 : palette.stale);
  }
  if (marked) marks(sheet);
  if (changed) temporary(sheet);
}

const LIVE: Readonly<Record<string, (sheet: Sheet) => void>> = { breaker, isolator, loadBreakSwitch: bladed('load-break-switch'), switch: bladed('switch'), recloser: cased('recloser', 'R'), sectionaliser: cased('sectionaliser', 'S'), relay, transformer: tap, values };

const GROUND: Readonly<Record<string, (sheet: Sheet) => void>> = {
  busbar,
  line,
  transformer,
  battery: coloured('battery'),
  capacitor: coloured('capacitor'),
  generator: machine('generator', 'G'),
  motor: machine('motor', 'M'),
  reactor: coloured('reactor'),
  ct: plain('ct'),
  pt: plain('pt'),
  arrester: plain('arrester'),
  fuse: plain('fuse'),
  load: coloured('load'),
  inverter: coloured('inverter'),
  continuation,
  source: coloured('source'),
  feeder: coloured('feeder'),
};

/** Colour, width and dash pattern of a conductor, by the state of its node. */
interface Conductor {
  readonly colour: string;
  readonly dash: readonly number[];
  readonly width: number;
}

const SOLID: readonly number[] = [];
const DEAD: readonly number[] = [6, 4];
const UNKNOWN: readonly number[] = [1.5, 4.5];
const EARTHED: readonly number[] = [9, 3, 2, 3];

function conductor({ palette, view }: Pick<Sheet, 'palette' | 'view'>, kv: number | undefined, node: number | undefined): Conductor {
  if (!view.linkUp) return { colour: palette.stale, dash: UNKNOWN, width: 1 };
  switch (view.node(node)) {
    case Energy.energised:
      return { colour: palette.level(kv), dash: SOLID, width: 1 };
    case Energy.dead:
      return { colour: palette.dead, dash: DEAD, width: 1 };
    case Energy.earthed:
      return { colour: palette.earthed, dash: EARTHED, width: 1 };
    case Energy.conflict:
      return { colour: palette.alarm, dash: SOLID, width: 1.8 };
    default:
      return { colour: palette.unknown, dash: UNKNOWN, width: 1 };
  }
}

/** Width of the ground colour around a name that crosses lines, px. */
const HALO_PX = 3;

/** Writes a name of the diagram, above everything else of the ground. */
export function writeLabel(ctx: Context, palette: Palette, scale: number, { text, x, y, align, strong, size, tone }: Label): void {
  ctx.font = `${strong ? 600 : 400} ${atLeast(size, scale)}px ${palette.font}`;
  ctx.textAlign = align;
  ctx.textBaseline = 'middle';
  ctx.lineJoin = 'round';
  ctx.lineWidth = HALO_PX / scale;
  ctx.strokeStyle = palette.ground;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = palette[tone];
  ctx.fillText(text, x, y);
}

/** Writes a short text inside of a symbol or beside it. */
function mark({ ctx, palette, scale }: Sheet, text: string, x: number, y: number, { align = 'left', strong = false, size = 12, colour = palette.text2 }: { align?: CanvasTextAlign; strong?: boolean; size?: number; colour?: string } = {}): void {
  ctx.font = `${strong ? 600 : 400} ${atLeast(size, scale)}px ${palette.font}`;
  ctx.textAlign = align;
  ctx.textBaseline = 'middle';
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
}

function stroke(ctx: Context, { colour, dash, width }: Conductor, base: number, path: readonly (readonly [number, number])[]): void {
  ctx.strokeStyle = colour;
  ctx.lineWidth = base * width;
  ctx.lineCap = dash.length > 0 ? 'butt' : 'round';
  ctx.setLineDash(dash as number[]);
  ctx.beginPath();
  path.forEach(([x, y], index) => (index === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
  ctx.stroke();
  if (dash.length > 0) ctx.setLineDash([]);
}

const paths = new Map<string, Path2D>();

function pathOf(d: string): Path2D {
  let path = paths.get(d);
  if (!path) paths.set(d, (path = new Path2D(d)));
  return path;
}

const DASH = [3, 2];
/** The outline of an assumed position. */
const DOTS = [2, 1.7];

/** Draws a figure of the current symbol set at the element's position and orientation. */
function figure(sheet: Sheet, name: SymbolName, of: Figure, colours: Partial<Record<Role, string>>, turn = 0, isAssumed = false): void {
  const { ctx, view, palette, x, y } = sheet;
  const strokes: readonly Stroke[] = view.symbols[name][of] ?? view.symbols[name].still ?? [];
  ctx.save();
  ctx.translate(x, y);
  if (turn !== 0) ctx.rotate(turn);
  for (const { d, role, fill, dash, width } of strokes) {
    const colour = colours[role] ?? (role === 'quiet' ? palette.text3 : palette.text2);
    if (fill && !isAssumed) {
      ctx.fillStyle = colour;
      ctx.fill(pathOf(d));
    } else {
      ctx.strokeStyle = colour;
      ctx.lineWidth = width ?? 1.4;
      if (dash || isAssumed) ctx.setLineDash(isAssumed ? DOTS : DASH);
      ctx.stroke(pathOf(d));
      if (dash || isAssumed) ctx.setLineDash(SOLID as number[]);
    }
  }
  ctx.restore();
}

/** Erases the line below a device, so that an open device shows a gap. */
function gap({ ctx, palette, x, y, element }: Sheet, across: number, along: number): void {
  const [w, h] = element.orientation === 'horizontal' ? [along, across] : [across, along];
  ctx.fillStyle = palette.ground;
  ctx.fillRect(x - w, y - h, w * 2, h * 2);
}

const turnOf = (element: Element) => (element.orientation === 'horizontal' ? Math.PI / 2 : 0);

function busbar(sheet: Sheet): void {
  const { ctx, element } = sheet;
  const { x1 = 0, y1 = 0, x2 = 0, y2 = 0 } = element;
  stroke(ctx, conductor(sheet, element.kv, element.nodes?.[0]), 4, [[x1, y1], [x2, y2]]);
}

function line(sheet: Sheet): void {
  const { ctx, element } = sheet;
  ctx.globalAlpha = 0.85;
  if (element.parts) for (const { node, path } of element.parts) stroke(ctx, conductor(sheet, element.kv, node), 2, path);
  else stroke(ctx, conductor(sheet, element.kv, undefined), 2, element.path ?? []);
  ctx.globalAlpha = 1;
}

/** Draws grey diagonal hatching and a question mark over a last known state that is not live. */
function veil(sheet: Sheet, x: number, y: number, size: number): void {
  const { ctx, palette } = sheet;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x - size, y - size, size * 2, size * 2);
  ctx.clip();
  ctx.strokeStyle = palette.ground;
  ctx.lineWidth = 2;
  ctx.beginPath();
  for (let d = -size * 2; d <= size * 2; d += 5) {
    ctx.moveTo(x + d - size, y + size);
    ctx.lineTo(x + d + size, y - size);
  }
  ctx.stroke();
  ctx.restore();
  badge(sheet, '?', x + size + 5, y - size - 2);
}

function stateColour(state: Shown, palette: Palette): string {
  if (state.assumed) return palette.text2;
  if (!state.live) return palette.stale;
  return state.meaning === 'closed' ? palette.closed : state.meaning === 'open' ? palette.open : palette.warn;
}

function figureOf({ meaning }: Shown): Figure {
  return meaning === 'closed' ? 'closed' : meaning === 'open' ? 'open' : meaning === 'active' ? 'active' : meaning === 'inactive' ? 'still' : 'between';
}

function breaker(sheet: Sheet): void {
  const { element, view, palette, x, y } = sheet;
  const state = shown(view, element);
  const of = figureOf(state);
  gap(sheet, 9, 9);
  figure(sheet, 'breaker', of, { state: stateColour(state, palette) }, turnOf(element), state.assumed);
  if (state.assumed) through(sheet, of, 8);
  else if (of === 'between') badge(sheet, '?', x, y);
  else if (!state.live) veil(sheet, x, y, 8);
}

/** Draws a thin line through a hollow symbol that is assumed closed, so that it differs from an open one. */
function through({ ctx, element, palette, x, y }: Sheet, of: Figure, half: number): void {
  if (of !== 'closed') return;
  const [dx, dy] = element.orientation === 'horizontal' ? [half, 0] : [0, half];
  ctx.strokeStyle = palette.text2;
  ctx.lineWidth = 1.6;
  ctx.beginPath();
  ctx.moveTo(x - dx, y - dy);
  ctx.lineTo(x + dx, y + dy);
  ctx.stroke();
}

/** Draws a switch with a blade. */
function bladed(name: SymbolName): (sheet: Sheet) => void {
  return (sheet) => {
    const { element, view, palette, x, y } = sheet;
    const state = shown(view, element);
    const of = figureOf(state);
    gap(sheet, 4, 10);
    figure(sheet, name, of, { state: stateColour(state, palette) }, turnOf(element), state.assumed);
    if (!state.assumed && (of === 'between' || !state.live)) badge(sheet, '?', x + 12, y);
  };
}

/** Draws a switch in a round case with its letter. */
function cased(name: SymbolName, letter: string): (sheet: Sheet) => void {
  return (sheet) => {
    const { element, view, palette, x, y } = sheet;
    const state = shown(view, element);
    const of = figureOf(state);
    gap(sheet, 9, 9);
    const colour = stateColour(state, palette);
    figure(sheet, name, of, { state: colour }, 0, state.assumed);
    mark(sheet, of === 'between' ? '?' : letter, x, y + 0.5, { align: 'center', strong: true, size: 11, colour: of === 'closed' && !state.assumed ? palette.ground : colour });
    if (!state.assumed && of !== 'between' && !state.live) veil(sheet, x, y, 8);
  };
}

/** Draws the end of a diagram: a bar across the line. */
function continuation(sheet: Sheet): void {
  const { element } = sheet;
  figure(sheet, 'continuation', 'still', { low: conductor(sheet, element.kv, element.nodes?.[0]).colour }, turnOf(element));
}

const EARTH_TURN: Readonly<Record<string, number>> = { earthSwitchRight: 0, earthSwitchDown: Math.PI / 2, earthSwitchLeft: Math.PI, earthSwitchTop: -Math.PI / 2 };

function isolator(sheet: Sheet): void {
  const { element, view, palette, x, y } = sheet;
  const state = shown(view, element);
  const of = figureOf(state);
  const turn = EARTH_TURN[element.category ?? ''];
  if (turn !== undefined) {
    const colour = !state.live && !state.assumed ? palette.stale : of === 'closed' ? palette.earthed : of === 'between' ? palette.warn : palette.text3;
    figure(sheet, 'earth-switch', of, { state: colour }, turn, state.assumed);
    if (!state.assumed && (!state.live || of === 'between')) badge(sheet, '?', x + Math.cos(turn) * 44, y + Math.sin(turn) * 44);
    return;
  }
  gap(sheet, 4, 9);
  const colour = state.assumed ? palette.text2 : state.live ? conductor(sheet, element.kv, element.nodes?.[0]).colour : palette.stale;
  figure(sheet, 'isolator', of, { state: colour }, turnOf(element), state.assumed);
  if (!state.assumed && (of === 'between' || !state.live)) badge(sheet, '?', x + 12, y);
}

/** From this scale on, the number of a relay fits into its circle. */
const RELAY_SCALE = 0.8;

function relay(sheet: Sheet): void {
  const { element, view, palette, scale, x, y } = sheet;
  const state = shown(view, element);
  const active = state.meaning === 'active';
  figure(sheet, 'relay', active ? 'active' : 'still', { state: state.live ? palette.alarm : palette.stale });
  // A number that does not fit into its circle stands above it if the relay is active, which is when it matters.
  if (element.ansi && scale >= RELAY_SCALE) mark(sheet, element.ansi, x, y + 0.5, { align: 'center', size: 11, colour: active ? palette.ground : palette.text3 });
  else if (element.ansi && active) mark(sheet, element.ansi, x, y - 14 - 6 / scale, { align: 'center', strong: true, size: 11, colour: palette.alarm });
  if (!state.live) badge(sheet, '?', x + 13, y - 10);
}

function transformer(sheet: Sheet): void {
  const { element } = sheet;
  const colour = (kv: number | undefined, winding: number) => conductor(sheet, kv, element.nodes?.[winding]).colour;
  const hasThird = element.kvTertiary !== undefined || element.nodes?.length === 3;
  // Turned to the left: the high-voltage winding of a horizontal transformer is on the left, its third winding at the bottom.
  figure(sheet, hasThird ? 'three-winding-transformer' : 'transformer', 'still', { high: colour(element.kvHigh, 0), low: colour(element.kvLow, 1), third: colour(element.kvTertiary, 2) }, -turnOf(element));
}

function tap(sheet: Sheet): void {
  const { element, view, palette, x, y } = sheet;
  const point = element.tap?.pointId;
  if (sheet.detail !== 'full' || point === undefined) return;
  mark(sheet, `${qualityLetter(qualityOf(view, point))} Tap ${number(view.point(point)?.v, 0)}`.trim(), x + 30, y + 19, { colour: palette.text3 });
}

/** Draws a rotating machine: its letter in a circle. */
function machine(name: 'generator' | 'motor', letter: string): (sheet: Sheet) => void {
  return (sheet) => {
    const { element, palette, x, y } = sheet;
    figure(sheet, name, 'still', { low: conductor(sheet, element.kv, element.nodes?.[0]).colour });
    mark(sheet, letter, x, y, { align: 'center', strong: true, colour: palette.text2 });
  };
}

function plain(name: SymbolName): (sheet: Sheet) => void {
  return (sheet) => figure(sheet, name, 'still', {}, turnOf(sheet.element));
}

function coloured(name: SymbolName): (sheet: Sheet) => void {
  return (sheet) => figure(sheet, name, 'still', { low: conductor(sheet, sheet.element.kv, sheet.element.nodes?.[0]).colour });
}


function values(sheet: Sheet): void {
  const { ctx, element, view, palette, detail, scale, x, y } = sheet;
  // With little room there is one value, the same one in every bay.
  const rows = (element.rows ?? []).slice(0, detail === 'short' ? 1 : undefined);
  rows.forEach((row, index) => {
    const quality = qualityOf(view, row.pointId);
    const point = row.pointId === undefined ? undefined : view.point(row.pointId);
    const live = looksLive(quality);
    const at = y + index * 17;
    ctx.font = `${live ? 500 : 400} ${atLeast(12.5, scale)}px ${palette.font}`;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'right';
    ctx.fillStyle = live ? palette.text1 : palette.stale;
    const letter = qualityLetter(quality);
    const told = inUnit(point?.v, row.unit, row.decimals, view.low.has(element.assetId ?? -1));
    ctx.fillText(`${letter ? `${letter} ` : ''}${number(told.value, told.decimals)}`, x, at);
    // The units of all rows belong to the ground.
    if (detail === 'short') mark(sheet, told.unit, x + 3 / scale, at + 0.5, { size: 11, colour: palette.text3 });
  });
}
