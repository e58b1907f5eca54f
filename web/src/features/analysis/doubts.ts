// Notes on the reliability of a computed figure: flags, coverage, and missing meters. Pure.
import { number } from '../../ui/format';
import { t } from '../../words';

export interface Doubtful {
  readonly coverage: number | null;
  readonly flags: readonly string[];
  readonly missing?: readonly string[];
  /** Sentences of this figure, for flags that mean something else than a missing reading. */
  readonly words?: Readonly<Record<string, string>>;
}

const WORDS: Readonly<Record<string, string>> = {
  no_data: t('analytics.flagNoData'),
  partial: t('analytics.flagPartial'),
  register_reset: t('analytics.flagRegisterReset'),
  register_step: t('analytics.flagRegisterStep'),
  negative_loss: t('analytics.flagNegativeLoss'),
  late: t('analytics.flagLate'),
  open: t('analytics.flagOpen'),
  no_customers: t('analytics.flagNoCustomers'),
  no_feeder: t('analytics.flagNoFeeder'),
  provisional: t('analytics.flagProvisional'),
  coarse: t('analytics.flagCoarse'),
  not_metered: t('analytics.flagNotMetered'),
  backcast: t('analytics.flagBackcast'),
};

/** Largest number of names without a meter that a note lists. Further names are counted. */
const NAMES_MOST = 3;

/** Returns one sentence for each flag. An unknown flag is shown by its code. */
export function doubtsOf({ coverage, flags, missing = [], words = {} }: Doubtful): string[] {
  return flags.map((flag) => {
    if (flag === 'partial' && coverage !== null) return t('analytics.flagPartialOf', { coverage: number(coverage, 1) });
    if (flag === 'not_metered' && missing.length > 0) {
      const names = missing.slice(0, NAMES_MOST).join(', ');
      return missing.length > NAMES_MOST
        ? t('analytics.notMeteredAndMore', { names, more: missing.length - NAMES_MOST })
        : t('analytics.notMeteredAt', { names });
    }
    return words[flag] ?? WORDS[flag] ?? flag.replaceAll('_', ' ');
  });
}

/** The notes in one line, for a title. */
export function doubtLine(doubtful: Doubtful): string {
  return doubtsOf(doubtful).join(' ');
}
