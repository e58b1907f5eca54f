// Collects the values of all charts of a column at the crosshair for one readout.

export interface Said {
  /** R, Y or B; null for values without a phase. */
  readonly label: string | null;
  readonly colour: string;
  readonly text: string;
}

/** An entry of the legend. */
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
  /** Texts by label. Labels are in order of first appearance, texts in the order of the charts. */
  readonly groups: readonly { readonly label: string | null; readonly colour: string; readonly texts: readonly string[] }[];
}

export class Readout {
  private entries = new Map<string, Entry>();
  /** The legend entries of each chart, in order of registration. */
  private lines = new Map<string, readonly Line[]>();
  private legend: readonly Line[] = [];
  private shown: Shown | null = null;
  private listeners = new Set<() => void>();

  /** Sets the values of a chart at the crosshair; null when the crosshair has left it. */
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
    // Values without a phase are last.
    this.shown = entries[0]
      ? { time: entries[0].time, groups: [...all.filter(({ label }) => label !== null), ...all.filter(({ label }) => label === null)] }
      : null;
    this.tell();
  }

  /** Registers the legend entries of a chart. Returns a function that removes them. */
  offer(chart: string, lines: readonly Line[]): () => void {
    this.lines.set(chart, lines);
    this.collect();
    return () => {
      this.lines.delete(chart);
      this.collect();
      this.say(chart, null);
    };
  }

  /** Rebuilds the legend without duplicates. A chart with a single line needs no entry. */
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
