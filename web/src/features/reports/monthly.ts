// The months of a performance report, and the limit of its places. Pure.
import type { LevelKey } from '../../ui/levels';
import type { Choice, Day } from './period';
import { PLEASE } from './please';
import { takesMany } from './rules';
import { MONTHLY_NODES_MAX, MONTHLY_REPORT } from './schedule';
import { t } from '../../words';

/** Number of earlier months that can be selected. The report itself compares with the year before. */
const MONTHS_BACK = 24;

const NAME = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The months as `YYYY-MM`, newest first. The current month is marked as incomplete. */
export function monthChoices({ year, month }: Day): readonly Choice[] {
  return Array.from({ length: MONTHS_BACK + 1 }, (_, back) => {
    const first = new Date(Date.UTC(year, month - 1 - back, 1));
    const name = NAME.format(first);
    return [first.toISOString().slice(0, 7), back === 0 ? t('reportskept.soFar', { month: name }) : name];
  });
}

/** The initial selection: the last complete month. */
export function monthAtFirst(today: Day): string {
  return monthChoices(today)[1]?.[0] ?? '';
}

/** The message of an incomplete selection; empty if it is complete. */
export function missingOfMonthly(level: LevelKey | null, nodes: readonly number[]): string {
  if (level === null) return PLEASE.level;
  if (nodes.length === 0) return PLEASE.node;
  if (nodes.length > 1 && !takesMany(level, MONTHLY_REPORT)) return PLEASE.oneNode;
  return nodes.length > MONTHLY_NODES_MAX ? t('reports.pleaseFewerNodes', { most: MONTHLY_NODES_MAX }) : '';
}
