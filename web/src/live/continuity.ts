// Decides whether a delta continues a subscription. Pure functions of the subscription's epoch and offset.

export interface Place {
  epoch: string;
  offset: number;
}

export type Step = 'apply' | 'ignore' | 'resubscribe';

/** Returns what to do with a delta. `place` is null for a subscription that the server has not answered yet. */
export function step(place: Place | null, delta: { epoch: string; from: number; offset: number }): Step {
  if (!place) return 'ignore';
  if (delta.epoch !== place.epoch) return 'resubscribe';
  if (delta.offset <= place.offset) return 'ignore';
  return delta.from === place.offset ? 'apply' : 'resubscribe';
}

/** Whether a heartbeat's offset of the stream is beyond the subscription's offset, so that deltas were lost. */
export function lostTail(place: Place | null, offset: number): boolean {
  return place !== null && offset > place.offset;
}
