// The live socket: subscriptions that resume at their last offset, heartbeats, and the decision whether the screen is live.
import { io, type Socket } from 'socket.io-client';
import { Delta, Ended, Heartbeat, Subscribed, read, type Content } from '../wire/live';
import { ServerClock } from './clock';
import { lostTail, step, type Place } from './continuity';

/** If no heartbeat arrives for this time, in ms, nothing is live. */
const SILENCE_MS = 3_000;

export type LinkState = { up: boolean; since: number | null };

/** Receives the messages of one stream. */
export interface Listener {
  /** The complete state of the stream. */
  snapshot(content: Content): void;
  /** Changes since the last message. */
  delta(content: Content): void;
  /** The server refuses the stream; the message is its reason. */
  refused(message: string): void;
}

interface Subscription {
  name: string;
  listener: Listener;
  place: Place | null;
  asking: boolean;
  /** Whether the server has answered on the current connection. Until then the listener's data are from an earlier connection. */
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
  /** Counts connections. Answers to requests of an earlier connection are ignored. */
  private generation = 0;
  /** Number of messages that did not match their schema. */
  misfits = 0;

  /** `onDenied` is called when the server rejects the token. */
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
      // The library does not retry after a refusal by the server, which may be busy or without its database.
      else if (!socket.active) this.again();
      this.lose();
    });
    socket.on('disconnect', (reason) => {
      this.lose();
      // The library does not reconnect after the server has closed the connection.
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

  /** Reconnects after 0.5 to 1.5 s. The random part spreads the clients. */
  private again(): void {
    setTimeout(() => this.socket?.connect(), 500 + Math.random() * 1_000);
  }

  /** Sends a renewed token. The subscriptions remain. */
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
        // No later answer will come: the listener has to show that there are no data.
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

  /** Whether the alarm service works. If it does not, an empty list of alarms proves nothing. */
  alarmsWorking(): boolean {
    return this.alarms;
  }

  /** Sets the link to live when heartbeats arrive and every stream has been answered on this connection. */
  private judge(): void {
    const beating = this.beatAt !== null && performance.now() - this.beatAt <= SILENCE_MS;
    const answered = [...this.subscriptions.values()].every(({ asking, answered }) => answered && !asking);
    if (beating && answered && this.socket?.connected && !this.state.up) this.set({ up: true, since: null });
  }

  /** Marks a stream that is temporarily unavailable: its data may be out of date, so the link is not live. */
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
