// The server's clock, as the heartbeats tell it. It stops when they stop: a clock that goes on would look like a live screen.

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

  /** Epoch ms; null before the first heartbeat. */
  now(): number | null {
    if (this.stopped !== null) return this.stopped;
    return this.offset === null ? null : this.local() + this.offset;
  }

  /** Tells listeners that a second has passed. */
  tick(): void {
    for (const listener of this.listeners) listener();
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
