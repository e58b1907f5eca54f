// The properties of every view of the analytics: user, place and time.
import type { Login } from '../../wire/rest';

/** The selected place: a level of the hierarchy such as `substation`, or `asset`. */
export interface PlaceNode {
  readonly level: string;
  readonly id: number;
  readonly name: string;
}

export interface ViewProps {
  readonly token: string;
  readonly zone: string;
  readonly node: PlaceNode & {
    /** Type of an asset; 2 and 5 are transformers (specification 3, section 9). Null if the place is no asset. */
    readonly assetType: number | null;
    /** The id of the substation, or of the asset's substation. */
    readonly location: number | null;
  };
  readonly login: Login;
  /** The server's time, epoch ms. */
  readonly now: () => number;
}

/** The place in the form of API paths, such as `division/4`. */
export function scopeOf({ level, id }: PlaceNode): string {
  return `${level === 'substation' ? 'location' : level}/${id}`;
}
