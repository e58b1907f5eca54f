// What a raw status means, by its encoding, and what it is called: by the server's word, and by people. The one table of it (specification 2, section 4).
import { t } from '../words';

export type Status = 'open' | 'closed' | 'intermediate' | 'bad' | 'inactive' | 'active';

const TABLES: Readonly<Record<string, readonly Status[]>> = { double: ['intermediate', 'open', 'closed', 'bad'], single: ['open', 'closed'], signal: ['inactive', 'active'] };

/** The meaning of a raw status; what is absent or in no table is bad. */
export function statusOf(encoding: string | null | undefined, raw: number | null | undefined): Status {
  return (raw == null ? undefined : TABLES[encoding ?? 'single']?.[raw]) ?? 'bad';
}

const CODES: Readonly<Record<Status, string>> = { open: 'OPEN', closed: 'CLOSED', intermediate: 'INTERMEDIATE', bad: 'INVALID', inactive: 'INACTIVE', active: 'ACTIVE' };

/** The same as the server writes it in rows. */
export function statusCode(encoding: string | null | undefined, raw: number | null | undefined): string {
  return CODES[statusOf(encoding, raw)];
}

const WORDS: Readonly<Record<Status, string>> = { open: t('live.open'), closed: t('live.closed'), intermediate: t('live.intermediate'), bad: t('live.invalid'), inactive: t('live.inactive'), active: t('live.active') };

/** And as people read it. */
export function statusWord(encoding: string | null | undefined, raw: number | null | undefined): string {
  return WORDS[statusOf(encoding, raw)];
}
