// The part of the hierarchy that a person sees: what live streams about "everything" are asked for.
import type { Login } from '../wire/rest';

/** Such as `client/1`, or `division/4` for who is confined to it. */
export function scopeOf(login: Login): string {
  const narrow = (
    [
      ['location', login.substationId],
      ['section', login.sectionId],
      ['subdivision', login.subDivisionId],
      ['town', login.townId],
      ['division', login.divisionId],
      ['circle', login.circleId],
    ] as const
  ).find(([, id]) => id != null);
  return narrow ? `${narrow[0]}/${narrow[1]}` : `client/${login.clientId}`;
}
