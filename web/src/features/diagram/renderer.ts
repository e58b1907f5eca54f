// Draws the whole diagram with two Konva shapes: the ground (lines, names, states of the circuit), and above it all that depends on live
// values. Measured: one Konva node for each element does not keep the frame rate. The renderer does not use React.
import Konva from 'konva/lib/Core.js';
import { Shape } from 'konva/lib/Shape.js';
import type { Element } from '../../wire/sld';
import { boxOf, intersects, type Box } from './boxes';
import { fit, pan, toDrawing, zoom, type Camera } from './camera';
import type { View } from './state';
import { draw, type Pass } from './symbols/draw';
import { extent, type Palette } from './symbols/sheet';

/** If drawing takes longer than `SLOW_MS`, camera moves shift the drawn image, which is redrawn every `REDRAW_MS`. */
const SLOW_MS = 8;
const REDRAW_MS = 120;

export class Renderer {
  private stage: Konva.Stage;
  private ground = new Konva.Layer({ listening: false });
  private live = new Konva.Layer({ listening: false });
  private boxes: { element: Element; box: Box }[] = [];
  private camera: Camera = { scale: 1, x: 0, y: 0 };
  private palette: Palette;
  private selected: string | null = null;
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
    const { elements } = this.view().drawing;
    // Lines are below symbols, symbols below texts.
    const order = (element: Element) => (element.class === 'line' ? 0 : element.class === 'busbar' ? 1 : element.class === 'values' ? 3 : 2);
    this.boxes = elements.map((element) => ({ element, box: boxOf(element) })).sort((a, b) => order(a.element) - order(b.element));
    this.fit();
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

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (width === 0 || height === 0) return;
    const whole = this.isFitted();
    this.stage.size({ width, height });
    if (whole) this.fit();
    this.redraw();
  }

  retheme(): void {
    this.palette = paletteOf(this.container);
    this.redraw();
  }

  /** Selects an element and moves it into view. */
  select(id: string | null): void {
    if (id === this.selected) return;
    this.selected = id;
    const element = this.boxes.find((candidate) => candidate.element.id === id)?.element;
    const at = element && this.place(element);
    const [width, height] = [this.stage.width(), this.stage.height()];
    if (at && (at.x < 0 || at.y < 0 || at.x > width || at.y > height)) this.pan(width / 2 - at.x, height / 2 - at.y);
    this.refresh();
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

  fit(): void {
    this.set(this.fitted());
  }

  zoom(factor: number, at?: { x: number; y: number }): void {
    this.set(zoom(this.camera, factor, at ?? { x: this.stage.width() / 2, y: this.stage.height() / 2 }));
  }

  pan(dx: number, dy: number): void {
    this.set(pan(this.camera, dx, dy));
  }

  /** Converts a position in the container to drawing units, and returns the scale. */
  locate(x: number, y: number): { x: number; y: number; scale: number } {
    return { ...toDrawing(this.camera, { x, y }), scale: this.camera.scale };
  }

  private fitted(): Camera {
    return fit(this.view().drawing.size, { width: this.stage.width(), height: this.stage.height() });
  }

  private isFitted(): boolean {
    const { scale, x } = this.fitted();
    return Math.abs(scale - this.camera.scale) < 1e-6 && Math.abs(x - this.camera.x) < 1;
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
    const detail = scale < 0.25 ? 'symbols' : scale < 0.5 ? 'short' : 'full';
    ctx.save();
    ctx.translate(x, y);
    ctx.scale(scale, scale);
    for (const { element, box } of this.boxes) {
      if (!intersects(box, window)) continue;
      draw(ctx, element, view, this.palette, detail, pass);
      if (pass === 'live' && element.id === this.selected) this.ring(ctx, element);
    }
    ctx.restore();
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
    onMark: token('--on-alarm'),
    font: token('--font') || 'sans-serif',
    level: (kv) => levels.find(([from]) => (kv ?? 0) >= from)?.[1] ?? token('--text-2'),
  };
}
