// A heat map of sections: size and colour of a box show two quantities of a section. Sections without a model are hatched, the selected one
// is red.
import { letters, type Box, type Figure, type Ink, type Size, type View } from '../../charts/ink';
import { onColour, type Palette } from '../../charts/palette';
import { number } from '../../ui/format';
import type { CableSection, SectionId } from '../../wire/cable-health';
import { COLUMNS, healthStep, nameOf, NOT_MODELLED, whyNot, type Step } from './sections';
import { layout, type Laid } from './squarify';
import { t } from '../../words';

export interface Heat {
  /** The quantity that the size of a box shows; null if unknown. */
  readonly weight: (section: CableSection) => number | null;
  readonly weightText: (section: CableSection) => string;
  readonly weightName: string;
  readonly step: (section: CableSection) => Step | null;
  /** Names of the bands, from good to bad. */
  readonly steps: readonly string[];
  /** Name of the group of boxes without a known size. */
  readonly unsizedName: string;
}

/** Computes the layout for a size and keeps the last result, so that moving the pointer does not compute it again. */
export type Layout = (size: Size) => Laid;

export function layoutOf(rows: readonly CableSection[], { weight }: Heat): Layout {
  const leaves = rows.map((row) => ({ group: row.AssetName, weight: weight(row) }));
  let held: { width: number; height: number; laid: Laid } | null = null;
  return ({ width, height }) => {
    if (held?.width !== width || held.height !== height) held = { width, height, laid: layout(leaves, { width, height }) };
    return held.laid;
  };
}

const inside = (x: number, y: number) => (box: Box) =>
  x >= box.left && x < box.left + box.width && y >= box.top && y < box.top + box.height;

export function heatmap(rows: readonly CableSection[], heat: Heat, laid: Layout, selected: SectionId | null): Figure {
  const chosen = selected === null ? -1 : rows.findIndex(({ CableObjectId }) => CableObjectId === selected);
  const unmodelled = rows.some((row) => heat.step(row) === null);
  return {
    isEmpty: rows.length === 0,
    stops: rows.length,
    keys: ({ bands, quiet, text, chosen }) => [
      ...heat.steps.map((label, at) => ({ label, colour: bands[at] ?? text, mark: 'column' as const })),
      ...(unmodelled ? [{ label: NOT_MODELLED, colour: quiet, mark: 'band' as const }] : []),
      { label: t('assethealth.chosen'), colour: chosen, mark: 'column' as const },
    ],
    nearest: (x, y, size) => {
      const found = laid(size).boxes.findIndex(inside(x, y));
      return found < 0 ? null : found;
    },
    placeOf: (stop, size) => {
      const box = laid(size).boxes[stop];
      return box ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : { x: 0, y: 0 };
    },
    told: (stop, palette) => {
      const row = rows[stop];
      if (!row) return { title: '', said: [] };
      const step = heat.step(row);
      const colour = step === null ? palette.quiet : (palette.bands[step - 1] ?? palette.quiet);
      return {
        title: nameOf(row),
        said: [
          { label: t('assethealth.hi'), colour, text: row.HealthIndexBand ?? NOT_MODELLED },
          { label: t('assethealth.pof'), colour, text: number(row.POFPercent, 2) },
          { label: heat.weightName, colour, text: heat.weightText(row) },
        ],
        note: row.HealthIndexBand === null ? whyNot(row) : undefined,
      };
    },
    table: {
      head: [...COLUMNS.map(({ name }) => name), heat.weightName],
      decimals: COLUMNS.map(({ key }) => (key === 'km' ? 3 : key === 'pof' ? 2 : 0)).concat(2),
      rows: rows.length,
      cells: (at) => {
        const row = rows[at];
        if (!row) return [];
        return [...COLUMNS.map(({ value, text }) => (value ? value(row) : text(row, { now: 0, zone: 'UTC' }))), heat.weight(row)];
      },
    },
    draw: (ink, view) => drawn(ink, view, rows, heat, laid(view), chosen),
  };
}

/** Smallest box with a label, px. */
const LETTERED = { width: 26, height: 15 } as const;
/** Distance between the lines of a hatch, px. */
const HATCH = 6;

function drawn(ink: Ink, view: View, rows: readonly CableSection[], heat: Heat, { boxes, groups, unsized }: Laid, chosen: number): void {
  const { palette, font, at } = view;
  const bySteps: Box[][] = [[], [], [], [], [], []];
  rows.forEach((row, index) => {
    const box = boxes[index];
    if (box && index !== chosen) bySteps[heat.step(row) ?? 0]?.push(within(box));
  });
  // One path for each colour: thousands of boxes need six strokes.
  bySteps.forEach((own, step) => {
    if (own.length === 0) return;
    if (step === 0) return hatched(ink, own, palette);
    ink.fillStyle = palette.bands[step - 1] ?? palette.quiet;
    ink.beginPath();
    for (const { left, top, width, height } of own) ink.rect(left, top, width, height);
    ink.fill();
  });
  const plain = { font, baseline: 'middle' as const };
  rows.forEach((row, index) => {
    const box = boxes[index];
    if (!box || box.width < LETTERED.width || box.height < LETTERED.height || index === chosen) return;
    const step = heat.step(row);
    if (step === null) return;
    const colour = onColour(palette.bands[step - 1] ?? palette.ground);
    written(ink, labelsOf(row, heat), box, colour, font);
  });
  for (const { name, box } of groups) {
    if (box.height > 0) letters(ink, name, box.left + 3, box.top + 8, { ...plain, colour: palette.text, isBold: true, most: box.width - 6 });
  }
  if (unsized) letters(ink, heat.unsizedName, unsized.left + 3, unsized.top + 8, { ...plain, colour: palette.text, isBold: true, most: unsized.width - 6 });
  const red = boxes[chosen];
  const row = rows[chosen];
  if (red && row) marked(ink, red, palette, labelsOf(row, heat), font);
  const pointed = at === null ? undefined : boxes[at];
  if (pointed) outline(ink, pointed, 1.5, palette.text);
}

/** Labels of a box, longest first; the first that fits is written. The band is part of the label, for users who cannot distinguish colours. */
function labelsOf(row: CableSection, heat: Heat): readonly string[] {
  const step = heat.step(row);
  if (step === null) return [`${NOT_MODELLED} · ${row.Section}`, row.Section];
  const says = heat.step === healthStep ? (row.HealthIndexBand ?? '') : `${number(row.POFPercent, 1)} %`;
  return [`${says} · ${row.Section}`, says];
}

/** Writes a text that fits completely, or none. */
function written(ink: Ink, labels: readonly string[], box: Box, colour: string, font: string): void {
  ink.font = `11px ${font}`;
  const label = labels.find((own) => ink.measureText(own).width <= box.width - 7);
  if (label) letters(ink, label, box.left + 4, box.top + 9, { colour, font });
}

/** The box without a thin gap to its neighbours, if there is room for a gap. */
function within({ left, top, width, height }: Box): Box {
  const gap = Math.min(width, height) > 4 ? 1 : Math.min(width, height) > 2 ? 0.5 : 0;
  return { left: left + gap / 2, top: top + gap / 2, width: width - gap, height: height - gap };
}

/** Draws unknown health: diagonal lines and a frame without colour. */
function hatched(ink: Ink, boxes: readonly Box[], { quiet }: Palette): void {
  ink.strokeStyle = quiet;
  ink.lineWidth = 0.75;
  ink.setLineDash([]);
  ink.beginPath();
  for (const { left, top, width, height } of boxes) {
    ink.rect(left + 0.5, top + 0.5, Math.max(width - 1, 0), Math.max(height - 1, 0));
    const [right, foot] = [left + width, top + height];
    // All boxes share one hatch, whose lines have x + y as a multiple of its distance.
    for (let sum = Math.ceil((left + top) / HATCH) * HATCH; sum < right + foot; sum += HATCH) {
      const startX = Math.max(left, sum - foot);
      const endX = Math.min(right, sum - top);
      if (endX <= startX) continue;
      ink.moveTo(startX, sum - startX);
      ink.lineTo(endX, sum - endX);
    }
  }
  ink.stroke();
}

/** Marks the selected box in red with two frames, so that it is visible without colour, and at a visible size. */
function marked(ink: Ink, box: Box, palette: Palette, labels: readonly string[], font: string): void {
  const [width, height] = [Math.max(box.width, 8), Math.max(box.height, 8)];
  const own = { left: box.left - (width - box.width) / 2, top: box.top - (height - box.height) / 2, width, height };
  ink.fillStyle = palette.chosen;
  ink.fillRect(own.left, own.top, own.width, own.height);
  outline(ink, own, 2, palette.text);
  outline(ink, { left: own.left + 2.5, top: own.top + 2.5, width: own.width - 5, height: own.height - 5 }, 1, palette.ground);
  if (box.width < LETTERED.width + 8 || box.height < LETTERED.height + 8) return;
  written(ink, labels, { ...box, left: box.left + 4, top: box.top + 4, width: box.width - 8 }, onColour(palette.chosen), font);
}

function outline(ink: Ink, { left, top, width, height }: Box, wide: number, colour: string): void {
  ink.strokeStyle = colour;
  ink.lineWidth = wide;
  ink.setLineDash([]);
  ink.beginPath();
  ink.rect(left, top, Math.max(width, 0), Math.max(height, 0));
  ink.stroke();
}
