// The selected substation and year: from the address, else the utility's defaults (specification 3, sections 2.3 and 9). If either is not
// selected, nothing is loaded. Pure.
import type { HealthSubstations } from '../../wire/cable-health';

export interface Chosen {
  readonly substation: number | null;
  readonly year: number | null;
}

/** Reads the selection. An unknown substation becomes the only one, the default one, the user's last one, or the first. An unknown year becomes null, so that no other year is mistaken for it. */
export function chosenIn(query: URLSearchParams, choices: HealthSubstations, last: number | null = null): Chosen {
  const { substations, defaultSubstation } = choices;
  const has = (id: number | null) => substations.some(({ assetPointId }) => assetPointId === id);
  const first = substations[0]?.assetPointId ?? null;
  const only = substations.length === 1 ? first : ([defaultSubstation, last].find(has) ?? first);
  const [place, year] = [query.get('substation'), query.get('year')];
  const substation = place === '' ? null : place !== null && has(Number(place)) ? Number(place) : has(only) ? only : null;
  if (year === null) return { substation, year: yearFor(substation, choices.defaultYear, choices) };
  return { substation, year: year !== '' && yearsOf(substation, substations).includes(Number(year)) ? Number(year) : null };
}

/** The requested year if the substation has it, else the default year, else the substation's newest. Null stays null. */
export function yearFor(substation: number | null, wanted: number | null, { substations, defaultYear }: HealthSubstations): number | null {
  const years = yearsOf(substation, substations);
  if (wanted === null) return null;
  const found = [wanted, defaultYear].find((year) => year !== null && years.includes(year));
  return found ?? (substation === null ? null : (years[0] ?? null));
}

/** The years of a substation, newest first. Without a substation, the years of all. */
export function yearsOf(substation: number | null, substations: HealthSubstations['substations']): readonly number[] {
  const own = substations.filter(({ assetPointId }) => substation === null || assetPointId === substation);
  return [...new Set(own.flatMap(({ years }) => years))].sort((a, b) => b - a);
}
