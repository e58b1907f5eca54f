// The state of a diagram besides values, held outside of React: node states, tags, unacknowledged changes and commands.
// Listeners are notified at most once a frame.
import * as v from 'valibot';
import { CommandRow, Energy, isOpen, type Flash, type TagRow } from '../wire/control';
import type { Content } from '../wire/live';

/** Largest number of commands of a diagram. Beyond it, the oldest finished commands are removed. */
const COMMANDS_MAX = 200;

export class Scene {
  private nodes = new Map<number, number>();
  /** States of nodes of the network, by their ids. */
  private network = new Map<string, number>();
  private mark: string | null = null;
  private hasNoNetwork = false;
  private tagged: readonly TagRow[] = [];
  private flashing = new Map<number, Flash>();
  private known = new Map<string, CommandRow>();
  /** The received states of each command, in order. */
  private lives = new Map<string, CommandRow[]>();
  /** The newest command of each point. */
  private newest = new Map<number, CommandRow>();
  private listeners = new Set<() => void>();
  private scheduled = false;
  /** Counts changes, so that components can detect them. */
  private version = 0;

  constructor(private readonly schedule: (run: () => void) => void = (run) => void requestAnimationFrame(run)) {}

  /** The state code of a node of a drawing. Unknown if the states belong to another wiring or the server has sent none for the node. */
  node(id: number | undefined, wiring: string | null | undefined): number {
    return id === undefined || this.mark === null || this.mark !== wiring ? Energy.unknown : (this.nodes.get(id) ?? Energy.unknown);
  }

  /** The state code of a node of the network. Unknown if the server has sent none. */
  networkNode(id: string): number {
    return this.network.get(id) ?? Energy.unknown;
  }

  /** Stores states of nodes of the network. A snapshot replaces all. */
  takeNetwork(states: readonly (readonly [id: string, state: number])[], isSnapshot: boolean): void {
    if (isSnapshot) this.network.clear();
    for (const [id, state] of states) this.network.set(id, state);
    this.changed();
  }

  /** The mark of the wiring to which the node states belong; null before the first state. */
  wiring(): string | null {
    return this.mark;
  }

  /** Whether the server has not the active network in memory. All node states are unknown then. */
  isNetworkUnavailable(): boolean {
    return this.hasNoNetwork;
  }

  /** The tags that cover a device: its own, those of its bay, and those of the substation. A bay is the first part of a point's address. */
  tags(asset: number | undefined | null, bay: string | undefined = undefined): readonly TagRow[] {
    if (asset == null) return [];
    return this.tagged.filter((tag) => tag.scope === 'station' || tag.assetId === asset || (tag.scope === 'bay' && bay !== undefined && bay !== '' && tag.bay === bay));
  }

  /** The tags of the whole substation. */
  stationTags(): readonly TagRow[] {
    return this.tagged.filter(({ scope }) => scope === 'station');
  }

  flash(point: number | undefined): Flash | undefined {
    return point === undefined ? undefined : this.flashing.get(point);
  }

  flashes(): readonly Flash[] {
    return [...this.flashing.values()];
  }

  /** The commands, newest first. */
  commands(): readonly CommandRow[] {
    return [...this.known.values()].sort((a, b) => b.requestedAt - a.requestedAt || b.offset - a.offset);
  }

  /** The newest command of a point. */
  command(point: number | undefined | null): CommandRow | undefined {
    return point == null ? undefined : this.newest.get(point);
  }

  /** The received states of a command, in order. */
  history(command: string): readonly CommandRow[] {
    return this.lives.get(command) ?? [];
  }

  /** Applies a message. A delta has the changed nodes and the complete lists of tags and flashes; a snapshot has everything. */
  apply(content: Content, isSnapshot: boolean): void {
    if (isSnapshot || (content.nodes && content.wiring != null && content.wiring !== this.mark)) this.nodes.clear();
    if (isSnapshot) this.mark = content.wiring ?? null;
    else if (content.nodes) this.mark = content.wiring ?? this.mark;
    if (isSnapshot) this.hasNoNetwork = content.networkUnavailable ?? false;
    else this.hasNoNetwork = content.networkUnavailable ?? this.hasNoNetwork;
    for (const [node, state] of content.nodes ?? []) this.nodes.set(node, state);
    if (content.tags || isSnapshot) {
      this.tagged = content.tags ?? [];
    }
    if (content.flashes || isSnapshot) this.flashing = new Map((content.flashes ?? []).map((flash) => [flash[0], flash]));
    this.changed();
  }

  /** Stores states of commands. An older state never replaces a newer one. */
  take(rows: readonly unknown[], isSnapshot: boolean): void {
    if (isSnapshot) for (const held of [this.known, this.lives]) held.clear();
    for (const row of rows) {
      const read = v.safeParse(CommandRow, row);
      if (!read.success) continue;
      const held = this.known.get(read.output.commandId);
      if (!held || held.offset <= read.output.offset) this.known.set(read.output.commandId, read.output);
      const life = this.lives.get(read.output.commandId) ?? [];
      if (!life.some(({ offset }) => offset === read.output.offset)) this.lives.set(read.output.commandId, [...life, read.output].sort((a, b) => a.offset - b.offset));
    }
    for (const row of this.commands().slice(COMMANDS_MAX)) if (!isOpen(row)) for (const held of [this.known, this.lives]) held.delete(row.commandId);
    this.newest = new Map(this.commands().toReversed().map((row) => [row.pointId, row]));
    this.changed();
  }

  clear(): void {
    this.network.clear();
    this.apply({}, true);
    this.take([], true);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): number => this.version;

  private changed(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.schedule(() => {
      this.scheduled = false;
      this.version += 1;
      for (const listener of this.listeners) listener();
    });
  }
}
