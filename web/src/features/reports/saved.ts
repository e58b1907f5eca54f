// Conversion between a saved selection and the form. Pure.
import { questionOf, type Format, type ReportBody, type ReportRow } from '../../wire/reports';
import type { Kept, KeptBody, KeptQuestion } from '../../wire/reports-kept';
import type { LevelKey } from '../../ui/levels';
import { partsIn } from './period';
import { NOTHING, type Selection } from './rules';
import { t } from '../../words';

export const NAME_MAX = 200;
/** Largest number of saved selections of a user. */
export const SAVED_MAX = 100;

const LEVELS: Readonly<Record<string, LevelKey>> = {
  client: 'client',
  circle: 'circle',
  division: 'division',
  town: 'town',
  subdivision: 'subdivision',
  section: 'section',
  location: 'substation',
  substation: 'substation',
  asset: 'asset',
};

/** The level with this name in API calls; null for an unknown level. */
export function levelKey(name: string): LevelKey | null {
  return LEVELS[name.toLowerCase()] ?? null;
}

type Asked = Pick<KeptQuestion, 'report' | 'reportType' | 'level' | 'levelId' | 'excludeMomentary' | 'limit' | 'quantity' | 'sampleMinutes'>;

/** The inputs of a saved selection as values of fields. */
function inputsIn({ excludeMomentary, limit, quantity, sampleMinutes }: Asked): Selection['inputs'] {
  const text = (value: string | number | null) => (value === null ? [] : [String(value)]);
  return Object.fromEntries([
    ...(excludeMomentary === null ? [] : [['excludeMomentary', excludeMomentary] as const]),
    ...text(limit).map((value) => ['limit', value] as const),
    ...text(quantity).map((value) => ['quantity', value] as const),
    ...text(sampleMinutes).map((value) => ['sampleMinutes', value] as const),
  ]);
}

/** The form of a saved selection without its period. Null if the user no longer has the level or the report. */
export function withoutTime(question: Asked, reports: readonly Pick<ReportRow, 'ReportId' | 'ReportKey'>[]): Selection | null {
  const level = levelKey(question.level);
  const report = reports.find(({ ReportKey }) => ReportKey === question.report);
  if (!level || !report) return null;
  const type = question.reportType.toLowerCase() === 'realtime' ? 'RealTime' : 'Historic';
  return { ...NOTHING, level, nodes: question.levelId, report: report.ReportId, type, inputs: inputsIn(question) };
}

/** The places of a saved selection whose report no longer exists. */
export function placesOnly({ level, levelId }: Pick<Asked, 'level' | 'levelId'>): Selection {
  const key = levelKey(level);
  return key ? { ...NOTHING, level: key, nodes: levelId } : NOTHING;
}

/** The form of a saved selection; null if the user no longer has the level or the report. */
export function takenUp(question: KeptQuestion, reports: readonly Pick<ReportRow, 'ReportId' | 'ReportKey'>[]): Selection | null {
  const selection = withoutTime(question, reports);
  if (!selection) return null;
  const frequency = selection.type === 'RealTime' ? null : question.frequency;
  return { ...selection, frequency, parts: frequency === null ? {} : partsIn(frequency, question.frequencyValue) };
}

export function bodyToSave(name: string, body: ReportBody, format: Format): KeptBody {
  return { name: name.trim(), question: questionOf(body), format };
}

/** The error of a name; empty if there is none. `own` is the id of the entry that is renamed. */
export function nameFault(name: string, saved: readonly Pick<Kept, 'id' | 'name'>[], own: number | null): string {
  const plain = name.trim();
  if (plain === '') return t('reportskept.needsAName');
  if (plain.length > NAME_MAX) return t('reportskept.nameTooLong', { most: NAME_MAX });
  return saved.some((one) => one.id !== own && one.name.toLowerCase() === plain.toLowerCase()) ? t('reportskept.nameTaken') : '';
}

/** Sorts by name, with numbers in numeric order. */
export function byName<T extends { readonly name: string }>(rows: readonly T[]): readonly T[] {
  return rows.toSorted((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true, sensitivity: 'base' }));
}
