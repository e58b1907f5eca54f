// The part of the hierarchy that a user may see. Streams about the whole utility are requested for this scope.
import type { Login } from '../wire/rest';

/** Returns the scope of a user, such as `client/1`, or `division/4` for a user who is restricted to a division. */
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
