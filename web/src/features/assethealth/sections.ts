// The texts of a cable section in the table, and its bands from good to bad. Pure.
import { number } from '../../ui/format';
import type { CableSection, Criticality, HealthBand } from '../../wire/cable-health';
import type { TableColumn } from '../../table/columns';
import { t } from '../../words';

export const HEALTH_BANDS = ['HI1', 'HI2', 'HI3', 'HI4', 'HI5'] as const satisfies readonly HealthBand[];
export const CRITICALITIES = ['C1', 'C2', 'C3', 'C4'] as const satisfies readonly Criticality[];

export const HEALTH_WORDS: Readonly<Record<HealthBand, string>> = {
  HI1: t('assethealth.hi1'),
  HI2: t('assethealth.hi2'),
  HI3: t('assethealth.hi3'),
  HI4: t('assethealth.hi4'),
  HI5: t('assethealth.hi5'),
};
export const CRITICALITY_WORDS: Readonly<Record<Criticality, string>> = {
  C1: t('assethealth.c1'),
  C2: t('assethealth.c2'),
  C3: t('assethealth.c3'),
  C4: t('assethealth.c4'),
};

/** Whether the section has a health index. Without one its health is unknown. */
export const isModelled = ({ HealthIndexBand }: Pick<CableSection, 'HealthIndexBand'>) => HealthIndexBand !== null;

export const NOT_MODELLED = t('assethealth.notModelled');

/** A band from 1 (good) to 5 (bad). Functions return null for a section that is not modelled. */
export type Step = 1 | 2 | 3 | 4 | 5;

export function healthStep({ HealthIndexBand }: Pick<CableSection, 'HealthIndexBand'>): Step | null {
  return HealthIndexBand === null ? null : ((HEALTH_BANDS.indexOf(HealthIndexBand) + 1) as Step);
}

/** Lower limits of the bands of probability of failure, percent in the year. */
const POF_FROM = [0, 1, 2, 5, 10] as const;
export const POF_WORDS: readonly string[] = POF_FROM.map((from, at) => {
  const to = POF_FROM[at + 1];
  if (to === undefined) return t('assethealth.pofFrom', { from });
  return from === 0 ? t('assethealth.pofUnder', { to }) : t('assethealth.pofBetween', { from, to });
});

export function pofStep(section: Pick<CableSection, 'HealthIndexBand' | 'POFPercent'>): Step | null {
  const { POFPercent } = section;
  if (POFPercent === null || !isModelled(section)) return null;
  return Math.max(1, POF_FROM.filter((from) => POFPercent >= from).length) as Step;
}

export type ColumnKey = 'feeder' | 'cable' | 'section' | 'ci' | 'hi' | 'age' | 'km' | 'pof';
export type Column = TableColumn<CableSection> & { readonly key: ColumnKey };

/** The columns of the Network Table (specification 3, section 2.3). */
export const COLUMNS: readonly Column[] = [
  { key: 'feeder', name: t('assethealth.feeder'), text: ({ AssetName }) => AssetName },
  { key: 'cable', name: t('assethealth.cable'), text: ({ CableAssetName }) => CableAssetName },
  { key: 'section', name: t('assethealth.section'), text: ({ Section }) => Section },
  {
    key: 'ci',
    name: t('assethealth.ci'),
    text: ({ CriticalityIndex }) => CriticalityIndex ?? '–',
    value: ({ CriticalityIndex }) => CriticalityIndex,
    title: ({ CriticalityIndex }) => (CriticalityIndex ? CRITICALITY_WORDS[CriticalityIndex] : ''),
  },
  {
    key: 'hi',
    name: t('assethealth.hi'),
    text: ({ HealthIndexBand }) => HealthIndexBand ?? NOT_MODELLED,
    value: ({ HealthIndexBand }) => HealthIndexBand,
    title: (section) => (section.HealthIndexBand ? HEALTH_WORDS[section.HealthIndexBand] : whyNot(section)),
  },
  {
    key: 'age',
    name: t('assethealth.age'),
    isNumber: true,
    text: ({ AgeOfCable }) => number(AgeOfCable, 0),
    value: ({ AgeOfCable }) => AgeOfCable,
  },
  {
    key: 'km',
    name: t('assethealth.lengthKm'),
    isNumber: true,
    text: ({ SectionLengthKM }) => number(SectionLengthKM, 3),
    value: ({ SectionLengthKM }) => SectionLengthKM,
  },
  {
    key: 'pof',
    name: t('assethealth.pof'),
    isNumber: true,
    text: ({ POFPercent }) => number(POFPercent, 2),
    value: ({ POFPercent }) => POFPercent,
  },
];

/** Why a section is not modelled, with the server's reason if there is one. */
export function whyNot({ ModelNote }: Pick<CableSection, 'ModelNote'>): string {
  return ModelNote ? t('assethealth.notModelledBecause', { why: ModelNote }) : NOT_MODELLED;
}

/** The currency with its price base, such as `GBP (2020/21)`. */
export function moneyIn({ currency, priceBase }: { readonly currency: string; readonly priceBase: string }): string {
  return currency && priceBase ? t('assethealth.nameAndCode', { name: currency, code: priceBase }) : currency;
}

/** The full name of a section: feeder, cable and section. */
export function nameOf({ AssetName, CableAssetName, Section }: Pick<CableSection, 'AssetName' | 'CableAssetName' | 'Section'>): string {
  return t('assethealth.sectionName', { feeder: AssetName, cable: CableAssetName, section: Section });
}

/** Why a section needs attention: it is near its end of life, it is critical and shows wear, or it has no model. Empty if it needs no attention. */
export function alertOf(section: CableSection): string {
  const { CriticalityIndex: ci, HealthIndexBand: hi } = section;
  if (hi === null) return whyNot(section);
  if (hi === 'HI5' || hi === 'HI4') return `${hi}: ${HEALTH_WORDS[hi]}`;
  if (hi === 'HI3' && (ci === 'C3' || ci === 'C4')) return t('assethealth.criticalAndWearing', { ci, hi });
  return '';
}
