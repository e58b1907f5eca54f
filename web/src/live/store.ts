// The live values, outside of React: newest wins, one flush a frame and at most ten a second, listeners for what changed.
import type { PointValue } from '../wire/live';
import type { Point } from './freshness';

const FLUSH_MS = 100;

export class LiveStore {
  private points = new Map<number, Point>();
  private dirty = new Set<number>();
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

  /** Takes values; one with an older source time than the one held is dropped, unless `replace` says that this is the present. */
  apply(values: readonly PointValue[], replace = false): void {
    for (const [id, v, q, t] of values) {
      const held = this.points.get(id);
      if (held && !replace && t < held.t) continue;
      if (held && held.v === v && held.q === q && held.t === t) continue;
      this.points.set(id, { v, q, t });
      this.dirty.add(id);
    }
    this.request();
  }

  /** Forgets everything, as when another substation is opened. */
  clear(): void {
    for (const id of this.points.keys()) this.dirty.add(id);
    this.points = new Map();
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
