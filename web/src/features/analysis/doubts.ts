// What has to be known of a computed figure before it is believed, in words: the flags of an answer, its coverage, what has no meter. Pure.
import { number } from '../../ui/format';
import { t } from '../../words';

export interface Doubtful {
  readonly coverage: number | null;
  readonly flags: readonly string[];
  readonly missing?: readonly string[];
}

const WORDS: Readonly<Record<string, string>> = {
  no_data: t('analytics.flagNoData'),
  partial: t('analytics.flagPartial'),
  register_reset: t('analytics.flagRegisterReset'),
  negative_loss: t('analytics.flagNegativeLoss'),
  late: t('analytics.flagLate'),
  open: t('analytics.flagOpen'),
  no_customers: t('analytics.flagNoCustomers'),
  provisional: t('analytics.flagProvisional'),
  coarse: t('analytics.flagCoarse'),
  not_metered: t('analytics.flagNotMetered'),
  backcast: t('analytics.flagBackcast'),
};

/** How many names of what has no meter are said; the others are counted. */
const NAMES_MOST = 3;

/** One sentence for each. A flag that nobody has words for is said as it is. */
export function doubtsOf({ coverage, flags, missing = [] }: Doubtful): string[] {
  return flags.map((flag) => {
    if (flag === 'partial' && coverage !== null) return t('analytics.flagPartialOf', { coverage: number(coverage, 1) });
    if (flag === 'not_metered' && missing.length > 0) {
      const names = missing.slice(0, NAMES_MOST).join(', ');
      return missing.length > NAMES_MOST
        ? t('analytics.notMeteredAndMore', { names, more: missing.length - NAMES_MOST })
        : t('analytics.notMeteredAt', { names });
    }
    return WORDS[flag] ?? flag.replaceAll('_', ' ');
  });
}

/** The same for a title: joined. */
export function doubtLine(doubtful: Doubtful): string {
  return doubtsOf(doubtful).join(' ');
}
