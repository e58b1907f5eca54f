// State that the charts of a column share: time span, crosshair, readout.
import { createContext, useContext } from 'react';
import type { Readout } from './readout';
import type { Range } from './range';

export interface Group {
  readonly zone: string;
  readonly range: Range;
  /** Whether the clock has moved the span, and not the user. */
  readonly isBackground: boolean;
  /** Key of the charts whose crosshairs move together. */
  readonly sync: string;
  readonly readout: Readout;
  readonly setRange: (range: Range) => void;
  /** Zooms around a time; see `zoomed`. */
  readonly zoom: (factor: number, at?: number) => void;
  /** Moves to an earlier or later time; see `moved`. */
  readonly move: (share: number) => void;
  /** Returns to the preset that was selected last. */
  readonly back: () => void;
  /** Reports the time of the earliest available data. */
  readonly begins: (at: number) => void;
}

export const GroupContext = createContext<Group | null>(null);

export function useGroup(): Group {
  const group = useContext(GroupContext);
  if (!group) throw new Error('a chart stands outside of a column');
  return group;
}
