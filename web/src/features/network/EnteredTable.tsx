// The values that users have entered by hand, for the handover of a shift: what, by whom, since when and why.
import type { ReactNode } from 'react';
import { useAnswerFeed } from '../../live/useAnswerFeed';
import { age, eventTime, ownDecimals } from '../../ui/format';
import { quantityOf } from '../../ui/quantities';
import type { Schemas } from '../../wire/rest';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { t } from '../../words';
import { isSource, positionText } from '../../ui/presence';

export type EnteredRow = Schemas['ManualEntryRow'];

/** The entered value, marked as substituted. */
export function enteredText({ position, phases, value, unit, equipment }: EnteredRow): string {
  if (position != null) return `S ${positionText(position, equipment)}${phases ? ` (${phases})` : ''}`;
  return ['S', value == null ? '–' : ownDecimals(value), unit].filter(Boolean).join(' ');
}

/** What telemetry reports beside the entry. */
export function reportedText({ reportedPosition, reportedValue, unit, equipment }: EnteredRow): string {
  if (reportedPosition != null) return positionText(reportedPosition, equipment);
  return reportedValue == null ? '–' : [ownDecimals(reportedValue), unit].filter(Boolean).join(' ');
}

/** Whether the entry counts, and until when. */
export function ruleText({ counts, rule, problem }: EnteredRow): string {
  if (problem != null) return t('network.entryHasProblem', { problem });
  if (!counts) return t('network.entrySuperseded');
  return rule === 'untilWithdrawn' ? t('network.untilWithdrawn') : t('network.untilReported');
}

const COLUMNS: readonly TableColumn<EnteredRow>[] = [
  { key: 'station', name: t('network.substation'), text: ({ station }) => station ?? '–' },
  { key: 'name', name: t('network.equipment'), text: ({ name }) => name, title: ({ equipment }) => equipment?.id ?? '' },
  { key: 'quantity', name: t('network.quantity'), text: ({ quantity, equipment }) => (quantity === 'Pos' ? (isSource(equipment) ? t('operate.presence') : t('network.position')) : (quantityOf(quantity)?.name ?? quantity)) },
  { key: 'entered', name: t('network.enteredValue'), text: enteredText },
  { key: 'reported', name: t('network.telemetryReports'), text: reportedText },
  { key: 'rule', name: t('network.counts'), text: ruleText },
  { key: 'observed', name: t('network.observed'), text: ({ observed }, { now, zone }) => eventTime(Date.parse(observed), now, zone), value: ({ observed }) => observed },
  { key: 'age', name: t('network.age'), isNumber: true, text: ({ observed }, { now }) => age(now - Date.parse(observed)), value: ({ observed }) => observed },
  { key: 'by', name: t('network.enteredBy'), text: ({ by }) => by },
  { key: 'reason', name: t('network.reason'), text: ({ reason }) => reason },
];

const keyOf = ({ id }: EnteredRow) => id;
/** Those that count first, and of these the newest. */
const order = (a: EnteredRow, b: EnteredRow) => Number(b.counts) - Number(a.counts) || b.entered.localeCompare(a.entered) || b.id - a.id;
const bar = ({ counts, reportedPosition, reportedValue }: EnteredRow) => (counts && (reportedPosition != null || reportedValue != null) ? 'warn' : undefined);

interface Props {
  /** Null until the first answer. */
  readonly data: readonly EnteredRow[] | null;
  readonly problem: string;
  readonly zone: string;
  /** Buttons at the end of each row. */
  readonly actions: (row: EnteredRow) => ReactNode;
}

export function EnteredTable({ data, problem, zone, actions }: Props) {
  const feed = useAnswerFeed(data, problem, keyOf);
  return <LiveTable title={t('network.enteredValues')} name="entered-values" feed={feed} keyOf={keyOf} columns={COLUMNS} order={order} bar={bar} zone={zone} testId="entered" empty={t('network.nothingEntered')} actions={actions} />;
}
