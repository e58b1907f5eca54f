// What all charts of a column say of the moment under the crosshair, put together for one readout.

export interface Said {
  /** R, Y, B; null for what is no phase. */
  readonly label: string | null;
  readonly colour: string;
  readonly text: string;
}

/** A line of the legend. */
export interface Line {
  readonly label: string;
  readonly colour: string;
  readonly isDashed: boolean;
  readonly isColumn?: boolean;
}

interface Entry {
  readonly time: string;
  readonly said: readonly Said[];
}

export interface Shown {
  readonly time: string;
  /** By label, in the order of their first appearance; texts in the order of the charts. */
  readonly groups: readonly { readonly label: string | null; readonly colour: string; readonly texts: readonly string[] }[];
}

export class Readout {
  private entries = new Map<string, Entry>();
  /** Of each chart, in the order in which they came. */
  private lines = new Map<string, readonly Line[]>();
  private legend: readonly Line[] = [];
  private shown: Shown | null = null;
  private listeners = new Set<() => void>();

  /** What a chart says now; null when the crosshair has left. */
  say(chart: string, entry: Entry | null): void {
    if (entry) this.entries.set(chart, entry);
    else if (!this.entries.delete(chart)) return;
    const entries = [...this.lines.keys()].flatMap((own) => this.entries.get(own) ?? []);
    const groups = new Map<string | null, { label: string | null; colour: string; texts: string[] }>();
    for (const { label, colour, text } of entries.flatMap(({ said }) => said)) {
      const group = groups.get(label) ?? { label, colour, texts: [] };
      groups.set(label, group);
      group.texts.push(text);
    }
    const all = [...groups.values()];
    // What is no phase comes last.
    this.shown = entries[0]
      ? { time: entries[0].time, groups: [...all.filter(({ label }) => label !== null), ...all.filter(({ label }) => label === null)] }
      : null;
    this.tell();
  }

  /** The lines of a chart, while it is there. */
  offer(chart: string, lines: readonly Line[]): () => void {
    this.lines.set(chart, lines);
    this.collect();
    return () => {
      this.lines.delete(chart);
      this.collect();
      this.say(chart, null);
    };
  }

  /** Every line once; what is alone in its chart needs no name. */
  private collect(): void {
    const found = new Map<string, Line>();
    for (const lines of this.lines.values())
      if (lines.length > 1) for (const line of lines) found.set(line.label, found.get(line.label) ?? line);
    this.legend = [...found.values()];
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): Shown | null => this.shown;

  named = (): readonly Line[] => this.legend;
}
