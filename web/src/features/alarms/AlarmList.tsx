// All alarms that are not normal, with acknowledging, shelving, owner and note. The list is never filtered by time.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Feed } from '../../live/feed';
import { useServerSecond } from '../../live/live';
import { useAll } from '../../live/useFeed';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { eventTime, number } from '../../ui/format';
import { toast } from '../../ui/toast';
import type { AlarmRow } from '../../wire/monitoring';
import { problemOf } from '../../wire/rest';
import { acknowledge, unshelve } from './calls';
import { NoteDialog, ShelveDialog } from './dialogs';
import { consequences, isConsequence, isShelved, isUnacknowledged } from './standing';
import { t } from '../../words';

const keyOf = ({ id }: AlarmRow) => id;
const bar = (row: AlarmRow) => (!isUnacknowledged(row) ? undefined : row.priority === 1 ? 'alarm' : 'warn');

function stateOf(row: AlarmRow, now: number, zone: string): string {
  if (isShelved(row, now)) return t('alarms.shelvedUntil', { until: eventTime(Date.parse(row.shelvedUntil ?? ''), now, zone) });
  if (row.state === 'cleared_unacked') return t('alarms.cleared', { at: row.cleared ? eventTime(Date.parse(row.cleared), now, zone) : '' });
  if (isConsequence(row)) return t('alarms.consequence');
  if (row.state === 'active_unacked') return t('alarms.activeUnacknowledged');
  return row.acknowledgedBy ? t('alarms.acknowledgedBy', { name: row.acknowledgedBy }) : t('alarms.acknowledged');
}

const whatWithCount = (row: AlarmRow) => (row.count > 1 ? `${row.text} ${t('alarms.times', { n: row.count })}` : row.text);
const noteOf = ({ owner, note }: AlarmRow) => [owner, note].filter(Boolean).join(': ');

const COLUMNS: readonly TableColumn<AlarmRow>[] = [
  { key: 'priority', name: t('alarms.priority'), text: (row) => `P${row.priority}`, value: (row) => row.priority },
  { key: 'since', name: t('alarms.since'), text: (row, { now, zone }) => (row.raised ? eventTime(Date.parse(row.raised), now, zone, true) : '–'), value: (row) => row.raised },
  { key: 'location', name: t('alarms.location'), text: (row) => row.locationName, title: (row) => row.locationName },
  { key: 'asset', name: t('alarms.asset'), text: (row) => row.assetName ?? '–', title: (row) => row.assetName ?? '' },
  { key: 'what', name: t('alarms.text'), text: whatWithCount, title: whatWithCount },
  { key: 'value', name: t('alarms.value'), isNumber: true, text: (row) => (row.value === null ? '–' : `${number(row.value, 1)} ${row.unit}`), value: (row) => row.value },
  { key: 'limit', name: t('alarms.limit'), isNumber: true, text: (row) => number(row.limit, 1), value: (row) => row.limit },
  { key: 'customers', name: t('alarms.customers'), isNumber: true, text: (row) => number(row.customers, 0), value: (row) => row.customers },
  { key: 'state', name: t('alarms.state'), text: (row, { now, zone }) => stateOf(row, now, zone) },
  { key: 'note', name: t('alarms.ownerAndNote'), text: noteOf, title: noteOf },
];

/** Columns that a pane of half a screen has no room for. They can be chosen there. */
const WIDE_ONLY = ['value', 'limit', 'customers', 'state', 'note'];
const NARROW: readonly TableColumn<AlarmRow>[] = COLUMNS.map((column) => {
  if (column.key === 'since') return { ...column, text: (row, { now, zone }) => (row.raised ? eventTime(Date.parse(row.raised), now, zone) : '–') };
  return WIDE_ONLY.includes(column.key) ? { ...column, isExtra: true } : column;
});

/** Largest number of alarms acknowledged by one click. */
const AT_ONCE = 1_000;

const VIEWS = ['all', 'unacknowledged', 'shelved'] as const;

interface Props {
  readonly feed: Feed<AlarmRow>;
  readonly token: string;
  readonly zone: string;
  readonly readOnly: boolean;
  /** Why the own desk may not act on an alarm; empty if it may. */
  readonly outside: (row: AlarmRow) => string;
  readonly onShow: (row: AlarmRow) => void;
  /** Kinds of alarms to show. Default: all. */
  readonly kinds?: readonly string[];
  /** Whether the list has only half of a screen. It then has fewer columns and buttons; the others are in the alarm list that opens from every screen. */
  readonly isNarrow?: boolean;
}

export function AlarmList({ feed, token, zone, readOnly, outside, onShow, kinds, isNarrow = false }: Props) {
  const [view, setView] = useState<(typeof VIEWS)[number]>('all');
  const [dialog, setDialog] = useState<{ what: 'shelve' | 'note'; row: AlarmRow } | null>(null);
  const minute = Math.floor((useServerSecond() ?? 0) / 10_000) * 10_000;
  const rows = useAll(feed);
  const folded = useMemo(() => consequences(rows), [rows]);
  // The table sorts by the newest causes without a new comparison function for each change.
  const newest = useRef(folded);
  useEffect(() => {
    newest.current = folded;
  }, [folded]);
  const order = useCallback((a: AlarmRow, b: AlarmRow) => newest.current.order(a, b), []);
  // The causes whose consequences are shown.
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const where = useMemo(() => {
    const inView = (row: AlarmRow) => (view === 'shelved' ? isShelved(row, minute) : !isShelved(row, minute) && (view === 'all' || isUnacknowledged(row)));
    const isFolded = (row: AlarmRow) => isConsequence(row) && row.causeId !== null && newest.current.of.has(row.causeId) && !unfolded.has(row.causeId);
    const isOpen = (row: AlarmRow) => isConsequence(row) && row.causeId !== null && unfolded.has(row.causeId);
    return (row: AlarmRow) => (isOpen(row) || ((kinds?.includes(row.kind) ?? true) && inView(row))) && !isFolded(row);
  }, [view, minute, kinds, unfolded]);
  const unfold = (id: number) => setUnfolded((before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id]));
  const name = { all: t('alarms.all'), unacknowledged: t('alarms.unacknowledged'), shelved: t('alarms.shelved') };
  const run = (call: Promise<unknown>) => void call.catch((error: unknown) => toast(problemOf(error), 'error'));
  // Acknowledges the visible alarms only. The user has not seen alarms that are filtered out or arrived while the table was frozen.
  const acknowledgeAll = (seen: readonly AlarmRow[]) =>
    run(
      acknowledge(token, seen).then(({ result }) => {
        if (result.newer.length > 0) toast(t('alarms.raisedAgain', { count: result.newer.length }), 'error');
      }),
    );
  const waitingOf = (shown: readonly AlarmRow[]) => shown.filter((row) => isUnacknowledged(row) && outside(row) === '').slice(0, AT_ONCE);
  const actions = (row: AlarmRow) => (
    <>
      <button type="button" className="plain" onClick={() => onShow(row)}>
        {t('alarms.showOnDiagram')}
      </button>
      {!isNarrow && folded.of.has(row.id) && (
        <button type="button" className="plain" aria-expanded={unfolded.has(row.id)} onClick={() => unfold(row.id)} data-testid="alarm-row-consequences">
          {t('alarms.consequences', { n: folded.of.get(row.id)?.length ?? 0 })}
        </button>
      )}
      {!readOnly && isUnacknowledged(row) && (
        <button type="button" className="acknowledge" data-testid="alarm-row-acknowledge" disabled={outside(row) !== ''} data-tip={outside(row) || undefined} onClick={() => acknowledgeAll([row])}>
          {t('alarms.acknowledge')}
        </button>
      )}
      {!readOnly && !isNarrow &&
        (isShelved(row, minute) ? (
          <button type="button" className="plain" disabled={outside(row) !== ''} data-tip={outside(row) || undefined} onClick={() => run(unshelve(token, row.id))}>
            {t('alarms.unshelve')}
          </button>
        ) : (
          <button type="button" className="plain" data-testid="alarm-row-shelve" disabled={outside(row) !== ''} data-tip={outside(row) || undefined} onClick={() => setDialog({ what: 'shelve', row })}>
            {t('alarms.shelve')}
          </button>
        ))}
      {!readOnly && !isNarrow && (
        <button type="button" className="plain" onClick={() => setDialog({ what: 'note', row })}>
          {t('alarms.note')}
        </button>
      )}
    </>
  );
  return (
    <>
      <LiveTable
        title={t('alarms.alarms')}
        name={isNarrow ? 'alarms-beside' : 'alarms'}
        feed={feed}
        keyOf={keyOf}
        columns={isNarrow ? NARROW : COLUMNS}
        {...(isNarrow ? { rowPx: 55 } : {})}
        order={order}
        bar={bar}
        zone={zone}
        testId="alarm"
        where={where}
        actions={actions}
        empty={t('alarms.noActiveAlarms')}
        more={(shown) => (
          <>
            <span className="views" role="group" aria-label={t('alarms.state')}>
              {VIEWS.map((key) => (
                <button key={key} type="button" aria-pressed={view === key} onClick={() => setView(key)}>
                  {name[key]}
                </button>
              ))}
            </span>
            {!readOnly && (
              <button type="button" className="acknowledge" disabled={waitingOf(shown).length === 0} onClick={() => acknowledgeAll(waitingOf(shown))} data-testid="alarm-acknowledge-shown">
                {t('alarms.acknowledgeShown', { n: waitingOf(shown).length })}
              </button>
            )}
          </>
        )}
      />
      {dialog?.what === 'shelve' && <ShelveDialog row={dialog.row} token={token} onClose={() => setDialog(null)} />}
      {dialog?.what === 'note' && <NoteDialog row={dialog.row} token={token} onClose={() => setDialog(null)} />}
    </>
  );
}
