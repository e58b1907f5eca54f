// The one set of sections that everything on the screen is drawn from: what a cell of the matrix left, less what the filters of the
// columns take away, in the order of the table. Pure.
import { sorted, type Sorting } from '../../table/columns';
import type { CableSection, Cell, Criticality, HealthBand, SectionId } from '../../wire/cable-health';
import { COLUMNS, isModelled, whyNot, type ColumnKey } from './sections';
import { t } from '../../words';

/** The texts of a column that are shown. A column that is not in it shows all of them. */
export type Filters = Readonly<Partial<Record<ColumnKey, ReadonlySet<string>>>>;

export interface Shown {
  /** In the order of the table. */
  readonly rows: readonly CableSection[];
  /** Place in `rows` by id. */
  readonly places: ReadonlyMap<SectionId, number>;
  /** How many different texts each column has. */
  readonly distinct: Readonly<Record<ColumnKey, number>>;
  readonly km: number;
  readonly notModelled: number;
}

/** Texts and comparisons know no time and no zone. */
const NEVER = { now: 0, zone: 'UTC' } as const;

/** Feeders by name are told apart everywhere: where two have the same name in `all`, their codes are appended. */
export function namedApart(sections: readonly CableSection[], all: readonly CableSection[]): readonly CableSection[] {
  const feeders = new Map<string, Set<number | null>>();
  for (const { AssetName, AssetId } of all) feeders.set(AssetName, (feeders.get(AssetName) ?? new Set()).add(AssetId));
  const repeats = (row: CableSection) => row.AssetId !== null && (feeders.get(row.AssetName)?.size ?? 0) > 1;
  if (!sections.some(repeats)) return sections;
  return sections.map((row) => (repeats(row) ? { ...row, AssetName: t('assethealth.nameAndCode', { name: row.AssetName, code: row.AssetId ?? '' }) } : row));
}

/** A section does not change, and neither do its texts: each is written once. */
const written = new WeakMap<CableSection, Readonly<Record<ColumnKey, string>>>();

export function textsOf(section: CableSection): Readonly<Record<ColumnKey, string>> {
  let texts = written.get(section);
  if (!texts) {
    texts = Object.fromEntries(COLUMNS.map(({ key, text }) => [key, text(section, NEVER)])) as Record<ColumnKey, string>;
    written.set(section, texts);
  }
  return texts;
}

function passing(sections: readonly CableSection[], filters: Filters, except: ColumnKey | null): readonly CableSection[] {
  const active = COLUMNS.flatMap(({ key }) => (filters[key] && key !== except ? [{ key, only: filters[key] }] : []));
  if (active.length === 0) return sections;
  return sections.filter((section) => {
    const texts = textsOf(section);
    return active.every(({ key, only }) => only.has(texts[key]));
  });
}

export function shownOf(sections: readonly CableSection[], filters: Filters, sorting: Sorting | null): Shown {
  const rows = sorted(passing(sections, filters, null), COLUMNS, sorting, NEVER);
  return {
    rows,
    places: new Map(rows.map(({ CableObjectId }, place) => [CableObjectId, place])),
    distinct: Object.fromEntries(COLUMNS.map(({ key }) => [key, new Set(rows.map((row) => textsOf(row)[key])).size])) as Shown['distinct'],
    km: rows.reduce((sum, { SectionLengthKM }) => sum + (SectionLengthKM ?? 0), 0),
    notModelled: rows.filter((row) => !isModelled(row)).length,
  };
}

export interface Choice {
  readonly text: string;
  readonly count: number;
}

/** What a column can be filtered by: its texts in the rows that the other columns' filters leave, in the column's order. */
export function choicesOf(sections: readonly CableSection[], filters: Filters, key: ColumnKey): readonly Choice[] {
  const found = new Map<string, { first: CableSection; count: number }>();
  for (const section of passing(sections, filters, key)) {
    const own = found.get(textsOf(section)[key]);
    if (own) own.count += 1;
    else found.set(textsOf(section)[key], { first: section, count: 1 });
  }
  // One of each text is enough to know their order.
  const firsts = sorted([...found.values()].map(({ first }) => first), COLUMNS, { key, descending: false }, NEVER);
  return firsts.map((first) => {
    const text = textsOf(first)[key];
    return { text, count: found.get(text)?.count ?? 0 };
  });
}

/** A filter after some of its texts were ticked or unticked; where all that the column has are ticked, it is none. What the filters of other columns hide stays as it was. */
export function ticked(sections: readonly CableSection[], filters: Filters, key: ColumnKey, texts: readonly string[], isOn: boolean): Filters {
  const all = new Set(sections.map((section) => textsOf(section)[key]));
  const next = new Set(filters[key] ?? all);
  for (const text of texts) {
    if (isOn) next.add(text);
    else next.delete(text);
  }
  const others = Object.fromEntries(Object.entries(filters).filter(([own]) => own !== key));
  return [...all].every((text) => next.has(text)) ? others : { ...others, [key]: next };
}

/** Sections shown in a cell of the matrix, by `C2 HI3`; those that are not modelled are in none. */
export function cellsOf({ rows }: Shown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { CriticalityIndex: ci, HealthIndexBand: hi } of rows) {
    if (ci && hi) counts.set(cellKey(ci, hi), (counts.get(cellKey(ci, hi)) ?? 0) + 1);
  }
  return counts;
}

/** The sections of a cell of the matrix, or of a row or column of it, as the server tells them: what is not modelled is in none. */
export function inCell(sections: readonly CableSection[], cell: Cell | null): readonly CableSection[] {
  if (!cell?.ci && !cell?.hi) return sections;
  return sections.filter((row) => isModelled(row) && (cell.ci ?? row.CriticalityIndex) === row.CriticalityIndex && (cell.hi ?? row.HealthIndexBand) === row.HealthIndexBand);
}

export const cellKey = (ci: Criticality, hi: HealthBand) => `${ci} ${hi}`;

/** Why sections are not modelled, with how many each, the most first. */
export function reasonsOf(sections: readonly CableSection[]): readonly Choice[] {
  const counts = new Map<string, number>();
  for (const section of sections) {
    if (!isModelled(section)) counts.set(whyNot(section), (counts.get(whyNot(section)) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => ({ text, count })).sort((a, b) => b.count - a.count || a.text.localeCompare(b.text));
}

export interface FeederBands {
  readonly feeder: string;
  readonly bands: Readonly<Record<HealthBand, number>>;
  readonly notModelled: number;
}

/** Sections shown of each feeder by health index, feeders by name. */
export function feedersOf({ rows }: Shown): readonly FeederBands[] {
  const found = new Map<string, { bands: Record<HealthBand, number>; notModelled: number }>();
  for (const { AssetName, HealthIndexBand } of rows) {
    const own = found.get(AssetName) ?? { bands: { HI1: 0, HI2: 0, HI3: 0, HI4: 0, HI5: 0 }, notModelled: 0 };
    if (HealthIndexBand) own.bands[HealthIndexBand] += 1;
    else own.notModelled += 1;
    found.set(AssetName, own);
  }
  return [...found]
    .map(([feeder, own]) => ({ feeder, ...own }))
    .sort((a, b) => a.feeder.localeCompare(b.feeder, 'en', { numeric: true }));
}

/** The table's page is as long as there are rows, and never shorter than this (specification 3, section 9). */
const PAGE_LEAST = 10;
export const pageSize = (rows: number) => Math.max(rows, PAGE_LEAST);
