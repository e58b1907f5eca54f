// Resets a forgotten password: a handle for the e-mail address, a link by e-mail, and the new password.
import { get, post } from '../wire/rest';
import { t } from '../words';

const LENGTH_MIN = 15;
const LENGTH_MAX = 128;

/** Sends a link to an e-mail address. Returns the server's message, which is the same for known and unknown addresses. */
export async function askForLink(email: string): Promise<string> {
  const { result } = await get<{ id: string }>(null, `member/memberbyemail/${encodeURIComponent(email)}`);
  return (await get<string>(null, `member/generatepwd/${encodeURIComponent(result.id)}`)).result;
}

/** Sets the password with the secret of a link. Returns the server's message. */
export async function setPassword(token: string, password: string): Promise<string> {
  return (await post<string>(null, 'member/setpassword', { token, password })).result;
}

/** The first problem of a new password that needs no request to the server, or null. */
export function passwordProblem(first: string, second: string): string | null {
  const length = [...first].length;
  if (length < LENGTH_MIN) return t('session.aPasswordHasAtLeast', { min: LENGTH_MIN, length });
  if (length > LENGTH_MAX) return t('session.aPasswordHasAtMost', { max: LENGTH_MAX, length });
  return first === second ? null : t('session.theTwoAreNotThe');
}
