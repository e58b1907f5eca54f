// A new password without the old one: a handle for the address, a link by mail, and the password it sets.
import { get, post } from '../wire/rest';
import { t } from '../words';

const LENGTH_MIN = 15;
const LENGTH_MAX = 128;

/** Has a link mailed to whoever has this address; the server's sentence, which is the same for every address. */
export async function askForLink(email: string): Promise<string> {
  const { result } = await get<{ id: string }>(null, `member/memberbyemail/${encodeURIComponent(email)}`);
  return (await get<string>(null, `member/generatepwd/${encodeURIComponent(result.id)}`)).result;
}

/** Sets the password by the secret of a link; the server's sentence. */
export async function setPassword(token: string, password: string): Promise<string> {
  return (await post<string>(null, 'member/setpassword', { token, password })).result;
}

/** What is wrong with a new password that can be told without asking; null for nothing. */
export function passwordProblem(first: string, second: string): string | null {
  const length = [...first].length;
  if (length < LENGTH_MIN) return t('session.aPasswordHasAtLeast', { min: LENGTH_MIN, length });
  if (length > LENGTH_MAX) return t('session.aPasswordHasAtMost', { max: LENGTH_MAX, length });
  return first === second ? null : t('session.theTwoAreNotThe');
}
