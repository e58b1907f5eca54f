// The quality of a value on the screen, from the reported quality, the age by the server's clock and the link to the server.
import { t } from '../words';

/** Quality codes of the wire (`grid::Quality`). */
export const Quality = { good: 0, substituted: 1, questionable: 2, stale: 3, invalid: 4, commLost: 5, never: 6 } as const;

export interface Point {
  readonly v: number | null;
  readonly q: number;
  /** Source time, epoch ms. */
  readonly t: number;
}

/** How far a source time may be ahead of the server's clock before the device's clock is in doubt, ms (`grid::reading::AHEAD_LIMIT_MS`). */
const AHEAD_LIMIT_MS = 2_000;

/** The quality to show: the worst of the reported quality, the age, the device's clock and the link. A value from the future is questionable. A substituted one does not age. */
export function shownQuality(point: Point | undefined, ageLimitMs: number | null | undefined, serverNow: number, linkUp: boolean): number {
  if (!point || point.q === Quality.never) return Quality.never;
  const aged = ageLimitMs != null && point.q !== Quality.substituted && serverNow - point.t > ageLimitMs ? Quality.stale : Quality.good;
  const clock = point.t - serverNow > AHEAD_LIMIT_MS ? Quality.questionable : Quality.good;
  return Math.max(point.q, aged, clock, linkUp ? Quality.good : Quality.commLost);
}

/** Whether a place reports, from the qualities of its points: `now`, `lost`, or `never` if it has no points or none has ever reported. */
export function reporting(points: Iterable<Point>): 'never' | 'lost' | 'now' {
  let state: 'never' | 'lost' = 'never';
  for (const { q } of points) {
    if (q < Quality.commLost) return 'now';
    if (q === Quality.commLost) state = 'lost';
  }
  return state;
}

/** Whether a shown quality may look live. */
export function looksLive(quality: number): boolean {
  return quality <= Quality.questionable;
}

/** The letter before a value: `S` substituted, `!` invalid, `?` questionable or not live. Good and never received have none. */
export function qualityLetter(quality: number): string {
  return ['', 'S', '?', '?', '!', '?', ''][quality] ?? '?';
}

export function qualityWord(quality: number): string {
  return ['good', 'substituted', 'questionable', 'stale', 'invalid', t('live.communicationLost'), t('live.neverReceived')][quality] ?? 'unknown';
}
