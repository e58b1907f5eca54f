// The sound of unacknowledged alarms, different for each priority and repeated until it is silenced. Silencing does not acknowledge.

/** Tones of each priority in hertz, and the interval of repetition, ms. */
const SOUNDS: Readonly<Record<number, { tones: readonly number[]; everyMs: number }>> = {
  1: { tones: [880, 660, 880, 660], everyMs: 3_000 },
  2: { tones: [660, 660], everyMs: 8_000 },
  3: { tones: [520], everyMs: 20_000 },
};
const TONE_S = 0.16;

export class AlarmSound {
  private context: AudioContext | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private priority: number | null = null;

  /** Starts the sound. Call it from a button, because browsers allow sound only after user input. */
  async enable(): Promise<boolean> {
    this.context ??= new AudioContext();
    await this.context.resume();
    if (this.context.state !== 'running') return false;
    this.play(3);
    return true;
  }

  disable(): void {
    this.follow(null);
    void this.context?.close();
    this.context = null;
  }

  isOn(): boolean {
    return this.context !== null;
  }

  /** Repeats the sound of the given priority; null stops it. */
  follow(priority: number | null): void {
    if (priority === this.priority) return;
    this.priority = priority;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.again();
  }

  private again(): void {
    const sound = this.priority === null ? undefined : SOUNDS[this.priority];
    if (!sound || !this.context) return;
    this.play(this.priority ?? 3);
    this.timer = setTimeout(() => this.again(), sound.everyMs);
  }

  private play(priority: number): void {
    const context = this.context;
    const sound = SOUNDS[priority];
    if (!context || !sound) return;
    sound.tones.forEach((hertz, index) => {
      const [tone, gain] = [context.createOscillator(), context.createGain()];
      const begin = context.currentTime + index * TONE_S * 1.3;
      tone.frequency.value = hertz;
      gain.gain.setValueAtTime(0.0001, begin);
      gain.gain.exponentialRampToValueAtTime(0.25, begin + 0.02);
      gain.gain.exponentialRampToValueAtTime(0.0001, begin + TONE_S);
      tone.connect(gain).connect(context.destination);
      tone.start(begin);
      tone.stop(begin + TONE_S);
    });
  }
}
