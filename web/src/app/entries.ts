// Positions that users have confirmed because nothing reports them, on the elements of a diagram.
import { useAskRepeated } from '../ui/useAsk';
import { get, type Schemas } from '../wire/rest';
import type { Confirmed, Drawing, Element } from '../wire/sld';

export type ManualEntry = Schemas['ManualEntryRow'];

/** How often the entries are read again, ms: other users enter, too. */
const AGAIN_MS = 10_000;

/** The classes that have a position. */
const SWITCHES: ReadonlySet<string> = new Set(['breaker', 'isolator', 'loadBreakSwitch', 'switch', 'recloser', 'sectionaliser', 'fuse', 'earthSwitch']);

/** The current entries of the equipment that the user may see. */
export function useEntries(token: string) {
  return useAskRepeated('entries', (asking) => get<readonly ManualEntry[]>(token, 'network/entries', asking), AGAIN_MS);
}

/** Adds the confirmed positions that count to the elements of their equipment. The same drawing if there are none. */
export function withEntries(drawing: Drawing | null, entries: readonly ManualEntry[] | null): Drawing | null {
  const counting = (entries ?? []).filter(({ counts }) => counts);
  if (!drawing || (counting.length === 0 && !drawing.elements.some(({ confirmed }) => confirmed))) return drawing;
  const of = ({ equipment, position, assetId, class: type }: Element) =>
    counting.find(({ equipment: own }) => {
      if (equipment !== undefined) return own.id === equipment;
      if (position?.pointId !== undefined) return own.pointId === position.pointId;
      return SWITCHES.has(type) && assetId !== undefined && own.assetId === assetId;
    });
  const elements = drawing.elements.map((element) => {
    const entry = of(element);
    if (!entry) return element.confirmed ? { ...element, confirmed: undefined } : element;
    const confirmed: Confirmed = { id: entry.id, position: entry.position === 'open' ? 'open' : 'closed', by: entry.by, reason: entry.reason, entered: entry.entered };
    return { ...element, confirmed };
  });
  return { ...drawing, elements };
}
