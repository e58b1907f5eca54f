// A question that a person has saved, and the form that it was made with: from one to the other and back. Pure.
import { questionOf, type Format, type ReportBody, type ReportRow } from '../../wire/reports';
import type { Kept, KeptBody, KeptQuestion } from '../../wire/reports-kept';
import type { LevelKey } from '../../ui/levels';
import { partsIn } from './period';
import { NOTHING, type Selection } from './rules';
import { t } from '../../words';

export const NAME_MAX = 200;
/** Of one person. */
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

/** A level by the name that calls have for it; null for one that this screen does not know. */
export function levelKey(name: string): LevelKey | null {
  return LEVELS[name.toLowerCase()] ?? null;
}

type Asked = Pick<KeptQuestion, 'report' | 'reportType' | 'level' | 'levelId' | 'excludeMomentary' | 'limit' | 'quantity' | 'sampleMinutes'>;

/** What was asked besides place and time, as the fields have it. */
function inputsIn({ excludeMomentary, limit, quantity, sampleMinutes }: Asked): Selection['inputs'] {
  const text = (value: string | number | null) => (value === null ? [] : [String(value)]);
  return Object.fromEntries([
    ...(excludeMomentary === null ? [] : [['excludeMomentary', excludeMomentary] as const]),
    ...text(limit).map((value) => ['limit', value] as const),
    ...text(quantity).map((value) => ['quantity', value] as const),
    ...text(sampleMinutes).map((value) => ['sampleMinutes', value] as const),
  ]);
}

/** The form of a question without its time; null where level or report are not there for this person any more. */
export function withoutTime(question: Asked, reports: readonly Pick<ReportRow, 'ReportId' | 'ReportKey'>[]): Selection | null {
  const level = levelKey(question.level);
  const report = reports.find(({ ReportKey }) => ReportKey === question.report);
  if (!level || !report) return null;
  const type = question.reportType.toLowerCase() === 'realtime' ? 'RealTime' : 'Historic';
  return { ...NOTHING, level, nodes: question.levelId, report: report.ReportId, type, inputs: inputsIn(question) };
}

/** Where it asks, of a question whose report is not there any more. */
export function placesOnly({ level, levelId }: Pick<Asked, 'level' | 'levelId'>): Selection {
  const key = levelKey(level);
  return key ? { ...NOTHING, level: key, nodes: levelId } : NOTHING;
}

/** The form of a saved question. */
export function takenUp(question: KeptQuestion, reports: readonly Pick<ReportRow, 'ReportId' | 'ReportKey'>[]): Selection | null {
  const selection = withoutTime(question, reports);
  if (!selection) return null;
  const frequency = selection.type === 'RealTime' ? null : question.frequency;
  return { ...selection, frequency, parts: frequency === null ? {} : partsIn(frequency, question.frequencyValue) };
}

export function bodyToSave(name: string, body: ReportBody, format: Format): KeptBody {
  return { name: name.trim(), question: questionOf(body), format };
}

/** What is wrong with a name; empty when nothing is. `own` is the entry that already has it. */
export function nameFault(name: string, saved: readonly Pick<Kept, 'id' | 'name'>[], own: number | null): string {
  const plain = name.trim();
  if (plain === '') return t('reportskept.needsAName');
  if (plain.length > NAME_MAX) return t('reportskept.nameTooLong', { most: NAME_MAX });
  return saved.some((one) => one.id !== own && one.name.toLowerCase() === plain.toLowerCase()) ? t('reportskept.nameTaken') : '';
}

/** By name, as people look for them. */
export function byName<T extends { readonly name: string }>(rows: readonly T[]): readonly T[] {
  return rows.toSorted((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true, sensitivity: 'base' }));
}
