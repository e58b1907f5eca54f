// Positions that users have entered, on the elements of a diagram.
import { useAskRepeated } from '../ui/useAsk';
import { isSource } from '../ui/presence';
import { get, type Schemas } from '../wire/rest';
import type { Confirmed, Drawing, Element } from '../wire/sld';

export type ManualEntry = Schemas['ManualEntryRow'];

/** Interval at which the entries are read again, ms, because other users can enter positions too. */
const AGAIN_MS = 10_000;

/** The classes that have a position. */
const SWITCHES: ReadonlySet<string> = new Set(['breaker', 'isolator', 'loadBreakSwitch', 'switch', 'recloser', 'sectionaliser', 'fuse', 'earthSwitch']);

/** The current entries that the user may see. */
export function useEntries(token: string) {
  return useAskRepeated('entries', (asking) => get<readonly ManualEntry[]>(token, 'network/entries', asking), AGAIN_MS);
}

const positionOf = (position: string | null | undefined) => (position === 'open' || position === 'closed' ? position : null);

/** Adds the entered positions of switches that count to the elements of their equipment. The same drawing if there are none. `isOld`: the entries could not be read again. */
export function withEntries(drawing: Drawing | null, entries: readonly ManualEntry[] | null, isOld = false): Drawing | null {
  const counting = (entries ?? []).filter(({ counts, position, equipment }) => counts && position != null && !isSource(equipment));
  if (!drawing || (counting.length === 0 && !drawing.elements.some(({ confirmed }) => confirmed))) return drawing;
  const of = ({ equipment, position, assetId, class: type }: Element) => {
    const found = counting.filter((own) => {
      if (equipment !== undefined) return own.equipment?.id === equipment;
      if (position?.pointId !== undefined) return own.pointId === position.pointId;
      return SWITCHES.has(type) && assetId !== undefined && own.assetId === assetId;
    });
    // An open phase is what a user must see of a fuse.
    return found.find((own) => own.phases !== '' && own.position === 'open') ?? found.find((own) => own.phases === '') ?? found[0];
  };
  const elements = drawing.elements.map((element) => {
    const entry = of(element);
    if (!entry) return element.confirmed ? { ...element, confirmed: undefined } : element;
    const { id, phases, by, reason, observed, rule, reportedPosition } = entry;
    const confirmed: Confirmed = { id, position: positionOf(entry.position) ?? 'closed', phases, by, reason, observed, isLasting: rule === 'untilWithdrawn', reported: positionOf(reportedPosition), ...(isOld && { isOld }) };
    return { ...element, confirmed };
  });
  return { ...drawing, elements };
}
