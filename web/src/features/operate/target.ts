// The device that a person operates.
import type { DiRow } from '../../wire/rest';

export interface Target {
  readonly di: DiRow;
  readonly name: string;
  readonly ageLimitMs: number | null;
  /** The present load of the bay as text. */
  readonly load: string;
  /** Whether the diagram draws the two states inverted. */
  readonly inverted: boolean;
}
