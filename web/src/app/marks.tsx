// What users have entered and placed, on a diagram and on the map: entered positions, jumpers, cuts and portable earths. They are read over REST, so they can be
// older than the live values beside them. Old marks are shown as old.
import { useMemo, type ReactNode } from 'react';
import { LostChanges } from '../features/network/LostChanges';
import { useIsOutdated, type Read } from '../ui/useAsk';
import type { Login } from '../wire/rest';
import type { Drawing } from '../wire/sld';
import { useEntries, withEntries } from './entries';
import { countedByStation, lostOf, useTemporary, withTemporary, type CountedChanges } from './temporary';
import { t } from '../words';

/** Age from which marks are old, ms: they are read every 10 s. */
const OLD_MS = 30_000;

/** Why marks cannot be believed; empty if they can. */
function doubtOf({ data, problem }: Read, isOld: boolean, unread: string, old: string): string {
  if (data === null) return problem || isOld ? [unread, problem].filter(Boolean).join(' ') : '';
  return isOld ? [old, problem].filter(Boolean).join(' ') : '';
}

export interface Marked {
  readonly drawing: Drawing | null;
  readonly entries: ReturnType<typeof useEntries>;
  readonly temporary: ReturnType<typeof useTemporary>;
  /** Over a corner of the diagram: that the marks are old or missing, and the changes without a place. Null if there is nothing to say. */
  readonly notes: ReactNode;
}

/** Adds the marks to the drawing of a substation or of one of its feeders. */
export function useMarked({ token, timeZone }: Login, base: Drawing | null, location: number, isFeeder = false): Marked {
  const entries = useEntries(token);
  const temporary = useTemporary(token, isFeeder ? null : location);
  const [areEntriesOld, areChangesOld] = [useIsOutdated(entries, OLD_MS), useIsOutdated(temporary, OLD_MS)];
  const drawing = useMemo(
    () => withTemporary(withEntries(base, entries.data, areEntriesOld), temporary.data, areChangesOld),
    [base, entries.data, areEntriesOld, temporary.data, areChangesOld],
  );
  const lost = useMemo(() => lostOf(temporary.data, location, isFeeder), [temporary.data, location, isFeeder]);
  const doubts = [doubtOf(temporary, areChangesOld, t('app.changesUnread'), t('app.changesOld')), doubtOf(entries, areEntriesOld, t('app.entriesUnread'), t('app.entriesOld'))].filter(Boolean);
  const notes = (doubts.length > 0 || lost.length > 0) && (
    <div className="diagram-notes">
      {doubts.length > 0 && (
        <p className="stale-line" role="alert" data-testid="marks-doubt">
          {doubts.join(' ')}
        </p>
      )}
      {lost.length > 0 && <LostChanges changes={lost} isOld={areChangesOld} zone={timeZone} />}
    </div>
  );
  return { drawing, entries, temporary, notes: notes || null };
}

export interface MapMarks {
  readonly counts: ReadonlyMap<number, CountedChanges>;
  readonly isOld: boolean;
  /** Why the counts cannot be believed; empty if they can. */
  readonly doubt: string;
}

/** The jumpers, cuts and portable earths at the substations of the map. */
export function useMapMarks(token: string): MapMarks {
  const temporary = useTemporary(token, null);
  const isOld = useIsOutdated(temporary, OLD_MS);
  const counts = useMemo(() => countedByStation(temporary.data), [temporary.data]);
  return { counts, isOld, doubt: doubtOf(temporary, isOld, t('app.changesUnread'), t('app.changesOld')) };
}

/** Why a list of changes or entries is not up to date; empty if it is. */
export function useListProblem(list: Read): string {
  const isOld = useIsOutdated(list, OLD_MS);
  return list.problem || (isOld ? t('app.listOld') : '');
}
