// The request of another user to sit down at the own desk, over the footer of every screen, so that nothing moves when it comes or goes.
import { useSending } from '../../ui/useSending';
import { answerSeat, type Areas } from '../../wire/areas';
import { t } from '../../words';
import { seatSentenceOf, type WaitingSeat } from './responsibility';

interface Props {
  readonly token: string;
  readonly waiting: readonly WaitingSeat[];
  readonly onChanged: (areas: Areas) => void;
  /** Moves the focus, because the button that has it disappears. */
  readonly onAnswered: () => void;
}

export function SeatRequestBanner({ token, waiting, onChanged, onAnswered }: Props) {
  const { problem, busy, send } = useSending(onAnswered);
  const first = waiting[0];
  if (!first) return null;
  const { id, by } = first.request;
  const answer = (act: 'consent' | 'refuse') => void send(() => answerSeat(token, act, id).then(({ result }) => onChanged(result)), act === 'consent' ? t('areas.seated', { by }) : t('areas.refused'));
  return (
    <div className="area-request" role="alert" data-testid="seat-request">
      <b>{seatSentenceOf(first)}</b>
      {waiting.length > 1 && <span> {t('areas.more', { n: waiting.length - 1 })}</span>}
      <span className="problem">{problem}</span>
      <button type="button" className="primary" disabled={busy} data-testid="seat-request-consent" onClick={() => answer('consent')}>
        {t('areas.seatAccept')}
      </button>
      <button type="button" disabled={busy} data-testid="seat-request-refuse" onClick={() => answer('refuse')}>
        {t('areas.refuse')}
      </button>
    </div>
  );
}
