// Draws the whole diagram with two Konva shapes: the ground (lines, names, states of the circuit), and above it all that depends on live
// values. Measured: one Konva node for each element does not keep the frame rate. The renderer does not use React.
import Konva from 'konva/lib/Core.js';
import { Shape } from 'konva/lib/Shape.js';
import type { Drawing, Element } from '../../wire/sld';
import { boxOf, intersects, type Box } from './boxes';
import { centred, fit, opening, pan, rowOpening, toDrawing, zoom, type Camera } from './camera';
import type { View } from './state';
import { draw, writeLabel, type Pass } from './symbols/draw';
import { drawTrace, type Traced } from './trace';
import { atLeast, placed, type Placing } from './symbols/labels';
import { extent, type Palette } from './symbols/sheet';

/** If drawing takes longer than `SLOW_MS`, camera moves shift the drawn image, which is redrawn every `REDRAW_MS`. */
const SLOW_MS = 8;
const REDRAW_MS = 120;
/** If the diagram loses more height than this, px, the panel of a device has opened. Rows that appear above the diagram are lower. */
const PANEL_PX = 100;

const NO_NAMES: Placing & { readonly scale: number } = { scale: 0, labels: [], lifts: new Map() };

export class Renderer {
  private stage: Konva.Stage;
  private ground = new Konva.Layer({ listening: false });
  private live = new Konva.Layer({ listening: false });
  /** The size of the drawing that was taken last. */
  private taken: Drawing['size'] | null = null;
  private boxes: { element: Element; box: Box }[] = [];
  private camera: Camera = { scale: 1, x: 0, y: 0 };
  private palette: Palette;
  private selected: string | null = null;
  private traced: Traced | null = null;
  /** The view that the diagram keeps when its size changes: the opening view or the whole diagram. Null after the user has moved the view. */
  private kept: 'opening' | 'whole' | null = 'opening';
  /** The names at a scale. */
  private names: Placing & { readonly scale: number } = NO_NAMES;
  private readonly widths = new Map<string, number>();
  /** The last known position and size of the container, and the size of the window. */
  private seen = { top: 0, width: 0, height: 0, windowWidth: 0, windowHeight: 0 };
  /** The camera of the current image. `took` is the time that drawing needed, ms. */
  private drawn: Camera = this.camera;
  private took = 0;
  private drawnAt = 0;
  private queued: 'nothing' | 'live' | 'all' = 'nothing';
  /** Number of images drawn. */
  frames = 0;

  constructor(
    private readonly container: HTMLDivElement,
    private readonly view: () => View,
    private readonly onCamera: (camera: Camera) => void,
  ) {
    this.palette = paletteOf(container);
    this.stage = new Konva.Stage({ container, width: container.clientWidth, height: container.clientHeight });
    for (const [layer, pass] of [
      [this.ground, 'ground'],
      [this.live, 'live'],
    ] as const) {
      layer.add(new Shape({ sceneFunc: (context) => this.scene(context._context, pass) }) as Konva.Shape);
      this.stage.add(layer);
    }
    this.stage.content.style.transformOrigin = '0 0';
    for (const canvas of this.stage.content.querySelectorAll('canvas')) canvas.addEventListener('contextrestored', () => this.redraw());
    this.take();
    this.look();
    this.set(this.opened());
  }

  /** Takes the elements of the drawing as it is now. Nothing moves when a mark comes or goes; a drawing of another size is shown as it opens. */
  take(): void {
    const { size } = this.view().drawing;
    // Lines are below symbols, symbols below texts.
    const order = (element: Element) => (element.class === 'line' ? 0 : element.class === 'busbar' ? 1 : element.class === 'values' ? 3 : 2);
    this.boxes = this.view().drawing.elements.map((element) => ({ element, box: boxOf(element) })).sort((a, b) => order(a.element) - order(b.element));
    this.names = NO_NAMES;
    const isOther = this.taken !== null && (this.taken.width !== size.width || this.taken.height !== size.height);
    this.taken = size;
    if (isOther && this.kept) this.set(this.kept === 'whole' ? this.fitted() : this.opened());
  }

  destroy(): void {
    this.stage.destroy();
  }

  /** Draws the live layer in the next frame. */
  refresh(): void {
    this.queue('live');
  }

  /** Draws all layers in the next frame, after a change of the circuit, link, camera or colours. */
  redraw(): void {
    this.queue('all');
  }

  private queue(what: 'live' | 'all'): void {
    const waits = this.queued !== 'nothing';
    if (this.queued !== 'all') this.queued = what;
    if (!waits) requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    const { camera, drawn } = this;
    const moved = camera.x !== drawn.x || camera.y !== drawn.y || camera.scale !== drawn.scale;
    if (moved && this.took > SLOW_MS && now - this.drawnAt < REDRAW_MS) {
      const scale = camera.scale / drawn.scale;
      this.stage.content.style.transform = `matrix(${scale}, 0, 0, ${scale}, ${camera.x - drawn.x * scale}, ${camera.y - drawn.y * scale})`;
      requestAnimationFrame((later) => this.frame(later));
      return;
    }
    const all = moved || this.queued === 'all' || this.stage.content.style.transform !== '';
    this.queued = 'nothing';
    const began = performance.now();
    if (all) {
      this.stage.content.style.transform = '';
      this.ground.draw();
    }
    this.live.draw();
    this.frames += 1;
    if (all) [this.drawn, this.drawnAt, this.took] = [camera, now, performance.now() - began];
  }

  /**
   * Takes the new size of the container. Rows that come and go above the diagram change its height only: then the image keeps its place in the
   * window, so that nothing moves under the pointer. If the user changes the window or the width, a view of the whole is fitted again.
   */
  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (width === 0 || height === 0) return;
    const before = this.seen;
    this.look();
    this.stage.size({ width, height });
    const isSameWindow = before.windowWidth === window.innerWidth && before.windowHeight === window.innerHeight && before.width === this.seen.width;
    if (!isSameWindow && this.kept) this.set(this.kept === 'whole' ? this.fitted() : this.opened());
    else this.camera = pan(this.camera, 0, before.top - this.seen.top);
    this.uncover(before.height - height);
    // At once: a frame with the old image at the new place would be a movement.
    this.frame(performance.now());
  }

  /** On a small screen the panel of the selected device takes a part of the view. The device stays visible beside it. */
  private uncover(lostPx: number): void {
    const element = lostPx > PANEL_PX ? this.boxes.find((candidate) => candidate.element.id === this.selected)?.element : undefined;
    if (!element || this.place(element).y <= this.stage.height()) return;
    this.set(centred(this.camera, { x: element.x ?? 0, y: element.y ?? 0 }, this.size));
  }

  private look(): void {
    const { top, width, height } = this.container.getBoundingClientRect();
    this.seen = { top, width, height, windowWidth: window.innerWidth, windowHeight: window.innerHeight };
  }

  /** Texts have another width in another font. */
  remeasure(): void {
    this.widths.clear();
    this.names = NO_NAMES;
    this.redraw();
  }

  retheme(): void {
    this.palette = paletteOf(this.container);
    this.redraw();
  }

  /** Selects an element, and moves it into view, or to the middle of the view. */
  select(id: string | null, isCentred = false): void {
    if (id === this.selected) return;
    this.selected = id;
    const element = this.boxes.find((candidate) => candidate.element.id === id)?.element;
    const at = element && this.place(element);
    const [width, height] = [this.stage.width(), this.stage.height()];
    const isOutside = at && (at.x < 0 || at.y < 0 || at.x > width || at.y > height);
    if (at && (isOutside || isCentred)) {
      this.kept = null;
      this.set(centred(this.camera, { x: element.x ?? 0, y: element.y ?? 0 }, { width, height }));
    }
    this.refresh();
  }

  /** Highlights a part of the diagram, or none. */
  trace(traced: Traced | null): void {
    if (traced === this.traced) return;
    this.traced = traced;
    this.redraw();
  }

  /** The centre of an element in pixels of the container. */
  place({ x = 0, y = 0 }: Element): { x: number; y: number } {
    return { x: x * this.camera.scale + this.camera.x, y: y * this.camera.scale + this.camera.y };
  }

  /** The current view as a PNG of twice the resolution, on the background of the theme. */
  async picture(): Promise<Blob | null> {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [this.stage.width() * 2, this.stage.height() * 2];
    const ctx = canvas.getContext('2d');
    if (!ctx) return null;
    ctx.scale(2, 2);
    ctx.fillStyle = this.palette.ground;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    for (const pass of ['ground', 'live'] as const) this.scene(ctx, pass);
    return new Promise((give) => canvas.toBlob(give, 'image/png'));
  }

  /** The texts that are shown at the present scale, with their sizes and places on the screen, px. */
  written(): readonly { text: string; px: number; x: number; y: number }[] {
    const { scale, x, y } = this.camera;
    return this.names.labels.map((label) => ({ text: label.text, px: Math.round(atLeast(label.size, scale) * scale * 10) / 10, x: label.x * scale + x, y: label.y * scale + y }));
  }

  fit(): void {
    this.kept = 'whole';
    this.set(this.fitted());
  }

  zoom(factor: number, at?: { x: number; y: number }): void {
    this.kept = null;
    this.set(zoom(this.camera, factor, at ?? { x: this.stage.width() / 2, y: this.stage.height() / 2 }));
  }

  pan(dx: number, dy: number): void {
    this.kept = null;
    this.set(pan(this.camera, dx, dy));
  }

  /** Converts a position in the container to drawing units, and returns the scale. */
  locate(x: number, y: number): { x: number; y: number; scale: number } {
    return { ...toDrawing(this.camera, { x, y }), scale: this.camera.scale };
  }

  private get size(): { width: number; height: number } {
    return { width: this.stage.width(), height: this.stage.height() };
  }

  private fitted(): Camera {
    return fit(this.view().drawing.size, this.size);
  }

  private opened(): Camera {
    const { drawing } = this.view();
    return drawing.networkNodes ? rowOpening(drawing, this.size) : opening(drawing.size, this.size);
  }

  private set(camera: Camera): void {
    this.camera = camera;
    this.onCamera(camera);
    this.refresh();
  }

  private scene(ctx: CanvasRenderingContext2D, pass: Pass): void {
    const { scale, x, y } = this.camera;
    const view = this.view();
    const window: Box = { left: -x / scale, top: -y / scale, right: (this.stage.width() - x) / scale, bottom: (this.stage.height() - y) / scale };
    ctx.save();
    const names = this.placing(ctx);
    ctx.translate(x, y);
    ctx.scale(scale, scale);
    if (pass === 'ground' && this.traced) {
      const seen = this.boxes.filter(({ box }) => intersects(box, window)).map(({ element }) => element);
      drawTrace(ctx, seen, this.traced, this.palette, scale);
    }
    for (const { element, box } of this.boxes) {
      if (!intersects(box, window)) continue;
      const lift = names.lifts.get(element.id);
      draw(ctx, lift === undefined ? element : { ...element, y: (element.y ?? 0) + lift }, view, this.palette, scale, pass);
      if (pass === 'live' && element.id === this.selected) this.ring(ctx, element);
    }
    if (pass === 'ground') for (const label of names.labels) if (intersects(boxOf(label.element), window)) writeLabel(ctx, this.palette, scale, label);
    ctx.restore();
  }

  /** The names at the current scale. They depend on nothing else, so moving the view does not place them again. */
  private placing(ctx: CanvasRenderingContext2D): Placing {
    const { scale } = this.camera;
    if (this.names.scale === scale) return this.names;
    const widthOf = (text: string, strong: boolean) => {
      const key = `${strong} ${text}`;
      let width = this.widths.get(key);
      if (width === undefined) {
        ctx.font = `${strong ? 600 : 400} 100px ${this.palette.font}`;
        this.widths.set(key, (width = ctx.measureText(text).width / 100));
      }
      return width;
    };
    const { drawing, low } = this.view();
    this.names = { scale, ...placed(drawing.elements, scale, widthOf, low) };
    return this.names;
  }

  private ring(ctx: CanvasRenderingContext2D, element: Element): void {
    const half = extent(element) + 7;
    ctx.strokeStyle = this.palette.focus;
    ctx.lineWidth = 2;
    ctx.setLineDash([]);
    ctx.strokeRect((element.x ?? 0) - half, (element.y ?? 0) - half, half * 2, half * 2);
  }
}

/** The colours of the current theme. */
function paletteOf(element: HTMLElement): Palette {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const levels: [number, string][] = [
    [100, token('--kv-132')],
    [20, token('--kv-33')],
    [2, token('--kv-11')],
    [0, token('--kv-0-44')],
  ];
  return {
    ground: token('--surface-0'),
    text1: token('--text-1'),
    text2: token('--text-2'),
    text3: token('--text-3'),
    closed: token('--closed'),
    open: token('--open'),
    warn: token('--warn'),
    alarm: token('--alarm'),
    focus: token('--focus'),
    stale: token('--dead'),
    dead: token('--dead'),
    earthed: token('--earthed'),
    unknown: token('--topology-unknown'),
    trace: token('--trace'),
    onMark: token('--on-alarm'),
    font: token('--font') || 'sans-serif',
    level: (kv) => levels.find(([from]) => (kv ?? 0) >= from)?.[1] ?? token('--text-2'),
  };
}
