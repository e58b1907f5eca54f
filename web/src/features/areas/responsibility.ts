// Who holds what: the area of a device, why a desk may not operate there, and what waits for the answer of a desk. The server checks all of it again. Pure.
import type { Area, AreaRequest, Areas, Desk, SeatRequest } from '../../wire/areas';
import { t } from '../../words';

/** Whether the utility divides anything. With one area and one desk nothing about areas is shown. */
export const isDivided = ({ areas, desks }: Areas): boolean => areas.length > 1 || desks.length > 1;

export const deskName = ({ desks }: Areas, id: number | null | undefined): string => desks.find((desk) => desk.id === id)?.name ?? '';

/** The areas that the own desk holds. */
export const ownAreas = ({ areas, deskId }: Areas): readonly Area[] => areas.filter((area) => area.deskId === deskId);

/** The area of a device, or of a substation if `asset` is null. */
export function areaAt({ areas }: Areas, location: number, asset: number | null): Area | undefined {
  const ofAsset = asset === null ? undefined : areas.find(({ assets }) => assets.includes(asset));
  return ofAsset ?? areas.find(({ substations }) => substations.includes(location)) ?? areas.find(({ isRest }) => isRest);
}

/** Why the own desk may not operate, tag, acknowledge or enter values there; empty if it may. */
export function outside(areas: Areas | null, location: number, asset: number | null): string {
  const area = areas && areaAt(areas, location, asset);
  if (!areas || !area || area.deskId === areas.deskId) return '';
  return area.deskId == null ? t('areas.heldByNone', { area: area.name }) : t('areas.heldBy', { area: area.name, desk: deskName(areas, area.deskId) });
}

/** A request or an offer with its area. */
export interface Waiting {
  readonly area: Area;
  readonly request: AreaRequest;
}

/** What waits for the answer of the own desk at this time, epoch ms; the oldest first. */
export function waitingForAnswer(areas: Areas, now: number): readonly Waiting[] {
  const answers = ({ kind, fromDeskId, toDeskId }: AreaRequest) => (kind === 'request' ? fromDeskId : toDeskId) === areas.deskId;
  const all = areas.areas.flatMap((area) => area.requests.map((request) => ({ area, request })));
  return all.filter(({ request }) => areas.operates && request.expires > now && answers(request)).sort((a, b) => a.request.made - b.request.made);
}

/** What a request or an offer says. */
export function sentenceOf(areas: Areas, { area, request }: Waiting): string {
  const names = { area: area.name, by: request.by, reason: request.reason };
  return request.kind === 'request' ? t('areas.requests', { ...names, desk: deskName(areas, request.toDeskId) }) : t('areas.offers', { ...names, desk: deskName(areas, request.fromDeskId) });
}

/** A request to sit down at a desk. */
export interface WaitingSeat {
  readonly desk: Desk;
  readonly request: SeatRequest;
}

/** The requests of others to sit down at the own desk at this time, epoch ms; the oldest first. */
export function seatsWaitingForAnswer(areas: Areas, now: number): readonly WaitingSeat[] {
  const desk = areas.operates ? areas.desks.find(({ id }) => id === areas.deskId) : undefined;
  return desk ? desk.requests.filter(({ expires, isOwn }) => expires > now && !isOwn).map((request) => ({ desk, request })).sort((a, b) => a.request.made - b.request.made) : [];
}

/** The own requests to sit down at a desk. */
export const ownSeatRequests = ({ desks }: Areas): readonly WaitingSeat[] => desks.flatMap((desk) => desk.requests.filter(({ isOwn }) => isOwn).map((request) => ({ desk, request })));

/** What a request to sit down says. */
export const seatSentenceOf = ({ desk, request }: WaitingSeat): string => t('areas.seatRequests', { by: request.by, desk: desk.name, reason: request.reason });
