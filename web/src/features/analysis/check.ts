// The quality check of an asset's points: the history that shows a point, the names of faulty stretches, and the order of rows.
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

/** The measure of the history that contains a point. Null if there is no chart of it, such as of a tap changer. */
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

/** The stretches as marked spans of a chart. */
export function spansOf({ stretches }: Pick<CheckRow, 'stretches'>): readonly Span[] {
  return stretches.map(({ kind, fromMs, toMs }) => ({ from: fromMs, to: toMs, name: kindWords(kind) })).sort((a, b) => a.from - b.from);
}

/** Sorts by score, worst first. Rows without a score are last. */
export function worstFirst(rows: readonly CheckRow[]): readonly CheckRow[] {
  return [...rows].sort((a, b) => (a.score ?? Infinity) - (b.score ?? Infinity) || a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** The kinds of faults of a point as text; empty if there are none. */
export function remarkOf({ stretches }: Pick<CheckRow, 'stretches'>): string {
  return [...new Set(stretches.map(({ kind }) => kindWords(kind)))].join(', ');
}
