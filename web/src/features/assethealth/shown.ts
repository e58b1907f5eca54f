// The sections from which all widgets are drawn: those of the selected cell of the matrix that pass the column filters, in the order of the
// table. Pure.
import { sorted, type Sorting } from '../../table/columns';
import type { CableSection, Cell, Criticality, HealthBand, SectionId } from '../../wire/cable-health';
import { COLUMNS, isModelled, whyNot, type ColumnKey } from './sections';
import { t } from '../../words';

/** The selected texts of each filtered column. A column without an entry shows all. */
export type Filters = Readonly<Partial<Record<ColumnKey, ReadonlySet<string>>>>;

export interface Shown {
  /** The sections in the order of the table. */
  readonly rows: readonly CableSection[];
  /** Index in `rows` by section id. */
  readonly places: ReadonlyMap<SectionId, number>;
  /** Number of different texts in each column. */
  readonly distinct: Readonly<Record<ColumnKey, number>>;
  readonly km: number;
  readonly notModelled: number;
}

/** The texts do not depend on time or zone, so this constant serves as the moment. */
const NEVER = { now: 0, zone: 'UTC' } as const;

/** Makes names of feeders unique: if two feeders in `all` have the same name, their ids are appended. */
export function namedApart(sections: readonly CableSection[], all: readonly CableSection[]): readonly CableSection[] {
  const feeders = new Map<string, Set<number | null>>();
  for (const { AssetName, AssetId } of all) feeders.set(AssetName, (feeders.get(AssetName) ?? new Set()).add(AssetId));
  const repeats = (row: CableSection) => row.AssetId !== null && (feeders.get(row.AssetName)?.size ?? 0) > 1;
  if (!sections.some(repeats)) return sections;
  return sections.map((row) => (repeats(row) ? { ...row, AssetName: t('assethealth.nameAndCode', { name: row.AssetName, code: row.AssetId ?? '' }) } : row));
}

/** Cache of the texts of sections. Sections never change. */
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

/** The choices of a column's filter: its texts in the rows that pass the other filters, in the column's order. */
export function choicesOf(sections: readonly CableSection[], filters: Filters, key: ColumnKey): readonly Choice[] {
  const found = new Map<string, { first: CableSection; count: number }>();
  for (const section of passing(sections, filters, key)) {
    const own = found.get(textsOf(section)[key]);
    if (own) own.count += 1;
    else found.set(textsOf(section)[key], { first: section, count: 1 });
  }
  // One row of each text is enough for sorting.
  const firsts = sorted([...found.values()].map(({ first }) => first), COLUMNS, { key, descending: false }, NEVER);
  return firsts.map((first) => {
    const text = textsOf(first)[key];
    return { text, count: found.get(text)?.count ?? 0 };
  });
}

/** Returns the filters after ticking or unticking texts. If all texts are ticked, the column has no filter. Texts hidden by other filters keep their state. */
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

/** Number of visible sections in each cell of the matrix, by `C2 HI3`. Sections without a model are in no cell. */
export function cellsOf({ rows }: Shown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { CriticalityIndex: ci, HealthIndexBand: hi } of rows) {
    if (ci && hi) counts.set(cellKey(ci, hi), (counts.get(cellKey(ci, hi)) ?? 0) + 1);
  }
  return counts;
}

/** The sections of a cell, row or column of the matrix. Sections without a model are in none. */
export function inCell(sections: readonly CableSection[], cell: Cell | null): readonly CableSection[] {
  if (!cell?.ci && !cell?.hi) return sections;
  return sections.filter((row) => isModelled(row) && (cell.ci ?? row.CriticalityIndex) === row.CriticalityIndex && (cell.hi ?? row.HealthIndexBand) === row.HealthIndexBand);
}

export const cellKey = (ci: Criticality, hi: HealthBand) => `${ci} ${hi}`;

/** The reasons why sections are not modelled, with the number of each, most frequent first. */
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

/** Number of visible sections by feeder and health index, sorted by feeder name. */
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

/** Smallest page size of the table. The page is as long as the rows (specification 3, section 9). */
const PAGE_LEAST = 10;
export const pageSize = (rows: number) => Math.max(rows, PAGE_LEAST);
