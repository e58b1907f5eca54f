// The server's clock, derived from its heartbeats. It stops when they stop: a clock that continued would make the screen look live.

type Listener = () => void;

export class ServerClock {
  private offset: number | null = null;
  private stopped: number | null = null;
  private listeners = new Set<Listener>();

  constructor(private readonly local: () => number = () => performance.now()) {}

  beat(serverTime: number): void {
    this.offset = serverTime - this.local();
    this.stopped = null;
  }

  stop(): void {
    this.stopped ??= this.now();
    this.tick();
  }

  /** The server's time in epoch ms; null before the first heartbeat. */
  now(): number | null {
    if (this.stopped !== null) return this.stopped;
    return this.offset === null ? null : this.local() + this.offset;
  }

  /** Notifies the listeners that the time has advanced. The connection calls it every 250 ms. */
  tick(): void {
    for (const listener of this.listeners) listener();
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
