// The rows of a stream, outside of React: shared by all who show them, told of at most ten times a second, row by row for those who show one.
import type { Content } from '../wire/live';
import type { Connection } from './connection';

export type Key = string | number;

/** How the rows of a stream are told apart, and how long they stay. */
export interface Feeding<T> {
  readonly key: (row: T) => Key;
  /** Whether a row is what it should be; another one is not taken. */
  readonly fits?: (row: unknown) => boolean;
  /** Whether a row says that it has left. */
  readonly isGone?: (row: T) => boolean;
  /** Rows kept at most; beyond it those that `order` puts last are forgotten. */
  readonly max?: number;
  readonly order?: (a: T, b: T) => number;
}

/** Listeners are told so often at most. */
const TELL_MS = 100;
/** What nobody listens to any more is kept for a moment: screens come and go. */
const LINGER_MS = 2_000;

/** With the next frame; a page that is not seen has none, and its alarms must be heard all the same. */
function soon(run: () => void): void {
  let done = false;
  const once = () => {
    if (!done) run();
    done = true;
  };
  if (!document.hidden) requestAnimationFrame(once);
  setTimeout(once, TELL_MS);
}

export class Feed<T> {
  private held = new Map<Key, T>();
  private listeners = new Set<() => void>();
  private byRow = new Map<Key, Set<() => void>>();
  private changed = new Set<Key>();
  private told = 0;
  private scheduled = false;
  state: 'loading' | 'ready' | 'failed' = 'loading';
  problem = '';
  /** Counts what has been told; the rows may be others when it is another. */
  version = 0;
  /** Counts changes of which rows there are. */
  shape = 0;
  /** Rows that have come or changed since the snapshot. */
  arrived = 0;
  /** What a snapshot has besides rows. */
  columns: Content['columns'];
  /** Counts what the stream itself has told. */
  snapshots = 0;
  users = 0;
  stop: () => void = () => undefined;

  constructor(
    private readonly feeding: Feeding<T>,
    private readonly schedule: (run: () => void) => void = soon,
  ) {}

  get size(): number {
    return this.held.size;
  }

  get(key: Key): T | undefined {
    return this.held.get(key);
  }

  rows(): readonly T[] {
    return [...this.held.values()];
  }

  replace(rows: readonly T[], columns?: Content['columns']): void {
    for (const key of this.held.keys()) this.changed.add(key);
    if (this.state !== 'loading') this.arrived += rows.length;
    this.held = new Map();
    for (const row of rows) this.put(row);
    if (columns) this.columns = columns;
    this.state = 'ready';
    this.problem = '';
    this.shape += 1;
    this.trim();
    this.tell();
  }

  add(rows: readonly T[]): void {
    const before = this.held.size;
    let others = false;
    for (const row of rows) others = this.put(row) || others;
    if (others || before !== this.held.size) this.shape += 1;
    this.arrived += rows.length;
    // Who continues where they stopped has the present: what a poll could not get meanwhile is over.
    this.state = 'ready';
    this.problem = '';
    this.trim();
    this.tell();
  }

  /** The rows stay: what failed is having them anew. */
  fail(problem: string): void {
    this.state = 'failed';
    this.problem = problem;
    this.tell();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  subscribeRow(key: Key, listener: () => void): () => void {
    const listeners = this.byRow.get(key) ?? new Set();
    this.byRow.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.byRow.delete(key);
    };
  }

  /** Takes a row; answers whether there are others than before. */
  private put(row: T): boolean {
    if (this.feeding.fits && !this.feeding.fits(row)) return false;
    const key = this.feeding.key(row);
    this.changed.add(key);
    if (this.feeding.isGone?.(row)) return this.held.delete(key);
    const isNew = !this.held.has(key);
    this.held.set(key, row);
    return isNew;
  }

  private trim(): void {
    const { max, order } = this.feeding;
    // A tenth more than that, so that not every row sorts all of them.
    if (max === undefined || this.held.size <= max * 1.1) return;
    const sorted = [...this.held.entries()].sort(([, a], [, b]) => order?.(a, b) ?? 0);
    this.held = new Map(sorted.slice(0, max));
    this.shape += 1;
  }

  private tell(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    const look = () => {
      const now = performance.now();
      if (now - this.told < TELL_MS) return this.schedule(look);
      this.told = now;
      this.scheduled = false;
      this.version += 1;
      const changed = this.changed;
      this.changed = new Set();
      for (const listener of this.listeners) listener();
      for (const key of changed) for (const listener of this.byRow.get(key) ?? []) listener();
    };
    this.schedule(look);
  }
}

/** All streams of rows that are open on a connection, each once. */
export class Feeds {
  private open = new Map<string, Feed<unknown>>();

  constructor(private readonly connection: Pick<Connection, 'subscribe'>) {}

  /** The rows of a stream; whoever no longer shows them lets go of it. */
  take<T>(stream: string, feeding: Feeding<T>): { feed: Feed<T>; release: () => void } {
    let feed = this.open.get(stream) as Feed<T> | undefined;
    if (!feed) {
      const made = new Feed<T>(feeding);
      feed = made;
      this.open.set(stream, made as Feed<unknown>);
      made.stop = this.connection.subscribe(stream, {
        snapshot: ({ rows, columns }) => {
          made.snapshots += 1;
          made.replace((rows ?? []) as T[], columns);
        },
        delta: ({ rows, columns }) => {
          made.snapshots += 1;
          if (columns) made.columns = columns;
          made.add((rows ?? []) as T[]);
        },
        refused: (problem) => made.fail(problem),
      });
    }
    const held = feed;
    held.users += 1;
    let released = false;
    return {
      feed: held,
      release: () => {
        if (released) return;
        released = true;
        held.users -= 1;
        setTimeout(() => {
          if (held.users > 0 || this.open.get(stream) !== (held as Feed<unknown>)) return;
          held.stop();
          this.open.delete(stream);
        }, LINGER_MS);
      },
    };
  }
}
