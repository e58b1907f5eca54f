// All data of the selected section.
import { number } from '../../ui/format';
import type { CableSection } from '../../wire/cable-health';
import { CRITICALITY_WORDS, HEALTH_WORDS, nameOf, whyNot } from './sections';
import { t } from '../../words';

export function SectionFacts({ section, currency, onClose }: { section: CableSection; currency: string; onClose: () => void }) {
  const { CriticalityIndex: ci, HealthIndexBand: hi } = section;
  const money = (value: number | null) => (value === null ? '–' : `${number(value, 0)} ${currency}`.trim());
  const facts: readonly (readonly [string, string])[] = [
    [t('assethealth.hi'), hi ? `${hi} ${HEALTH_WORDS[hi]}` : whyNot(section)],
    [t('assethealth.ci'), ci ? `${ci} ${CRITICALITY_WORDS[ci]}` : '–'],
    [t('assethealth.healthScore'), number(section.HealthScore, 2)],
    [t('assethealth.futureScore'), number(section.FutureScore, 2)],
    [t('assethealth.remainingLife'), number(section.RemainingLife, 0)],
    [t('assethealth.pofRate'), number(section.POF, 4)],
    [t('assethealth.riskYear'), money(section.Risk)],
    [t('assethealth.costOfFailure'), money(section.COF)],
    [t('assethealth.costFinancial'), money(section.CoFFinancial)],
    [t('assethealth.costSafety'), money(section.CoFSafety)],
    [t('assethealth.costEnvironment'), money(section.CoFEnvironment)],
    [t('assethealth.costNetwork'), money(section.CoFNetwork)],
    [t('assethealth.consumersSection'), number(section.ConsumersPerCS, 0)],
    [t('assethealth.consumersCable'), number(section.ConsumersPerCable, 0)],
    [t('assethealth.consumersFeeder'), number(section.ConsumerPerFeeder, 0)],
    [t('assethealth.faults'), number(section.NoOfFaults, 0)],
    [t('assethealth.voltage'), number(section.VoltageKv, 0)],
    [t('assethealth.model'), section.Model ?? '–'],
  ];
  return (
    <section className="section-facts" aria-label={t('assethealth.chosenSection')} data-testid="section-facts">
      <h3>
        {nameOf(section)}
        <button type="button" className="plain" onClick={onClose}>
          {t('assethealth.chooseNone')}
        </button>
      </h3>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
