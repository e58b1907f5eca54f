// The meaning of a raw status in its encoding, the server's code for it, and the label on the screen (specification 2, section 4).
import { t } from '../words';

export type Status = 'open' | 'closed' | 'intermediate' | 'bad' | 'inactive' | 'active';

const TABLES: Readonly<Record<string, readonly Status[]>> = { double: ['intermediate', 'open', 'closed', 'bad'], single: ['open', 'closed'], signal: ['inactive', 'active'] };

/** The meaning of a raw status. An absent or undefined status is `bad`. */
export function statusOf(encoding: string | null | undefined, raw: number | null | undefined): Status {
  return (raw == null ? undefined : TABLES[encoding ?? 'single']?.[raw]) ?? 'bad';
}

const CODES: Readonly<Record<Status, string>> = { open: 'OPEN', closed: 'CLOSED', intermediate: 'INTERMEDIATE', bad: 'INVALID', inactive: 'INACTIVE', active: 'ACTIVE' };

/** The code that the server writes in rows, such as `OPEN`. */
export function statusCode(encoding: string | null | undefined, raw: number | null | undefined): string {
  return CODES[statusOf(encoding, raw)];
}

const WORDS: Readonly<Record<Status, string>> = { open: t('live.open'), closed: t('live.closed'), intermediate: t('live.intermediate'), bad: t('live.invalid'), inactive: t('live.inactive'), active: t('live.active') };

/** The label on the screen. */
export function statusWord(encoding: string | null | undefined, raw: number | null | undefined): string {
  return WORDS[statusOf(encoding, raw)];
}
