// The live values, outside of React: the stream's last word wins, one flush a frame and at most ten a second, listeners for what changed.
import type { PointValue } from '../wire/live';
import type { Point } from './freshness';

const FLUSH_MS = 100;

export class LiveStore {
  private points = new Map<number, Point>();
  private dirty = new Set<number>();
  /** What the stream said of points that show what was polled. */
  private displaced = new Map<number, Point | undefined>();
  private byPoint = new Map<number, Set<() => void>>();
  private batches = new Set<(ids: ReadonlySet<number>) => void>();
  private scheduled = false;
  private flushed = 0;

  constructor(private readonly schedule: (run: () => void) => void = (run) => void requestAnimationFrame(run)) {}

  get(id: number): Point | undefined {
    return this.points.get(id);
  }

  all(): ReadonlyMap<number, Point> {
    return this.points;
  }

  /** Takes what the stream says. The hub has decided which value is the present one: after a step of a device's clock it may have an older source time. */
  apply(values: readonly PointValue[]): void {
    this.resume();
    for (const value of values) this.put(value);
    this.request();
  }

  /** Takes values that were polled while there is no stream. They may be older than what the stream said, so a later source time decides, and only for now. */
  applyPolled(values: readonly PointValue[]): void {
    for (const value of values) {
      const [id, , , t] = value;
      const held = this.points.get(id);
      if (held && t < held.t) continue;
      if (!this.displaced.has(id)) this.displaced.set(id, held);
      this.put(value);
    }
    this.request();
  }

  /** Puts back what the stream said last, in the place of what was polled: a stream that goes on repeats nothing that has not changed. */
  resume(): void {
    for (const [id, held] of this.displaced) {
      if (held) this.points.set(id, held);
      else this.points.delete(id);
      this.dirty.add(id);
    }
    this.displaced.clear();
    this.request();
  }

  /** Forgets everything, as when another substation is opened. */
  clear(): void {
    for (const id of this.points.keys()) this.dirty.add(id);
    this.points = new Map();
    this.displaced.clear();
    this.request();
  }

  onBatch(listener: (ids: ReadonlySet<number>) => void): () => void {
    this.batches.add(listener);
    return () => this.batches.delete(listener);
  }

  subscribe(id: number, listener: () => void): () => void {
    const listeners = this.byPoint.get(id) ?? new Set();
    this.byPoint.set(id, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  private put([id, v, q, t]: PointValue): void {
    const held = this.points.get(id);
    if (held && held.v === v && held.q === q && held.t === t) return;
    this.points.set(id, { v, q, t });
    this.dirty.add(id);
  }

  private request(): void {
    if (this.scheduled || this.dirty.size === 0) return;
    this.scheduled = true;
    this.schedule(() => this.flush());
  }

  private flush(): void {
    this.scheduled = false;
    const now = performance.now();
    if (now - this.flushed < FLUSH_MS) {
      this.request();
      return;
    }
    this.flushed = now;
    const ids = this.dirty;
    this.dirty = new Set();
    for (const listener of this.batches) listener(ids);
    for (const id of ids) for (const listener of this.byPoint.get(id) ?? []) listener();
  }
}
