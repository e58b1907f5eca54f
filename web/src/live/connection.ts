// The one socket: subscriptions that continue where they stopped, heartbeats, and the judgement whether anything here is live.
import { io, type Socket } from 'socket.io-client';
import { Delta, Ended, Heartbeat, Subscribed, read, type Content } from '../wire/live';
import { ServerClock } from './clock';
import { lostTail, step, type Place } from './continuity';

/** Without a heartbeat for so long, nothing is live. */
const SILENCE_MS = 3_000;

export type LinkState = { up: boolean; since: number | null };

/** What a stream's listener is told. */
export interface Listener {
  /** The present, from the start. */
  snapshot(content: Content): void;
  /** What came since. */
  delta(content: Content): void;
  /** The stream cannot be had. */
  refused(message: string): void;
}

interface Subscription {
  name: string;
  listener: Listener;
  place: Place | null;
  asking: boolean;
  /** Whether the present connection has answered it: until then its picture is an old one. */
  answered: boolean;
}

export class Connection {
  readonly clock = new ServerClock();
  private socket: Socket | null = null;
  private subscriptions = new Map<string, Subscription>();
  private state: LinkState = { up: false, since: null };
  private listeners = new Set<() => void>();
  private beatAt: number | null = null;
  private watch: ReturnType<typeof setInterval> | null = null;
  private alarms = true;
  /** Counts connections: answers to questions of an earlier one are not heard. */
  private generation = 0;
  /** Messages that did not fit their schema. */
  misfits = 0;

  /** `onDenied` is called when the server does not take the token. */
  constructor(
    private readonly token: () => string | null,
    private readonly onDenied: () => void,
  ) {}

  open(): void {
    if (this.socket) return;
    const socket = io('/live', {
      path: '/socket.io/',
      transports: ['websocket'],
      auth: (give) => give({ token: this.token() ?? '' }),
      reconnectionDelay: 500,
      reconnectionDelayMax: 10_000,
      randomizationFactor: 0.5,
    });
    this.socket = socket;
    socket.on('connect', () => {
      this.generation += 1;
      for (const subscription of this.subscriptions.values()) Object.assign(subscription, { asking: false, answered: false });
      for (const subscription of this.subscriptions.values()) this.ask(subscription);
    });
    socket.on('connect_error', (error) => {
      if (error.message === 'unauthorised') this.onDenied();
      // A refusal by the server is not tried again by the library: it may be busy, or without its database.
      else if (!socket.active) this.again();
      this.lose();
    });
    socket.on('disconnect', (reason) => {
      this.lose();
      // The server's own goodbye does not reconnect by itself.
      if (reason === 'io server disconnect') this.again();
    });
    socket.on('ended', (message) => {
      if (read(Ended, message)?.code === 'unauthorised') this.onDenied();
    });
    socket.on('heartbeat', (message) => this.beat(message));
    socket.on('delta', (message) => this.receive(message));
    this.watch = setInterval(() => {
      if (this.beatAt !== null && performance.now() - this.beatAt > SILENCE_MS) this.lose();
      this.clock.tick();
    }, 250);
  }

  close(): void {
    if (this.watch) clearInterval(this.watch);
    this.socket?.close();
    this.socket = null;
    this.beatAt = null;
    this.state = { up: false, since: null };
  }

  /** Connects again in a moment; not all clients in the same. */
  private again(): void {
    setTimeout(() => this.socket?.connect(), 500 + Math.random() * 1_000);
  }

  /** Shows the server a renewed token without leaving any stream. */
  renew(): void {
    this.socket?.emit('reauth', { token: this.token() ?? '' });
  }

  subscribe(name: string, listener: Listener): () => void {
    const subscription: Subscription = { name, listener, place: null, asking: false, answered: false };
    this.subscriptions.set(name, subscription);
    if (this.socket?.connected) this.ask(subscription);
    return () => {
      if (this.subscriptions.get(name) === subscription) {
        this.subscriptions.delete(name);
        if (this.socket?.connected) this.socket.emit('unsubscribe', { stream: name });
      }
    };
  }

  link(): LinkState {
    return this.state;
  }

  onLink(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private ask(subscription: Subscription): void {
    if (subscription.asking) return;
    subscription.asking = true;
    const since = subscription.place ?? undefined;
    const generation = this.generation;
    this.socket?.timeout(10_000).emit('subscribe', { stream: subscription.name, since }, (error: Error | null, message: unknown) => {
      if (generation !== this.generation) return;
      subscription.asking = false;
      if (this.subscriptions.get(subscription.name) !== subscription) return;
      const answer = error ? null : read(Subscribed, message);
      if (!answer) {
        if (!error) this.misfits += 1;
        this.unsettle(subscription);
        setTimeout(() => this.socket?.connected && this.ask(subscription), 1_000);
        return;
      }
      if (!answer.ok) {
        if (answer.code === 'unavailable') {
          this.unsettle(subscription);
          setTimeout(() => this.socket?.connected && this.ask(subscription), 1_000);
          return;
        }
        // There is nothing to wait for: the listener has to show that it has no picture.
        subscription.place = null;
        subscription.answered = true;
        subscription.listener.refused(answer.message);
        this.judge();
        return;
      }
      subscription.place = { epoch: answer.epoch, offset: answer.offset };
      subscription.answered = true;
      if (answer.snapshot) subscription.listener.snapshot(answer.snapshot);
      else subscription.listener.delta({ rows: answer.missed ?? [] });
      this.judge();
    });
  }

  private receive(message: unknown): void {
    const delta = read(Delta, message);
    const subscription = delta && this.subscriptions.get(delta.stream);
    if (!delta) this.misfits += 1;
    if (!delta || !subscription || subscription.asking) return;
    switch (step(subscription.place, delta)) {
      case 'apply':
        subscription.place = { epoch: delta.epoch, offset: delta.offset };
        subscription.listener.delta(delta);
        break;
      case 'resubscribe':
        this.ask(subscription);
        break;
      case 'ignore':
        break;
    }
  }

  private beat(message: unknown): void {
    const heartbeat = read(Heartbeat, message);
    if (!heartbeat) {
      this.misfits += 1;
      return;
    }
    this.beatAt = performance.now();
    this.clock.beat(heartbeat.server_time);
    if (heartbeat.alarmsWorking !== this.alarms) {
      this.alarms = heartbeat.alarmsWorking;
      for (const listener of this.listeners) listener();
    }
    for (const [name, offset] of Object.entries(heartbeat.offsets)) {
      const subscription = this.subscriptions.get(name);
      if (subscription && !subscription.asking && lostTail(subscription.place, offset)) this.ask(subscription);
    }
    this.judge();
  }

  /** Whether somebody makes alarms of what is reported: without that, no alarm says nothing. */
  alarmsWorking(): boolean {
    return this.alarms;
  }

  /** Live again only when the heart beats and every stream has been answered since. */
  private judge(): void {
    const beating = this.beatAt !== null && performance.now() - this.beatAt <= SILENCE_MS;
    const answered = [...this.subscriptions.values()].every(({ asking, answered }) => answered && !asking);
    if (beating && answered && this.socket?.connected && !this.state.up) this.set({ up: true, since: null });
  }

  /** A stream could not be had just now: what is shown of it is not what is. */
  private unsettle(subscription: Subscription): void {
    subscription.answered = false;
    if (this.state.up) this.set({ up: false, since: this.clock.now() ?? Date.now() });
  }

  private lose(): void {
    if (this.beatAt !== null) this.clock.stop();
    const since = this.state.up || this.state.since === null ? (this.clock.now() ?? Date.now()) : this.state.since;
    this.beatAt = null;
    if (this.state.up || this.state.since === null) this.set({ up: false, since });
  }

  private set(state: LinkState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
