// The page of the table benchmark: the live table, fed like the socket, with a count of its frames; and a plain table that React renders at each message.
import { useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import type { Connection, Listener } from '../src/live/connection';
import { ServerClock } from '../src/live/clock';
import { Feeds } from '../src/live/feed';
import { LiveContext } from '../src/live/live';
import { LiveStore } from '../src/live/store';
import { useFeed } from '../src/live/useFeed';
import { LiveTable } from '../src/table/LiveTable';
import type { TableColumn } from '../src/table/columns';
import '../src/ui/tokens.css';
import '../src/ui/app.css';
import '../src/ui/shell.css';
import '../src/ui/monitoring.css';

interface Line {
  readonly assetId: number;
  readonly at: number;
  readonly cells: readonly number[];
}

/** Number of columns of a row of energy data. */
const CELLS = 20;
/** Shortest interval between two messages of the hub, ms. */
const EVERY_MS = 50;

const columns: readonly TableColumn<Line>[] = [
  { key: 'name', name: 'Asset', text: ({ assetId }) => `Feeder ${assetId}`, value: ({ assetId }) => assetId },
  ...Array.from({ length: CELLS }, (_, at): TableColumn<Line> => ({ key: `c${at}`, name: `Value ${at}`, isNumber: true, text: ({ cells }) => (cells[at] ?? 0).toFixed(2), value: ({ cells }) => cells[at] ?? null })),
];

/** Returns rows in turn, each with new values in all cells. */
function source(rows: number) {
  let next = 0;
  let step = 0;
  const line = (assetId: number): Line => ({ assetId, at: Date.now(), cells: Array.from({ length: CELLS }, (_, at) => 100 + ((assetId * 31 + at * 17 + step * 7) % 1_000) / 10) });
  return {
    all: () => Array.from({ length: rows }, (_, id) => line(id)),
    some: (count: number) => {
      step += 1;
      return Array.from({ length: count }, () => line(next++ % rows));
    },
  };
}

interface Shown {
  push(rows: readonly Line[]): void;
  /** The text in the second column of a visible row, by its id. */
  shows(id: number): string | undefined;
  end(): void;
}

function ours(stage: HTMLElement, first: readonly Line[]): Shown {
  const clock = new ServerClock();
  clock.beat(Date.now());
  const up = { up: true, since: null };
  let listener: Listener | null = null;
  const connection = {
    clock,
    link: () => up,
    onLink: () => () => undefined,
    alarmsWorking: () => true,
    subscribe: (_: string, added: Listener) => {
      listener = added;
      added.snapshot({ rows: [...first] });
      return () => undefined;
    },
  } as unknown as Connection;
  const beat = setInterval(() => clock.beat(Date.now()), 1_000);
  const Table = () => {
    const feed = useFeed<Line>({ stream: 'energy/location/1', token: '', key: ({ assetId }) => assetId });
    return <LiveTable title="Energy data" name="bench" feed={feed} keyOf={({ assetId }) => assetId} columns={columns} zone="Asia/Kolkata" testId="bench" reported={({ at }) => ({ at, quality: 0, ageLimitMs: 30_000 })} />;
  };
  const root = createRoot(stage);
  root.render(
    <LiveContext value={{ connection, points: new LiveStore(), feeds: new Feeds(connection) }}>
      <Table />
    </LiveContext>,
  );
  return {
    push: (rows) => listener?.delta({ rows: [...rows] }),
    shows: (id) => stage.querySelector(`tr[data-key="${id}"] td:nth-child(2)`)?.textContent ?? undefined,
    end: () => {
      clearInterval(beat);
      root.unmount();
    },
  };
}

function plain(stage: HTMLElement, first: readonly Line[]): Shown {
  let rows = new Map(first.map((line) => [line.assetId, line]));
  let tell: () => void = () => undefined;
  const Table = () => {
    const now = useSyncExternalStore(
      (listen) => {
        tell = listen;
        return () => undefined;
      },
      () => rows,
    );
    return (
      <div className="scroll">
        <table>
          <tbody>
            {[...now.values()].map((line) => (
              <tr key={line.assetId} data-key={line.assetId}>
                {columns.map((column) => (
                  <td key={column.key}>{column.text(line, { now: 0, zone: 'UTC' })}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    );
  };
  const root = createRoot(stage);
  root.render(<Table />);
  return {
    push: (fresh) => {
      rows = new Map(rows);
      for (const line of fresh) rows.set(line.assetId, line);
      tell();
    },
    shows: (id) => stage.querySelector(`tr[data-key="${id}"] td:nth-child(2)`)?.textContent ?? undefined,
    end: () => root.unmount(),
  };
}

const start = { ours, plain };

async function run(variant: keyof typeof start, rows: number, cellsPerSecond: number, seconds: number, scrolling: boolean) {
  const stage = document.getElementById('stage') as HTMLDivElement;
  const values = source(rows);
  const first = values.all();
  const last = new Map(first.map((line) => [line.assetId, line]));
  const shown = start[variant](stage, first);
  await new Promise((wake) => setTimeout(wake, 500));
  let applied = 0;
  let due = 0;
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    due += ((now - before) / 1_000) * cellsPerSecond;
    before = now;
    const count = Math.floor(due / CELLS);
    due -= count * CELLS;
    const batch = values.some(count);
    for (const line of batch) last.set(line.assetId, line);
    applied += count * CELLS;
    shown.push(batch);
  }, EVERY_MS);
  const scroller = stage.querySelector('.scroll');
  const gaps: number[] = [];
  const began = performance.now();
  await new Promise<void>((done) => {
    let at = began;
    const frame = (now: number) => {
      gaps.push(now - at);
      at = now;
      if (scrolling && scroller) scroller.scrollTop = ((now - began) / 3) % Math.max(1, scroller.scrollHeight - scroller.clientHeight);
      if (now - began < seconds * 1_000) requestAnimationFrame(frame);
      else done();
    };
    requestAnimationFrame(frame);
  });
  clearInterval(timer);
  await new Promise((wake) => setTimeout(wake, 400));
  const seen = [...last.values()].map((line) => [shown.shows(line.assetId), (line.cells[0] ?? 0).toFixed(2)] as const).filter(([text]) => text !== undefined);
  const result = {
    frames: gaps.length,
    seconds: (performance.now() - began - 400) / 1_000,
    p95Ms: gaps.sort((a, b) => a - b)[Math.floor(gaps.length * 0.95)] ?? 0,
    applied,
    seen: seen.length,
    wrong: seen.filter(([text, expected]) => text !== expected).length,
  };
  shown.end();
  return result;
}

Object.assign(window, { bench: { run } });
