// What every view of the analytics is given: who looks, at what, and when.
import type { Login } from '../../wire/rest';

/** The place that was chosen: a level of the hierarchy (what people call a substation is `substation`), or `asset`. */
export interface PlaceNode {
  readonly level: string;
  readonly id: number;
  readonly name: string;
}

export interface ViewProps {
  readonly token: string;
  readonly zone: string;
  readonly node: PlaceNode & {
    /** Of an asset: 2 and 5 are transformers (specification 3, section 9). */
    readonly assetType: number | null;
    /** The substation: itself, or that of the asset. */
    readonly location: number | null;
  };
  readonly login: Login;
  /** The present by the server's clock, epoch ms. */
  readonly now: () => number;
}

/** A place as calls name it. */
export function scopeOf({ level, id }: PlaceNode): string {
  return `${level === 'substation' ? 'location' : level}/${id}`;
}
