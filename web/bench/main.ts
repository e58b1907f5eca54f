// The page of the diagram benchmark: runs one variant, feeds it like the socket, and counts its frames. Without React, because only drawing is measured.
import Konva from 'konva';
import { Renderer } from '../src/features/diagram/renderer';
import { shown, type View } from '../src/features/diagram/state';
import { IEEE1975 } from '../src/features/diagram/symbols/artwork';
import { LiveStore } from '../src/live/store';
import '../src/ui/tokens.css';
import { changes, plan } from './drawing';

const PER_MESSAGE = 25;

interface Result {
  readonly frames: number;
  readonly seconds: number;
  readonly worstMs: number;
  readonly p95Ms: number;
  readonly applied: number;
  readonly wrong: number;
}

interface Variant {
  pan(dx: number): void;
  /** The final state that a position's symbol shows. */
  state(point: number): string | undefined;
  destroy(): void;
}

const start = { ours, nodes };

async function run(variant: keyof typeof start, elements: number, perSecond: number, seconds: number, panning: boolean): Promise<Result> {
  const container = document.getElementById('stage') as HTMLDivElement;
  container.replaceChildren();
  const made = plan(elements);
  const store = new LiveStore();
  const first = [...made.positions, ...made.measured].map((id): [number, number, number, number] => [id, 1, 0, 1]);
  store.apply(first);
  const shownBy = start[variant](container, made, store);
  const next = changes(made);
  const last = new Map<number, number>(first.map(([id, value]) => [id, value]));
  let applied = 0;
  const feed = setInterval(() => {
    const batch = next(PER_MESSAGE, Date.now());
    for (const [id, value] of batch) last.set(id, value ?? 0);
    applied += batch.length;
    store.apply(batch);
  }, (1_000 * PER_MESSAGE) / perSecond);
  const gaps: number[] = [];
  const began = performance.now();
  await new Promise<void>((done) => {
    let before = began;
    let step = 0;
    const frame = (now: number) => {
      gaps.push(now - before);
      before = now;
      if (panning) shownBy.pan(++step % 120 < 60 ? 4 : -4);
      if (now - began < seconds * 1_000) requestAnimationFrame(frame);
      else done();
    };
    requestAnimationFrame(frame);
  });
  clearInterval(feed);
  const took = (performance.now() - began) / 1_000;
  await new Promise((wake) => setTimeout(wake, 400));
  const words = ['open', 'closed'];
  const wrong = made.positions.filter((id) => {
    const info = made.drawing.points[id];
    const value = last.get(id) ?? 0;
    const expected = info?.encoding === 'double' ? ['intermediate', 'open', 'closed'][value] : info?.encoding === 'signal' ? ['inactive', 'active'][value] : words[value];
    return shownBy.state(id) !== expected;
  }).length;
  shownBy.destroy();
  const sorted = gaps.toSorted((a, b) => a - b);
  return { frames: gaps.length, seconds: took, worstMs: sorted.at(-1) ?? 0, p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? 0, applied, wrong };
}

type Made = ReturnType<typeof plan>;

function viewOf({ drawing }: Made, store: LiveStore): View {
  return { drawing, low: new Set(), symbols: IEEE1975, point: (id) => store.get(id), node: () => 1, flash: () => undefined, tags: () => [], command: () => undefined, serverNow: Date.now(), linkUp: true, phase: true, steady: false };
}

/** Our renderer, which draws everything with one shape for each layer. */
function ours(container: HTMLDivElement, made: Made, store: LiveStore): Variant {
  const renderer = new Renderer(container, () => viewOf(made, store), () => undefined);
  const stop = store.onBatch(() => renderer.refresh());
  const byPoint = new Map(made.drawing.elements.map((element) => [element.position?.pointId, element]));
  return {
    pan: (dx) => renderer.pan(dx, 0),
    state: (point) => {
      const element = byPoint.get(point);
      return element && shown(viewOf(made, store), element).meaning;
    },
    destroy: () => {
      stop();
      renderer.destroy();
    },
  };
}

/** The reference: one node of the canvas library for each symbol and text, changed individually, as the library's guide recommends. */
function nodes(container: HTMLDivElement, made: Made, store: LiveStore): Variant {
  const stage = new Konva.Stage({ container, width: container.clientWidth, height: container.clientHeight });
  const layer = new Konva.Layer({ listening: false });
  stage.add(layer);
  const scale = Math.min((stage.width() * 0.9) / made.drawing.size.width, (stage.height() * 0.9) / made.drawing.size.height);
  layer.scale({ x: scale, y: scale });
  const symbols = new Map<number, { shape: Konva.Shape; text?: Konva.Text }>();
  const states = new Map<number, string>();
  for (const element of made.drawing.elements) {
    const { x = 0, y = 0 } = element;
    const point = element.position?.pointId ?? element.rows?.[0]?.pointId;
    if (element.class === 'values') {
      const text = new Konva.Text({ x: x - 60, y: y - 8, width: 60, align: 'right', text: '–', fontSize: 12.5, fill: '#e6eaee' });
      layer.add(text);
      if (point !== undefined) symbols.set(point, { shape: text, text });
      continue;
    }
    const shape = element.class === 'relay' ? new Konva.Circle({ x, y, radius: 10, stroke: '#8c97a2' }) : element.class === 'transformer' ? new Konva.Ring({ x, y, innerRadius: 14, outerRadius: 16, stroke: '#d8a657' }) : new Konva.Rect({ x: x - 8, y: y - 8, width: 16, height: 16, stroke: '#57ab5a' });
    layer.add(shape);
    if (element.name) layer.add(new Konva.Text({ x: x - 60, y: y - 6, width: 44, align: 'right', text: element.name, fontSize: 11, fill: '#8c97a2' }));
    if (point !== undefined) symbols.set(point, { shape });
  }
  const show = (id: number) => {
    const [held, value] = [symbols.get(id), store.get(id)?.v ?? 0];
    const encoding = made.drawing.points[id]?.encoding;
    if (!held) return;
    if (held.text) held.text.text(value.toFixed(1));
    else {
      const meaning = encoding === 'double' ? ['intermediate', 'open', 'closed'][value] : encoding === 'signal' ? ['inactive', 'active'][value] : ['open', 'closed'][value];
      states.set(id, meaning ?? 'bad');
      held.shape.fill(meaning === 'closed' || meaning === 'active' ? '#e5534b' : '#14181c');
      held.shape.stroke(meaning === 'closed' ? '#e5534b' : '#57ab5a');
    }
  };
  for (const id of symbols.keys()) show(id);
  const stop = store.onBatch((ids) => {
    for (const id of ids) show(id);
    layer.batchDraw();
  });
  return {
    pan: (dx) => stage.x(stage.x() + dx),
    state: (point) => states.get(point),
    destroy: () => {
      stop();
      stage.destroy();
    },
  };
}

Object.assign(window, { bench: { run } });
