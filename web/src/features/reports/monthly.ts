// The months that a performance report can be about. Pure.
import type { Choice, Day } from './period';
import { t } from '../../words';

/** Two years back: longer ago is asked for by few, and the report itself compares with the year before. */
const MONTHS_BACK = 24;

const NAME = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Newest first, as `YYYY-MM`; the present month is there, and says that it is not over. */
export function monthChoices({ year, month }: Day): readonly Choice[] {
  return Array.from({ length: MONTHS_BACK + 1 }, (_, back) => {
    const first = new Date(Date.UTC(year, month - 1 - back, 1));
    const name = NAME.format(first);
    return [first.toISOString().slice(0, 7), back === 0 ? t('reportskept.soFar', { month: name }) : name];
  });
}

/** The last month that is over. */
export function monthAtFirst(today: Day): string {
  return monthChoices(today)[1]?.[0] ?? '';
}
