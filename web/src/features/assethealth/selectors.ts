// Which substation and year are looked at: what the address says, else what the utility begins with (specification 3, sections 2.3 and 9).
// Both can be "none chosen", and then nothing is loaded. Pure.
import type { HealthSubstations } from '../../wire/cable-health';

export interface Chosen {
  readonly substation: number | null;
  readonly year: number | null;
}

/** An address that says something that is not there says nothing. */
export function chosenIn(query: URLSearchParams, { substations, defaultSubstation, defaultYear }: HealthSubstations): Chosen {
  const read = (name: string, otherwise: number | null, allowed: readonly number[]) => {
    const written = query.get(name);
    if (written === '') return null;
    const wanted = written === null ? otherwise : Number(written);
    if (wanted !== null && allowed.includes(wanted)) return wanted;
    return otherwise !== null && allowed.includes(otherwise) ? otherwise : null;
  };
  const only = substations.length === 1 ? (substations[0]?.assetPointId ?? null) : defaultSubstation;
  const substation = read('substation', only, substations.map(({ assetPointId }) => assetPointId));
  return { substation, year: read('year', defaultYear, yearsOf(substation, substations)) };
}

/** Newest first; before a substation is chosen, those of all of them. */
export function yearsOf(substation: number | null, substations: HealthSubstations['substations']): readonly number[] {
  const own = substations.filter(({ assetPointId }) => substation === null || assetPointId === substation);
  return [...new Set(own.flatMap(({ years }) => years))].sort((a, b) => b - a);
}
