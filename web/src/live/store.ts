// The live values, held outside of React. Values of the stream replace older ones; listeners are notified once a frame and at most ten times a second.
import type { PointValue } from '../wire/live';
import type { Point } from './freshness';

const FLUSH_MS = 100;

export class LiveStore {
  private points = new Map<number, Point>();
  private dirty = new Set<number>();
  /** Values of the stream that polled values replace at present. Undefined if the stream had sent none. */
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

  /** Applies values of the stream without comparing source times: after a correction of a device's clock the current value can have an older source time. */
  apply(values: readonly PointValue[]): void {
    this.resume();
    for (const value of values) this.put(value);
    this.request();
  }

  /** Applies values polled while the stream is down. A value older than the one held is ignored. The rest is shown until the stream resumes. */
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

  /** Restores the last values of the stream in place of polled values, because a resumed stream sends changes only. */
  resume(): void {
    for (const [id, held] of this.displaced) {
      if (held) this.points.set(id, held);
      else this.points.delete(id);
      this.dirty.add(id);
    }
    this.displaced.clear();
    this.request();
  }

  /** Removes all values, for example when another substation is opened. */
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
