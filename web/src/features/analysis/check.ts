// The quality check of an asset's points: which history shows a point, what its offending stretches are called, and the order of the rows.
// Pure.
import type { Span } from '../../charts/model';
import type { CheckRow, Stretch } from '../../wire/analysis-check';
import type { Measure } from '../../wire/history';
import { t } from '../../words';

const CODES: Readonly<Partial<Record<Measure, readonly string[]>>> = {
  current: ['Ir', 'Iy', 'Ib', 'In', 'I'],
  voltage: ['Vr', 'Vy', 'Vb'],
  voltage_ll: ['Vry', 'Vyb', 'Vbr', 'V'],
  frequency: ['Hz'],
  active: ['Pr', 'Py', 'Pb', 'P'],
  reactive: ['Qr', 'Qy', 'Qb', 'Q'],
  apparent: ['Sr', 'Sy', 'Sb', 'S'],
  power_factor: ['Pf'],
  register: ['EImpR', 'EImpY', 'EImpB', 'EImp', 'EExp', 'RImp', 'RExp'],
  temperature: ['OTI', 'WTI', 'AmbT'],
  dc: ['BatV', 'BatA', 'DcuV'],
  thd_v: ['ThdVr', 'ThdVy', 'ThdVb'],
  thd_i: ['ThdIr', 'ThdIy', 'ThdIb'],
  unbalance: ['Vuf'],
  flicker: ['Pst', 'Plt'],
  angle: ['AVr', 'AVy', 'AVb', 'AIr', 'AIy', 'AIb'],
};

/** The measure of the history that a point is part of; null where there is no chart of it, such as of a tap changer. */
export function measureOf(code: string): Measure | null {
  const found = Object.entries(CODES).find(([, codes]) => codes.includes(code));
  return found ? (found[0] as Measure) : null;
}

const KINDS: Readonly<Record<Stretch['kind'], string>> = {
  gap: t('analytics.kindGap'),
  flat: t('analytics.kindFlat'),
  outlier: t('analytics.kindOutlier'),
  quality: t('analytics.kindQuality'),
  clock: t('analytics.kindClock'),
  limit: t('analytics.kindLimit'),
};

export function kindWords(kind: Stretch['kind']): string {
  return KINDS[kind];
}

/** The stretches as a chart marks them. */
export function spansOf({ stretches }: Pick<CheckRow, 'stretches'>): readonly Span[] {
  return stretches.map(({ kind, fromMs, toMs }) => ({ from: fromMs, to: toMs, name: kindWords(kind) })).sort((a, b) => a.from - b.from);
}

/** The worst first; what could not be judged comes last. */
export function worstFirst(rows: readonly CheckRow[]): readonly CheckRow[] {
  return [...rows].sort((a, b) => (a.score ?? Infinity) - (b.score ?? Infinity) || a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** What is wrong with a point, in a few words; nothing when nothing is. */
export function remarkOf({ stretches }: Pick<CheckRow, 'stretches'>): string {
  return [...new Set(stretches.map(({ kind }) => kindWords(kind)))].join(', ');
}
