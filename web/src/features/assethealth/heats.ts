// The two heat maps: the meaning of size and colour in each (specification 3, section 2.3). Pure.
import { number } from '../../ui/format';
import type { Heat } from './heatmap';
import { HEALTH_BANDS, HEALTH_WORDS, healthStep, isModelled, POF_WORDS, pofStep } from './sections';
import { t } from '../../words';

/** Size is the cost of failure, colour its probability. A section without a model has no cost. */
export const riskHeat = (currency: string): Heat => ({
  weight: (section) => (isModelled(section) ? section.COF : null),
  weightText: ({ COF }) => [number(COF, 0), COF === null ? '' : currency].join(' ').trim(),
  weightName: t('assethealth.costOfFailure'),
  step: pofStep,
  steps: POF_WORDS,
  unsizedName: t('assethealth.noCost'),
});

/** Size is the length, colour the health index. */
export const healthHeat: Heat = {
  weight: ({ SectionLengthKM }) => SectionLengthKM,
  weightText: ({ SectionLengthKM }) => number(SectionLengthKM, 3),
  weightName: t('assethealth.lengthKm'),
  step: healthStep,
  steps: HEALTH_BANDS.map((band) => `${band} ${HEALTH_WORDS[band]}`),
  unsizedName: t('assethealth.noLength'),
};
