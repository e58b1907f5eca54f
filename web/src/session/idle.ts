// When a person has been away for too long (specification 1, section 4). Pure but for the clock it is given, so that three hours pass in a test at once.

/** Without a sign for so long, the session ends. */
export const IDLE_MS = 10_800_000;
/** So long before that the person is warned and may stay. */
export const WARNING_MS = 300_000;

export interface Clock {
  now: () => number;
  setTimeout: (call: () => void, ms: number) => unknown;
  clearTimeout: (timer: never) => void;
}

export const wallClock: Clock = {
  now: () => Date.now(),
  setTimeout: (call, ms) => setTimeout(call, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};

export type IdleState = 'present' | 'warned' | 'away';

/** Tells what has become of a person: of each change once. */
export class IdleWatch {
  private last: number;
  private told: IdleState = 'present';
  private timer: unknown = null;

  constructor(
    private readonly tell: (state: IdleState) => void,
    private readonly clock: Clock = wallClock,
  ) {
    this.last = clock.now();
    this.plan();
  }

  /** A sign of the person, in this tab or another. After the end it comes too late. */
  sign(at: number = this.clock.now()): void {
    if (this.told === 'away') return;
    this.last = Math.max(this.last, at);
    this.judge();
  }

  stop(): void {
    if (this.timer !== null) this.clock.clearTimeout(this.timer as never);
    this.timer = null;
  }

  // A machine that slept wakes up with its timers late: what counts is the time that has passed.
  private judge = (): void => {
    const away = this.clock.now() - this.last;
    const state: IdleState = away >= IDLE_MS ? 'away' : away >= IDLE_MS - WARNING_MS ? 'warned' : 'present';
    if (state !== this.told) {
      this.told = state;
      this.tell(state);
    }
    this.stop();
    if (state !== 'away') this.plan();
  };

  private plan(): void {
    const away = this.clock.now() - this.last;
    const next = away < IDLE_MS - WARNING_MS ? IDLE_MS - WARNING_MS - away : IDLE_MS - away;
    this.timer = this.clock.setTimeout(this.judge, Math.max(1, next));
  }
}
