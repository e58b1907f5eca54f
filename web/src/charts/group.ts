// What the charts of a column share: the span of time, the crosshair, the readout.
import { createContext, useContext } from 'react';
import type { Readout } from './readout';
import type { Range } from './range';

export interface Group {
  readonly zone: string;
  readonly range: Range;
  /** Whether the span was moved by the clock and not by a person. */
  readonly isBackground: boolean;
  /** The charts whose crosshairs move together. */
  readonly sync: string;
  readonly readout: Readout;
  readonly setRange: (range: Range) => void;
  /** Nearer or farther around a time, as `zoomed`. */
  readonly zoom: (factor: number, at?: number) => void;
  /** Earlier or later, as `moved`. */
  readonly move: (share: number) => void;
  /** To the preset that was chosen last. */
  readonly back: () => void;
  /** Tells when the data that there are begin. */
  readonly begins: (at: number) => void;
}

export const GroupContext = createContext<Group | null>(null);

export function useGroup(): Group {
  const group = useContext(GroupContext);
  if (!group) throw new Error('a chart stands outside of a column');
  return group;
}
