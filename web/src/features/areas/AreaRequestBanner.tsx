// A request or an offer that waits for the answer of the own desk, over the footer of every screen, so that nothing moves when it comes or goes.
import { useSending } from '../../ui/useSending';
import { handOver, type Areas } from '../../wire/areas';
import { t } from '../../words';
import { sentenceOf, type Waiting } from './responsibility';

interface Props {
  readonly token: string;
  readonly areas: Areas;
  readonly waiting: readonly Waiting[];
  readonly onChanged: (areas: Areas) => void;
  /** Moves the focus, because the button that has it disappears. */
  readonly onAnswered: () => void;
}

export function AreaRequestBanner({ token, areas, waiting, onChanged, onAnswered }: Props) {
  const { problem, busy, send } = useSending(onAnswered);
  const first = waiting[0];
  if (!first) return null;
  const { area, request } = first;
  const answer = (act: 'consent' | 'refuse') => void send(() => handOver(token, area.id, act, { requestId: request.id }).then(({ result }) => onChanged(result)), act === 'consent' ? t('areas.passed', { area: area.name }) : t('areas.refused'));
  return (
    <div className="area-request" role="alert" data-testid="area-request">
      <b>{sentenceOf(areas, first)}</b>
      {waiting.length > 1 && <span> {t('areas.more', { n: waiting.length - 1 })}</span>}
      <span className="problem">{problem}</span>
      <button type="button" className="primary" disabled={busy} data-testid="area-request-consent" onClick={() => answer('consent')}>
        {request.kind === 'request' ? t('areas.give') : t('areas.accept')}
      </button>
      <button type="button" disabled={busy} data-testid="area-request-refuse" onClick={() => answer('refuse')}>
        {t('areas.refuse')}
      </button>
    </div>
  );
}
