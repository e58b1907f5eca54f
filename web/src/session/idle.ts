// Detects an idle user (specification 1, section 4). The clock is a parameter, so that tests need not wait three hours.

/** Time without activity after which the session ends, ms. */
export const IDLE_MS = 10_800_000;
/** How long before the end of the session the user is warned, ms. */
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

/** Reports each change of the idle state once. */
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

  /** Records activity of the user, in this tab or another. Activity after the end has no effect. */
  sign(at: number = this.clock.now()): void {
    if (this.told === 'away') return;
    this.last = Math.max(this.last, at);
    this.judge();
  }

  stop(): void {
    if (this.timer !== null) this.clock.clearTimeout(this.timer as never);
    this.timer = null;
  }

  // After a computer has slept, timers fire late, so the elapsed time decides.
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
