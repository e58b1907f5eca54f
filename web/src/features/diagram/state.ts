// The state that a symbol shows, from its status point (specification 2, section 4).
import type { Scene } from '../../live/scene';
import { looksLive, Quality, shownQuality, type Point } from '../../live/freshness';
import { statusOf, type Status } from '../../live/status';
import { LOW_KV } from '../../ui/quantities';
import { Energy, type CommandRow, type Flash, type TagRow } from '../../wire/control';
import type { Drawing, Element } from '../../wire/sld';
import type { SymbolSet } from './symbols/artwork';

export type Meaning = Status | 'none';

export interface Shown {
  meaning: Meaning;
  quality: number;
  live: boolean;
  /** Whether it is the normal position of a switch that no point reports. */
  assumed: boolean;
  /** Whether it is a position that a user has entered. */
  confirmed?: boolean;
}

/** The meaning of a raw status in its encoding. `inverted` swaps open and closed for display only. */
export function meaning(encoding: string | null | undefined, raw: number | null, inverted: boolean): Meaning {
  const plain: Meaning = statusOf(encoding, raw);
  if (!inverted) return plain;
  const flipped: Partial<Record<Meaning, Meaning>> = { open: 'closed', closed: 'open', inactive: 'active', active: 'inactive' };
  return flipped[plain] ?? plain;
}

export interface View {
  drawing: Drawing;
  /** Assets below 1 kV, whose values are shown in kW and V. */
  low: ReadonlySet<number>;
  point(id: number): Point | undefined;
  serverNow: number;
  linkUp: boolean;
  symbols: SymbolSet;
  /** The state code of a node of the circuit. */
  node(id: number | undefined): number;
  flash(point: number | undefined): Flash | undefined;
  tags(asset: number | undefined, bay: string | undefined): readonly TagRow[];
  command(point: number | undefined): CommandRow | undefined;
  /** Whether blinking elements are lit at this time. */
  phase: boolean;
  /** Whether blinking is off. Such elements then have a steady frame. */
  steady: boolean;
}

/** The assets of a drawing that are below 1 kV. */
export function lowVoltage({ elements }: Drawing): ReadonlySet<number> {
  return new Set(elements.flatMap(({ assetId, kv }) => (assetId !== undefined && kv !== undefined && kv < LOW_KV ? [assetId] : [])));
}

/** The bay of a point: the first part of its address. */
export function bayOf({ points }: Drawing, point: number | undefined | null): string | undefined {
  return point == null ? undefined : points[point]?.address.split('/')[0];
}

export function qualityOf(view: View, id: number | undefined): number {
  if (id === undefined) return Quality.never;
  return shownQuality(view.point(id), view.drawing.points[id]?.ageLimitMs, view.serverNow, view.linkUp);
}

/** Whether the two states are drawn inverted. Texts and commands use the states that the device reports. */
export function isInverted({ position }: Element): boolean {
  return position?.zerosColor === 'inverse' || position?.onesColor === 'inverse';
}

/**
 * The state code of a node of a drawing: diagrams take it from here only. The diagram of a substation has states by its own node numbers, that of
 * a feeder by the nodes of the network.
 */
export function nodeState(scene: Scene, { networkNodes, wiring }: Drawing, node: number | undefined): number {
  if (!networkNodes) return scene.node(node, wiring);
  const of = node === undefined ? null : networkNodes[node];
  return of == null ? Energy.unknown : scene.networkNode(of);
}

/** The present state of an element. */
export function shown(view: View, element: Element): Shown {
  const id = element.position?.pointId;
  // A position that is reported counts instead.
  if (element.confirmed && (id === undefined || qualityOf(view, id) === Quality.never)) {
    return { meaning: element.confirmed.position, quality: Quality.substituted, live: view.linkUp && !element.confirmed.isOld, assumed: false, confirmed: true };
  }
  if (id === undefined && element.normal) return { meaning: element.normal, quality: Quality.never, live: false, assumed: true };
  if (!element.position) return { meaning: 'none', quality: Quality.good, live: view.linkUp, assumed: false };
  const quality = qualityOf(view, id);
  const value = id === undefined ? null : (view.point(id)?.v ?? null);
  const encoding = id === undefined ? null : view.drawing.points[id]?.encoding;
  const entered = quality === Quality.substituted ? { confirmed: true } : {};
  return { meaning: quality === Quality.never ? 'bad' : meaning(encoding, value, isInverted(element)), quality, live: looksLive(quality), assumed: false, ...entered };
}
