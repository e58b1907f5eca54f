// The desk and its areas in the header, and what waits for the answer of the desk. Nothing is shown of a utility with one area and one desk.
import { lazy, Suspense, useState } from 'react';
import { AreaRequestBanner } from '../features/areas/AreaRequestBanner';
import { SeatRequestBanner } from '../features/areas/SeatRequestBanner';
import { deskName, isDivided, ownAreas, seatsWaitingForAnswer, waitingForAnswer } from '../features/areas/responsibility';
import { useServerSecond } from '../live/live';
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

export function AreaRequests({ login }: { readonly login: Login }) {
  const { areas, put } = useAreas();
  const second = useServerSecond() ?? Date.now();
  if (!areas) return null;
  const waiting = waitingForAnswer(areas, second);
  const toChip = () => document.getElementById(CHIP)?.focus();
  // One after the other: both are at the same place.
  if (waiting.length > 0) return <AreaRequestBanner token={login.token} areas={areas} waiting={waiting} onChanged={put} onAnswered={toChip} />;
  return <SeatRequestBanner token={login.token} waiting={seatsWaitingForAnswer(areas, second)} onChanged={put} onAnswered={toChip} />;
}
