// The names of a diagram: what is written beside each element, and which names are shown where, so that none is too small and none lies on
// another. Pure.
import { number } from '../../../ui/format';
import { inUnit } from '../../../ui/quantities';
import { t } from '../../../words';
import type { Element } from '../../../wire/sld';

/** The smallest text on the screen, px. */
export const TEXT_MIN_PX = 11;
/** The smallest scale at which all rows of a block of values are shown. A row is 17 drawing units high and needs 12.5 px. */
export const FULL_SCALE = 12.5 / 17;

/** Height of a line of text and the space around a text, px. */
const LINE_PX = 13;
const SPACE_PX = 2;
/** Distance of lines of text that belong together, in lines. It is more than 1, because texts that only touch are not seen as overlapping. */
const ROW_PITCH = 1.12;
/** Width that is reserved for a value with its unit, px: the number is right of its middle. */
const VALUE_PX = { left: 44, right: 28 };
/** Side of the cells by which neighbours are found, px. */
const CELL_PX = 96;

/** A size in drawing units that is at least `px` on the screen. */
export function atLeast(size: number, scale: number, px: number = TEXT_MIN_PX): number {
  return Math.max(size, px / scale);
}

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly align: CanvasTextAlign;
}

/** A text beside an element, in drawing units. */
export interface Label extends Spot {
  readonly element: Element;
  readonly text: string;
  readonly size: number;
  readonly strong: boolean;
  readonly tone: 'text1' | 'text2' | 'text3';
  /** 0 is always shown. Greater ranks give way to smaller ones. */
  readonly rank: 0 | 1 | 2;
  /** Other possible places of the text, the best first. */
  readonly others: readonly Spot[];
}

type Style = Partial<Pick<Label, 'align' | 'size' | 'strong' | 'tone' | 'rank' | 'others'>>;

const NONE: ReadonlySet<number> = new Set();

/** The name of a switch: above it in a row, and beside it in a column. */
function switchName({ name, orientation, x = 0, y = 0 }: Element, line: number, label: (text: string | undefined, at: Spot, style: Style) => readonly Label[]): readonly Label[] {
  const above = (rows: number): Spot => ({ x, y: y - 12 - line * (rows * ROW_PITCH + 0.5), align: 'center' });
  const spots: readonly Spot[] = orientation === 'horizontal' ? [above(0), above(1), { ...above(0), y: y + 12 + line * 0.5 }] : [{ x: x - 16, y, align: 'right' }, { x: x + 16, y, align: 'left' }];
  const [first, ...others] = spots;
  return first ? label(name, first, { ...first, size: 11, tone: 'text2', others }) : [];
}

/** A rated power in MVA, or in kVA below 1 MVA. */
function ratingOf(mva: number | undefined): string | undefined {
  if (mva === undefined) return undefined;
  return mva < 1 ? `${Math.round(mva * 1_000)} kVA` : `${mva} MVA`;
}

function customersOf({ customers }: Element): string | undefined {
  return customers === undefined ? undefined : t('diagram.customers', { customers: number(customers, 0) });
}

/** The texts of an element that depend on no value. `low` are the assets below 1 kV. */
export function labelsOf(element: Element, scale: number, low: ReadonlySet<number> = NONE): readonly Label[] {
  const { x = 0, y = 0 } = element;
  const isFull = scale >= FULL_SCALE;
  const line = atLeast(LINE_PX, scale, LINE_PX);
  const label = (text: string | undefined, at: { readonly x: number; readonly y: number }, style: Style = {}): Label[] =>
    text ? [{ element, text, ...at, align: 'left', size: 12, strong: false, tone: 'text2', rank: 1, others: [], ...style }] : [];
  const name = (dx: number, dy: number, align: CanvasTextAlign, size = 12) => label(element.name, { x: x + dx, y: y + dy }, { align, strong: true, size, tone: 'text1' });
  switch (element.class) {
    case 'breaker': {
      const left = { x: x - 16, y, align: 'right' } as const;
      const right = { x: x + 16, y, align: 'left' } as const;
      const above = { x, y: y - 10 - line * 0.6, align: 'center' } as const;
      const [first, ...others] = element.orientation === 'horizontal' ? [above, left, right] : [left, { ...left, y: y - line }, { ...left, y: y + line }, right, above];
      return label(element.name, first ?? left, { ...first, size: 11, tone: 'text3', rank: 0, others });
    }
    case 'isolator':
      return element.equipment && !element.category ? switchName(element, line, label) : [];
    case 'loadBreakSwitch':
    case 'recloser':
    case 'sectionaliser':
    case 'switch':
      return switchName(element, line, label);
    case 'load':
      if (element.textSide === 'hidden') return [];
      return [...name(0, 10 + line * 0.75, 'center'), ...label(customersOf(element), { x, y: y + 10 + line * (0.75 + ROW_PITCH) }, { align: 'center', tone: 'text3' })];
    case 'inverter':
      return [...name(0, 14 + line * 0.75, 'center'), ...label(ratingOf(element.mva), { x, y: y + 14 + line * (0.75 + ROW_PITCH) }, { align: 'center', tone: 'text3', rank: 2 })];
    case 'continuation': {
      const isAcross = element.orientation === 'horizontal';
      const at = isAcross ? { x: x + 10, y } : { x, y: y + 6 + line * 0.75 };
      const align = isAcross ? 'left' : 'center';
      return [...label(element.name, at, { align, strong: true, tone: 'text1' }), ...label(element.label, { ...at, y: at.y + line * ROW_PITCH }, { align, tone: 'text3', rank: 2 })];
    }
    case 'busbar': {
      const { x1 = 0, y1 = 0 } = element;
      const at = { x: x1, y: y1 - 4 - line * 0.75 };
      return label(element.name, at, { strong: true, size: 13, tone: 'text1', others: [{ ...at, y: at.y - line, align: 'left' }, { ...at, align: 'right' }] });
    }
    case 'transformer': {
      if (element.textSide === 'below') {
        // Below a load that hangs from it.
        const below = (text: string | undefined, row: number, style: Style) => label(text, { x, y: y + 58 + line * ROW_PITCH * (row + 0.5) }, { align: 'center', ...style });
        const rating = ratingOf(element.mva);
        // Many networks name transformers by their rating.
        const texts = [element.name, rating === element.name ? undefined : rating, customersOf(element)].filter((text) => text !== undefined);
        return texts.flatMap((text, row) => below(text, row, { size: 11, tone: row === 0 ? 'text2' : 'text3' }));
      }
      const more = [element.mva && `${element.mva} MVA`, element.vectorGroup].filter(Boolean).join(' ');
      const beside = (dy: number, style: Style) => ({ x: x + 30, y: y + dy, ...style });
      return [...label(element.name, beside(-16, {}), { strong: true, size: 13, tone: 'text1', others: [{ x: x + 30, y, align: 'left' }] }), ...label(more, beside(Math.max(2, line - 16), {}), { tone: 'text3', rank: 2 })];
    }
    case 'feeder':
      return [...name(0, 8 + line * 0.75, 'center', 13), ...label(element.label, { x, y: y + 8 + line * 1.9 }, { align: 'center', size: 11.5, tone: 'text3', rank: 2 })];
    case 'source':
      return name(0, -10 - line * 0.6, 'center', 13);
    case 'battery':
      return name(22, 0, 'left').map((own) => ({ ...own, others: [{ x: x + 22, y: y + line, align: 'left' }, { x: x - 9, y: y + 12 + line * 0.75, align: 'left' }] }));
    case 'reactor':
      return name(16, 0, 'left');
    case 'capacitor':
      return name(0, 34 + line * 0.75, 'center');
    case 'generator':
    case 'motor':
      return name(0, 16 + line * 0.75, 'center');
    case 'values':
      return isFull ? (element.rows ?? []).flatMap((row, index) => label(inUnit(null, row.unit, 0, low.has(element.assetId ?? -1)).unit, { x: x + 5, y: y + index * 17 + 0.5 }, { size: 11, tone: 'text3', rank: 0 })) : [];
    case 'text':
      return label(element.text, { x, y });
    default:
      return [];
  }
}

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The areas that are taken, found by the cells of a grid. */
class Taken {
  private readonly cells = new Map<string, Area[]>();

  private *keys({ left, top, right, bottom }: Area): Generator<string> {
    for (let column = Math.floor(left / CELL_PX); column <= Math.floor(right / CELL_PX); column += 1) {
      for (let row = Math.floor(top / CELL_PX); row <= Math.floor(bottom / CELL_PX); row += 1) yield `${column} ${row}`;
    }
  }

  isFree(area: Area): boolean {
    for (const key of this.keys(area)) {
      for (const other of this.cells.get(key) ?? []) {
        if (area.left < other.right && other.left < area.right && area.top < other.bottom && other.top < area.bottom) return false;
      }
    }
    return true;
  }

  add(area: Area): void {
    for (const key of this.keys(area)) {
      const held = this.cells.get(key);
      if (held) held.push(area);
      else this.cells.set(key, [area]);
    }
  }
}

/** The area of a text on the screen, px. */
function areaOf({ x, y, align }: Spot, scale: number, width: number, height: number): Area {
  const from = align === 'right' ? x * scale - width : align === 'center' ? x * scale - width / 2 : x * scale;
  return { left: from - SPACE_PX, right: from + width + SPACE_PX, top: y * scale - height / 2, bottom: y * scale + height / 2 };
}

/** What is written where at a scale. */
export interface Placing {
  readonly labels: readonly Label[];
  /** How far blocks of values are moved down, drawing units, by element. */
  readonly lifts: ReadonlyMap<string, number>;
}

/**
 * The texts to write at a scale, each at a place where it covers no other. Breaker names are always shown; other names without a free
 * place are left out. `widthOf` is the width of a text, px, at a size of 1 px.
 */
export function placed(elements: readonly Element[], scale: number, widthOf: (text: string, strong: boolean) => number, low?: ReadonlySet<number>): Placing {
  const taken = new Taken();
  const lifts = new Map<string, number>();
  for (const { id, class: type, rows, x = 0, y = 0 } of elements) {
    if (type !== 'values' || !rows?.length) continue;
    const height = scale >= FULL_SCALE ? rows.length * 17 * scale : LINE_PX;
    const areaAt = (dy: number) => ({ left: x * scale - VALUE_PX.left, right: x * scale + VALUE_PX.right, top: y * scale - LINE_PX / 2 + dy, bottom: y * scale - LINE_PX / 2 + dy + height });
    // Values that are close to each other stand above one another.
    const dy = [0, -LINE_PX, LINE_PX, -2 * LINE_PX].find((by) => taken.isFree(areaAt(by))) ?? 0;
    if (dy !== 0) lifts.set(id, dy / scale);
    taken.add(areaAt(dy));
  }
  const all = elements.flatMap((element) => labelsOf(element, scale, low));
  const shown: Label[] = [];
  for (const rank of [0, 1, 2] as const) {
    for (const label of all) {
      if (label.rank !== rank) continue;
      // Units belong to their values, whose area is taken already.
      if (label.element.class === 'values') {
        shown.push({ ...label, y: label.y + (lifts.get(label.element.id) ?? 0) });
        continue;
      }
      const px = atLeast(label.size, scale) * scale;
      const [width, height] = [widthOf(label.text, label.strong) * px, Math.max(LINE_PX, px * 1.15)];
      const spots = [label, ...label.others];
      const free = spots.find((spot) => taken.isFree(areaOf(spot, scale, width, height))) ?? (rank === 0 ? label : null);
      if (!free) continue;
      taken.add(areaOf(free, scale, width, height));
      shown.push({ ...label, x: free.x, y: free.y, align: free.align });
    }
  }
  return { labels: shown, lifts };
}
