// Where a subscription stands, and whether a delta continues it. Pure, so that every case can be told in a table.

export interface Place {
  epoch: string;
  offset: number;
}

export type Step = 'apply' | 'ignore' | 'resubscribe';

/** What to do with a delta at a place; null is a subscription that has not been answered yet. */
export function step(place: Place | null, delta: { epoch: string; from: number; offset: number }): Step {
  if (!place) return 'ignore';
  if (delta.epoch !== place.epoch) return 'resubscribe';
  if (delta.offset <= place.offset) return 'ignore';
  return delta.from === place.offset ? 'apply' : 'resubscribe';
}

/** Whether the server's place of a stream, told by a heartbeat, shows that the tail was lost. */
export function lostTail(place: Place | null, offset: number): boolean {
  return place !== null && offset > place.offset;
}
