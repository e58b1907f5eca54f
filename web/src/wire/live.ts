// Checked messages of the live socket. A message that does not match its schema is dropped and counted.
import * as v from 'valibot';
import { Flash, NodeState, TagRow } from './control';

const PointValue = v.tuple([v.number(), v.nullable(v.number()), v.number(), v.number()]);
/** Point id, value or null, quality code, source time in epoch ms. */
export type PointValue = v.InferOutput<typeof PointValue>;

const Row = v.looseObject({});

/** A column of a table whose columns come from the data. */
export const Column = v.object({ name: v.string(), alias: v.string() });
export type Column = v.InferOutput<typeof Column>;

const NetworkNode = v.object({ id: v.string(), state: v.number() });

/** The node ids and state codes of rows of `network/{location}`. Other rows are left out. */
export function networkStates(rows: readonly unknown[] | undefined): readonly (readonly [id: string, state: number])[] {
  return (rows ?? []).flatMap((row) => {
    const node = read(NetworkNode, row);
    return node ? [[node.id, node.state] as const] : [];
  });
}

/** The state of a diagram besides values: node states, tags, and changes that await acknowledgement. */
const scene = { nodes: v.optional(v.array(NodeState)), wiring: v.nullish(v.string()), tags: v.optional(v.array(TagRow)), flashes: v.optional(v.array(Flash)), networkUnavailable: v.optional(v.boolean()) };

/** The content of a snapshot or delta. */
export interface Content {
  readonly points?: PointValue[] | undefined;
  readonly changes?: PointValue[] | undefined;
  readonly rows?: unknown[] | undefined;
  /** The time from which rows are kept, ISO 8601; absent if earlier rows exist or rows are kept for ever. */
  readonly keptSince?: string | undefined;
  readonly columns?: Column[] | null | undefined;
  readonly nodes?: NodeState[] | undefined;
  /** The mark of the wiring to which `nodes` belong. */
  readonly wiring?: string | null | undefined;
  readonly tags?: TagRow[] | undefined;
  readonly flashes?: Flash[] | undefined;
  /** Whether the server has not the active network in memory, so that all node states are unknown. In a delta only with `nodes`. */
  readonly networkUnavailable?: boolean | undefined;
}

export const Subscribed = v.variant('ok', [
  v.object({
    ok: v.literal(true),
    class: v.picklist(['latest', 'every']),
    epoch: v.string(),
    offset: v.number(),
    snapshot: v.optional(v.object({ points: v.optional(v.array(PointValue)), rows: v.optional(v.array(Row)), keptSince: v.optional(v.string()), columns: v.optional(v.array(Column)), ...scene })),
    missed: v.optional(v.array(Row)),
  }),
  v.object({ ok: v.literal(false), code: v.string(), message: v.string() }),
]);
export type Subscribed = v.InferOutput<typeof Subscribed>;

export const Delta = v.object({
  stream: v.string(),
  epoch: v.string(),
  from: v.number(),
  offset: v.number(),
  changes: v.optional(v.array(PointValue)),
  rows: v.optional(v.array(Row)),
  columns: v.optional(v.nullable(v.array(Column))),
  ...scene,
});
export type Delta = v.InferOutput<typeof Delta>;

export const Heartbeat = v.object({
  server_time: v.number(),
  offsets: v.record(v.string(), v.number()),
  /** Whether the server receives heartbeats of the alarm service. Default: false. */
  alarmsWorking: v.optional(v.boolean(), false),
});
export type Heartbeat = v.InferOutput<typeof Heartbeat>;

export const Ended = v.object({ code: v.string(), message: v.string(), retry: v.boolean() });

/** The message if it matches the schema, else null. */
export function read<S extends v.GenericSchema>(schema: S, message: unknown): v.InferOutput<S> | null {
  const result = v.safeParse(schema, message);
  return result.success ? result.output : null;
}
