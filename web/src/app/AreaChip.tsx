// The desk and its areas in the header, and what waits for the answer of the desk. Nothing is shown of a utility with one area and one desk.
import { lazy, Suspense, useState } from 'react';
import { RequestBanner, type Answer } from '../features/areas/RequestBanner';
import { deskName, isDivided, ownAreas, seatSentenceOf, seatsWaitingForAnswer, sentenceOf, waitingForAnswer } from '../features/areas/responsibility';
import { useServerSecond } from '../live/live';
import { clockTime } from '../ui/format';
import { answerSeat, handOver, type Areas } from '../wire/areas';
import type { Login } from '../wire/rest';
import { t } from '../words';
import { useAreas } from './useAreas';

const AreasPanel = lazy(() => import('../features/areas/AreasPanel').then(({ AreasPanel }) => ({ default: AreasPanel })));

/** The chip, to which the focus goes when an answered request disappears. */
const CHIP = 'desk-and-areas';

export function AreaChip({ login }: { readonly login: Login }) {
  const { areas, put } = useAreas();
  const [open, setOpen] = useState(false);
  if (!areas || !isDivided(areas)) return null;
  const desk = deskName(areas, areas.deskId);
  const held = ownAreas(areas).map(({ name }) => name).join(', ') || t('areas.none');
  return (
    <>
      <button id={CHIP} type="button" className="plain area-chip" data-testid="area-chip" aria-label={`${desk} · ${held}. ${t('areas.deskAndAreas', { desk, held })}`} data-tip={t('areas.deskAndAreas', { desk, held })} onClick={() => setOpen(true)}>
        {desk} · {held}
      </button>
      <Suspense>{open && <AreasPanel token={login.token} areas={areas} zone={login.timeZone} onChanged={put} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** Requests are answered one after the other, because they are all at the same place: first those for areas. */
export function AreaRequests({ login }: { readonly login: Login }) {
  const { areas, put } = useAreas();
  const second = useServerSecond() ?? Date.now();
  if (!areas) return null;
  const [waiting, seats] = [waitingForAnswer(areas, second), seatsWaitingForAnswer(areas, second)];
  const common = {
    more: waiting.length + seats.length - 1,
    onFocusLost: () => document.getElementById(CHIP)?.focus(),
  };
  const until = (expires: number) => t('areas.answerUntil', { time: clockTime(expires, login.timeZone) });
  const answered = ({ result }: { result: Areas }) => put(result);
  const [first, seat] = [waiting[0], seats[0]];
  if (first) {
    const { area, request } = first;
    const send = (answer: Answer) => handOver(login.token, area.id, answer, { requestId: request.id }).then(answered);
    return (
      <RequestBanner
        {...common}
        key={`area ${request.id}`}
        testId="area-request"
        sentence={sentenceOf(areas, first)}
        until={until(request.expires)}
        accept={request.kind === 'request' ? t('areas.give') : t('areas.accept')}
        accepted={t('areas.passed', { area: area.name })}
        send={send}
      />
    );
  }
  if (!seat) return null;
  const { id, by, expires } = seat.request;
  const send = (answer: Answer) => answerSeat(login.token, answer, id).then(answered);
  return <RequestBanner {...common} key={`seat ${id}`} testId="seat-request" sentence={seatSentenceOf(seat)} until={until(expires)} accept={t('areas.seatAccept')} accepted={t('areas.seated', { by })} send={send} />;
}
