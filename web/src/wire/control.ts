// Checked messages about operating: commands, tags and flashing changes.
import * as v from 'valibot';

/** The number of a node of the circuit, and its state. */
export const NodeState = v.tuple([v.number(), v.number()]);
export type NodeState = v.InferOutput<typeof NodeState>;

/** State codes of the nodes of the circuit, fixed on the wire. */
export const Energy = { unknown: 0, energised: 1, dead: 2, earthed: 3, conflict: 4 } as const;

/** A status change that awaits acknowledgement: point, whether it was a trip, time. */
export const Flash = v.tuple([v.number(), v.picklist(['change', 'trip']), v.number()]);
export type Flash = v.InferOutput<typeof Flash>;

/** A do-not-operate tag. */
export const TagRow = v.looseObject({
  id: v.number(),
  /** One device, all switches of a bay, or all of the substation. */
  scope: v.optional(v.picklist(['device', 'bay', 'station']), 'device'),
  assetId: v.nullish(v.number()),
  assetName: v.string(),
  bay: v.optional(v.string(), ''),
  locationId: v.number(),
  kind: v.picklist(['caution', 'inhibit']),
  holder: v.string(),
  holderId: v.number(),
  reason: v.string(),
  placedAt: v.number(),
  expiresAt: v.nullish(v.number()),
});
export type TagRow = v.InferOutput<typeof TagRow>;

export const STATES = ['REQUESTED', 'SELECTING', 'SELECTED', 'SENT', 'ACCEPTED', 'DONE', 'NO_FEEDBACK', 'REFUSED', 'EXPIRED', 'CANCELLED', 'UNKNOWN'] as const;
export type CommandState = (typeof STATES)[number];

/** One state of a command. */
export const CommandRow = v.looseObject({
  commandId: v.string(),
  locationId: v.number(),
  assetId: v.number(),
  assetName: v.string(),
  pointId: v.number(),
  mode: v.picklist(['select', 'direct']),
  state: v.picklist(STATES),
  fromDIStatus: v.number(),
  toDIStatus: v.number(),
  toDIText: v.string(),
  operator: v.string(),
  memberId: v.number(),
  requestedAt: v.number(),
  changedAt: v.number(),
  selectUntil: v.nullish(v.number()),
  deadline: v.nullish(v.number()),
  addCause: v.nullish(v.number()),
  addCauseName: v.nullish(v.string()),
  message: v.string(),
  simulated: v.boolean(),
  offset: v.number(),
});
export type CommandRow = v.InferOutput<typeof CommandRow>;

/** Whether the command has not ended. */
export function isOpen({ state }: CommandRow): boolean {
  return state === 'REQUESTED' || state === 'SELECTING' || state === 'SELECTED' || state === 'SENT' || state === 'ACCEPTED';
}
