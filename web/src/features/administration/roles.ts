// The roles and their levels in the hierarchy (specification 1, section 3).

export const ROLES = [
  { id: 1, name: 'SuperUser', level: null },
  { id: 2, name: 'ClientAdmin', level: null },
  { id: 3, name: 'CircleAdmin', level: 'circle' },
  { id: 4, name: 'DivisionAdmin', level: 'division' },
  { id: 5, name: 'TownAdmin', level: 'town' },
  { id: 6, name: 'SubdivisionAdmin', level: 'subdivision' },
  { id: 7, name: 'SectionAdmin', level: 'section' },
  { id: 8, name: 'SubstationAdmin', level: 'substation' },
] as const;

/** The path of the list of places for a role; null for a role of the whole utility. */
export function placesPath(roleId: number, client: number): string | null {
  const level = ROLES.find(({ id }) => id === roleId)?.level;
  return level ? `${level}/${level}sbyclient/${client}` : null;
}
