// Shows the time from which a part of the history is kept, if the period begins before this time.
import { dayOf } from './format';
import { t } from '../words';

interface Props {
  /** Epoch ms. */
  readonly at: number;
  readonly zone: string;
}

/** The text for exported pictures and short messages. */
export const keptSinceText = (at: number, zone: string): string => t('ui.keptSince', { date: dayOf(at, zone) });

export function KeptSince({ at, zone }: Props) {
  return <span data-testid="kept-since">{keptSinceText(at, zone)}</span>;
}
