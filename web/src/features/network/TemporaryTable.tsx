// The jumpers, cuts and portable earths that crews have placed. Those without effect are first: the network does not show what is there.
import { useAnswerFeed } from '../../live/useAnswerFeed';
import { eventTime } from '../../ui/format';
import { kindText } from '../../ui/temporary';
import type { Schemas } from '../../wire/rest';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { t } from '../../words';

type TemporaryChange = Schemas['TemporaryChangeRow'];

/** Whether a change has an effect; if not, why; and until when, if a planned version of the network has no place for it. */
const effectText = ({ problem, unfitFrom }: TemporaryChange, { now, zone }: { readonly now: number; readonly zone: string }) => {
  if (problem) return t('network.noEffect', { problem });
  return unfitFrom ? t('network.inEffectUntil', { time: eventTime(Date.parse(unfitFrom), now, zone) }) : t('network.inEffect');
};

const COLUMNS: readonly TableColumn<TemporaryChange>[] = [
  { key: 'kind', name: t('network.kind'), text: ({ kind }) => kindText(kind) },
  { key: 'number', name: t('network.number'), isNumber: true, text: ({ id }) => String(id), value: ({ id }) => id },
  { key: 'station', name: t('network.substation'), text: ({ station }) => station ?? '–' },
  { key: 'place', name: t('network.place'), text: ({ place }) => place },
  { key: 'phases', name: t('network.phases'), text: ({ phases }) => phases },
  { key: 'placed', name: t('network.placed'), text: ({ placed }, { now, zone }) => eventTime(Date.parse(placed), now, zone), value: ({ placed }) => placed },
  { key: 'by', name: t('network.by'), text: ({ by }) => by },
  { key: 'reason', name: t('network.reason'), text: ({ reason }) => reason },
  { key: 'state', name: t('network.state'), text: effectText },
];

const keyOf = ({ id }: TemporaryChange) => id;
/** Those without effect first, and then the newest. */
const order = (a: TemporaryChange, b: TemporaryChange) => Number(!a.problem) - Number(!b.problem) || b.id - a.id;
const bar = ({ problem }: TemporaryChange) => (problem ? 'alarm' : 'warn');

interface Props {
  /** Null until the first answer. */
  readonly data: readonly TemporaryChange[] | null;
  readonly problem: string;
  readonly zone: string;
  /** Opens the dialog that removes a change; null if the user may not. */
  readonly onRemove: ((row: TemporaryChange) => void) | null;
}

export function TemporaryTable({ data, problem, zone, onRemove }: Props) {
  const feed = useAnswerFeed(data, problem, keyOf);
  const unfit = (data ?? []).filter((row) => row.problem).length;
  const remove = (row: TemporaryChange) => (
    <button type="button" data-testid={`temporary-remove-${row.id}`} onClick={() => onRemove?.(row)}>
      {t('network.remove')}
    </button>
  );
  return (
    <LiveTable
      title={t('network.temporaryChanges')}
      {...(unfit > 0 ? { about: t('network.noEffectCount', { count: unfit }) } : {})}
      name="temporary-changes"
      feed={feed}
      keyOf={keyOf}
      columns={COLUMNS}
      order={order}
      bar={bar}
      zone={zone}
      testId="temporary"
      empty={t('network.noTemporaryChanges')}
      {...(onRemove ? { actions: remove } : {})}
    />
  );
}
