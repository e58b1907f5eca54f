// Tests of who holds what, as the screens show it.
import { expect, test } from 'vitest';
import type { Area, Areas, Desk } from '../../wire/areas';
import { areaAt, isDivided, outside, ownSeatRequests, seatSentenceOf, seatsWaitingForAnswer, sentenceOf, waitingForAnswer } from './responsibility';

const area = (id: number, name: string, deskId: number | null, more: Partial<Area> = {}): Area => ({ id, name, isRest: false, deskId, since: deskId === null ? null : 1, heldBy: deskId === null ? null : 'A', how: deskId === null ? null : 'taken', parts: [], substations: [], assets: [], requests: [], ...more });

const desk = (id: number, name: string, more: Partial<Desk> = {}): Desk => ({ id, name, isDefault: false, needsConsent: false, requests: [], ...more });

/** West is the own desk. Asset 7 of substation 10 is on a feeder of Quayside. */
const areas: Areas = {
  version: 4,
  deskId: 2,
  operates: true,
  supervises: false,
  desks: [desk(1, 'East'), desk(2, 'West', { isDefault: true })],
  areas: [area(1, 'Harbour', 1, { substations: [10] }), area(2, 'Quayside', 2, { assets: [7] }), area(3, 'Island', null, { substations: [12] }), area(4, 'Rest', 2, { isRest: true })],
};

test('the most specific part decides the area', () => {
  expect(areaAt(areas, 10, null)?.name).toBe('Harbour');
  expect(areaAt(areas, 10, 7)?.name).toBe('Quayside');
  expect(areaAt(areas, 99, 98)?.name).toBe('Rest');
});

test('the reason names the area, its holder and what to do', () => {
  expect(outside(areas, 10, null)).toBe('Harbour is held by desk East. Ask for it, or let a supervisor move it.');
  expect(outside(areas, 12, null)).toBe('Island is held by no desk. Take it first.');
  for (const reason of [outside(areas, 10, 7), outside(areas, 99, null), outside(null, 10, null)]) expect(reason).toBe('');
});

test('only the addressed desk answers, and only in time', () => {
  const request = { id: 5, kind: 'request', fromDeskId: 2, toDeskId: 1, reason: 'storm', by: 'B. Roy', made: 10, expires: 100 };
  const offer = { ...request, id: 6, kind: 'offer', made: 5 };
  const open: Areas = { ...areas, areas: [area(4, 'Rest', 2, { isRest: true, requests: [request, offer] })] };
  expect(waitingForAnswer(open, 50).map((waiting) => waiting.request.id)).toEqual([5]);
  expect(waitingForAnswer({ ...open, deskId: 1 }, 50).map((waiting) => waiting.request.id)).toEqual([6]);
  expect(waitingForAnswer(open, 100)).toEqual([]);
  expect(waitingForAnswer({ ...open, operates: false }, 50)).toEqual([]);
  expect(waitingForAnswer(open, 50).map((waiting) => sentenceOf(open, waiting))).toEqual(['East requests Rest (B. Roy: storm).']);
});

test('only other users at the desk answer a request to sit there', () => {
  const request = { id: 7, reason: 'relief', by: 'B. Roy', isOwn: false, made: 10, expires: 100 };
  const own = { ...request, id: 8, isOwn: true };
  const open: Areas = { ...areas, desks: [desk(1, 'East', { requests: [{ ...request, id: 9 }] }), desk(2, 'West', { requests: [request, own] })] };
  expect(seatsWaitingForAnswer(open, 50).map((waiting) => waiting.request.id)).toEqual([7]);
  expect(seatsWaitingForAnswer(open, 100)).toEqual([]);
  expect(seatsWaitingForAnswer({ ...open, operates: false }, 50)).toEqual([]);
  expect(ownSeatRequests(open).map((waiting) => waiting.request.id)).toEqual([8]);
  expect(seatsWaitingForAnswer(open, 50).map(seatSentenceOf)).toEqual(['B. Roy requests to sit at West (relief).']);
});

test('a utility with one area and one desk shows nothing of it', () => {
  expect(isDivided(areas)).toBe(true);
  expect(isDivided({ ...areas, desks: areas.desks.slice(0, 1), areas: areas.areas.slice(3) })).toBe(false);
});
