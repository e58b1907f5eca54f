// Jumpers, cuts and portable earths on the elements of a diagram.
import { useAskRepeated } from '../ui/useAsk';
import { get, type Schemas } from '../wire/rest';
import type { Drawing, Element, TemporaryMark } from '../wire/sld';

export type TemporaryChange = Schemas['TemporaryChangeRow'];

/** How often the changes are read again, ms: other users place and remove them, too. */
const AGAIN_MS = 10_000;

/** The current changes that the user may see; with a substation, those on its diagram. */
export function useTemporary(token: string, location: number | null) {
  const path = location === null ? 'network/temporary' : `network/temporary?location=${location}`;
  return useAskRepeated(`temporary-${location ?? ''}`, (asking) => get<readonly TemporaryChange[]>(token, path, asking), AGAIN_MS);
}

const KINDS: readonly TemporaryMark['kind'][] = ['jumper', 'cut', 'portableEarth'];

/** Of the elements at an end of a change, the one with the least number is drawn with its mark. */
const rank = ({ class: type }: Element) => (type === 'busbar' ? 0 : type === 'line' ? 2 : 1);

type Point = readonly [x: number, y: number];

function centreOf({ path, x, y, x1, y1, x2, y2 }: Element): Point {
  if (path && path.length > 0) return [mean(path.map(([x]) => x)), mean(path.map(([, y]) => y))];
  return [x ?? mean([x1 ?? 0, x2 ?? 0]), y ?? mean([y1 ?? 0, y2 ?? 0])];
}

const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;

/** The side of an element at which the other elements at the same place are: a switch has two ends, and an earth is at one of them. */
function sideOf(element: Element, others: readonly Element[]): TemporaryMark['side'] {
  if (others.length === 0) return undefined;
  const [[x, y], centres] = [centreOf(element), others.map(centreOf)];
  const [dx, dy] = [mean(centres.map(([x]) => x)) - x, mean(centres.map(([, y]) => y)) - y];
  if (Math.abs(dx) >= Math.abs(dy)) return dx > 0 ? 'right' : 'left';
  return dy > 0 ? 'below' : 'above';
}

/** Adds the changes that count to the elements at them. The same drawing if there are none. `isOld`: the changes could not be read again. */
export function withTemporary(drawing: Drawing | null, changes: readonly TemporaryChange[] | null, isOld = false): Drawing | null {
  const counting = (changes ?? []).filter(({ counts }) => counts);
  if (!drawing || (counting.length === 0 && !drawing.elements.some(({ temporary }) => temporary))) return drawing;
  const found = new Map<Element, TemporaryMark[]>();
  for (const change of counting) {
    const kind = KINDS.find((kind) => kind === change.kind);
    if (!kind) continue;
    for (const end of [1, 2]) {
      const places = change.at.filter((place) => place.end === end);
      const at = drawing.elements.filter(({ id, equipment }) => places.some((place) => (equipment === undefined ? place.element === id : place.equipment.id === equipment)));
      const first = at.toSorted((a, b) => rank(a) - rank(b))[0];
      for (const element of at) {
        const mark = { id: change.id, kind, isDrawn: element === first, ...(element === first && { side: sideOf(element, at.filter((other) => other !== element)) }), place: change.place, by: change.by, reason: change.reason, placed: change.placed, ...(isOld && { isOld }) };
        found.set(element, [...(found.get(element) ?? []), mark]);
      }
    }
  }
  const elements = drawing.elements.map((element) => {
    const temporary = found.get(element);
    if (temporary) return { ...element, temporary };
    return element.temporary ? { ...element, temporary: undefined } : element;
  });
  return { ...drawing, elements };
}

/**
 * The changes of a diagram that cannot be drawn on it, because they have no place in the active network. What the crews have placed can still be there.
 * `isFeeder`: the changes are those of the utility, of which the diagram of a feeder shows those of its substation and those of no substation.
 */
export function lostOf(changes: readonly TemporaryChange[] | null, location: number, isFeeder: boolean): readonly TemporaryChange[] {
  return (changes ?? []).filter(({ counts, removal, stationId }) => !counts && !removal && (stationId === location || (isFeeder && stationId == null)));
}

/** The numbers of current changes at a substation: of all, and of those that have no place in the active network. */
export interface CountedChanges {
  readonly all: number;
  readonly lost: number;
}

/** The numbers of current changes at each substation. */
export function countedByStation(changes: readonly TemporaryChange[] | null): ReadonlyMap<number, CountedChanges> {
  const counts = new Map<number, CountedChanges>();
  for (const { stationId, counts: isCounting } of changes ?? []) {
    if (stationId == null) continue;
    const { all, lost } = counts.get(stationId) ?? { all: 0, lost: 0 };
    counts.set(stationId, { all: all + 1, lost: lost + (isCounting ? 0 : 1) });
  }
  return counts;
}
