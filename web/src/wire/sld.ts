// The file of a single-line diagram. It can come from a vendor, so it is checked and never inserted into the page as markup.
import * as v from 'valibot';

const Position = v.looseObject({ pointId: v.optional(v.number()), doublePoint: v.optional(v.boolean()), zerosColor: v.optional(v.string()), onesColor: v.optional(v.string()) });
const ValueRow = v.looseObject({ pointId: v.optional(v.number()), unit: v.optional(v.string(), ''), decimals: v.optional(v.number(), 2) });

const Confirmed = v.object({
  id: v.number(),
  position: v.picklist(['open', 'closed']),
  /** The phases that have the position; empty for all. */
  phases: v.string(),
  by: v.string(),
  reason: v.string(),
  observed: v.string(),
  /** Whether it counts until it is withdrawn. */
  isLasting: v.boolean(),
  /** What telemetry reports nevertheless. */
  reported: v.nullable(v.picklist(['open', 'closed'])),
  /** Whether the entries could not be read again: the entry can be withdrawn meanwhile. */
  isOld: v.optional(v.boolean()),
});
export type Confirmed = v.InferOutput<typeof Confirmed>;

/** A jumper, a cut or a portable earth at an element, added by the screen. */
const TemporaryMark = v.object({
  id: v.number(),
  kind: v.picklist(['jumper', 'cut', 'portableEarth']),
  isDrawn: v.boolean(),
  side: v.optional(v.picklist(['left', 'right', 'above', 'below'])),
  place: v.string(),
  by: v.string(),
  reason: v.string(),
  placed: v.string(),
  /** Whether the changes could not be read again: the change can be removed meanwhile. */
  isOld: v.optional(v.boolean()),
});
export type TemporaryMark = v.InferOutput<typeof TemporaryMark>;

const Element = v.looseObject({
  id: v.string(),
  class: v.string(),
  x: v.optional(v.number()),
  y: v.optional(v.number()),
  x1: v.optional(v.number()),
  y1: v.optional(v.number()),
  x2: v.optional(v.number()),
  y2: v.optional(v.number()),
  path: v.optional(v.array(v.tuple([v.number(), v.number()]))),
  kv: v.optional(v.number()),
  kvHigh: v.optional(v.number()),
  kvLow: v.optional(v.number()),
  kvTertiary: v.optional(v.number()),
  name: v.optional(v.string()),
  label: v.optional(v.string()),
  text: v.optional(v.string()),
  ansi: v.optional(v.string()),
  orientation: v.optional(v.string()),
  category: v.optional(v.string()),
  align: v.optional(v.string()),
  assetId: v.optional(v.number()),
  mva: v.optional(v.number()),
  vectorGroup: v.optional(v.string()),
  /** The id of the equipment in the network model. */
  equipment: v.optional(v.string()),
  position: v.optional(Position),
  /** The position in the normal state of the network. */
  normal: v.optional(v.picklist(['open', 'closed'])),
  /** The position that a user has confirmed. It is added from the manual entries; what a file has here does not count. */
  confirmed: v.fallback(v.optional(Confirmed), undefined),
  temporary: v.fallback(v.optional(v.array(TemporaryMark)), undefined),
  textSide: v.optional(v.string()),
  customers: v.optional(v.number()),
  kw: v.optional(v.number()),
  tap: v.optional(v.looseObject({ pointId: v.optional(v.number()) })),
  rows: v.optional(v.array(ValueRow)),
  /** The circuit nodes of the element, as numbers of this drawing: one, or one for each terminal. */
  nodes: v.optional(v.array(v.number())),
  /** The parts of a line that devices divide. */
  parts: v.optional(v.array(v.object({ node: v.number(), path: v.array(v.tuple([v.number(), v.number()])) }))),
});
export type Element = v.InferOutput<typeof Element>;

const PointInfo = v.looseObject({
  address: v.string(),
  asset: v.number(),
  assetName: v.string(),
  code: v.string(),
  kind: v.string(),
  encoding: v.nullish(v.string()),
  unit: v.string(),
  decimals: v.number(),
  ageLimitMs: v.nullish(v.number()),
});
export type PointInfo = v.InferOutput<typeof PointInfo>;

const Drawing = v.object({
  format: v.literal('switchyard-sld'),
  version: v.literal(1),
  name: v.string(),
  size: v.object({ width: v.number(), height: v.number() }),
  elements: v.pipe(v.array(Element), v.maxLength(20_000)),
  points: v.record(v.string(), PointInfo),
  nodeCount: v.optional(v.number()),
  /** In a feeder's diagram: for each node of the diagram, the id of the node of the network. */
  networkNodes: v.optional(v.array(v.nullable(v.string()))),
  /** The mark of the wiring to which the node numbers belong. */
  wiring: v.nullish(v.string()),
});
export type Drawing = v.InferOutput<typeof Drawing>;

/** Parses a drawing file. Returns null if the text is not a drawing of this version. */
export function readDrawing(text: string): Drawing | null {
  try {
    const result = v.safeParse(Drawing, JSON.parse(text));
    return result.success ? result.output : null;
  } catch {
    return null;
  }
}
