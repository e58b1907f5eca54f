// The rows of a stream, held outside of React and shared by all components that show it. Listeners are notified at most ten times a second.
import type { Content } from '../wire/live';
import { keptSinceOf } from '../wire/rest';
import type { Connection } from './connection';

export type Key = string | number;

/** The key of the rows of a stream, and how many of them are kept. */
export interface Feeding<T> {
  readonly key: (row: T) => Key;
  /** Whether a row has the expected shape. Other rows are dropped. */
  readonly fits?: (row: unknown) => boolean;
  /** Whether a row reports its own removal. */
  readonly isGone?: (row: T) => boolean;
  /** Largest number of rows. Beyond it, the rows that `order` sorts last are removed. */
  readonly max?: number;
  readonly order?: (a: T, b: T) => number;
}

/** Shortest time between two notifications of the listeners, ms. */
const TELL_MS = 100;
/** How long a feed without users stays subscribed, ms. A user who returns to a screen finds its rows. */
const LINGER_MS = 2_000;

/** Runs in the next animation frame. A hidden page has no frames, but its alarms must still sound, so a timer runs it on such a page. */
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
  /** Counts notifications. The rows may differ when the number differs. */
  version = 0;
  /** Counts changes of the set of rows. */
  shape = 0;
  /** Number of rows received after the first snapshot. */
  arrived = 0;
  /** The columns of the last snapshot, for a table whose columns come from the data. */
  columns: Content['columns'];
  /** The time from which rows are kept, epoch ms; null if earlier rows exist. */
  keptSince: number | null = null;
  /** Counts snapshots and deltas of the stream itself, without polled rows. */
  snapshots = 0;
  /** When the request of the last polled rows was sent, in `performance.now()`. */
  polledAt = 0;
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

  replace(rows: readonly T[], columns?: Content['columns'], keptSince: number | null = null): void {
    this.keptSince = keptSince;
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
    // A delta proves that the stream is up to date, so an earlier failure of a poll no longer matters.
    this.state = 'ready';
    this.problem = '';
    this.trim();
    this.tell();
  }

  /** Records a failed update. The rows remain. */
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

  /** Stores a row, or removes it if it reports its removal. Returns whether the set of rows changed. */
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
    // Trimming starts at 10 % above the limit, so that not every new row sorts all rows.
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

/** The open feeds of a connection, one for each stream. */
export class Feeds {
  private open = new Map<string, Feed<unknown>>();

  constructor(private readonly connection: Pick<Connection, 'subscribe'>) {}

  /** Returns the feed of a stream and a function that releases it. The stream is unsubscribed after the last release. */
  take<T>(stream: string, feeding: Feeding<T>): { feed: Feed<T>; release: () => void } {
    let feed = this.open.get(stream) as Feed<T> | undefined;
    if (!feed) {
      const made = new Feed<T>(feeding);
      feed = made;
      this.open.set(stream, made as Feed<unknown>);
      made.stop = this.connection.subscribe(stream, {
        snapshot: ({ rows, columns, keptSince }) => {
          made.snapshots += 1;
          made.replace((rows ?? []) as T[], columns, keptSinceOf({ keptSince }));
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
