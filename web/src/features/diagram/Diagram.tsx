// The live single-line diagram: React provides the frame and input, the renderer draws.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { inspect } from '../../live/inspect';
import { useLink, useLive, useServerSecond } from '../../live/live';
import type { Scene } from '../../live/scene';
import { useExports } from '../../ui/exports';
import type { Drawing } from '../../wire/sld';
import { pick } from './boxes';
import { BUTTON_STEP, WHEEL_STEP } from './camera';
import { Renderer } from './renderer';
import { bayOf, lowVoltage, nodeState, shown, type View } from './state';
import type { Traced } from './trace';
import { IEC60617, IEEE1975 } from './symbols/artwork';
import { t } from '../../words';

export interface Place {
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly drawing: Drawing;
  readonly scene: Scene;
  readonly selected: string | null;
  /** Whether the selection comes from elsewhere, such as an alarm or a search, and is shown in the middle. */
  readonly isCentred?: boolean;
  readonly onSelect: (element: string | null) => void;
  /** Opens the menu of an element at a position in the window. */
  readonly onMenu: (element: string, at: Place) => void;
  /** Changes when the colours change. */
  readonly theme: string;
  readonly symbolSet: 'ieee' | 'variant';
  readonly steady: boolean;
  /** Whether the first snapshot has arrived. */
  readonly ready: boolean;
  /** Content beside the zoom buttons, in a row that is always visible. */
  readonly foot?: ReactNode;
  /** A highlighted part. */
  readonly traced?: Traced | null;
  /** Content on top of a corner of the diagram, such as the legend of the highlighted part. */
  readonly over?: ReactNode;
}

const PAN_PX = 60;
const NO_ASSETS: ReadonlySet<number> = new Set();
/** How long a touch must last to open the menu, ms. */
const LONG_PRESS_MS = 550;
/** Half the period of blinking, ms: twice a second, in step with the server's clock. */
const PHASE_MS = 250;

export function Diagram({ drawing, scene, selected, isCentred = false, onSelect, onMenu, theme, symbolSet, steady, ready, foot = null, traced = null, over = null }: Props) {
  const { points, connection } = useLive();
  const link = useLink();
  const second = useServerSecond();
  const frame = useRef<HTMLDivElement>(null);
  const renderer = useRef<Renderer | null>(null);
  const drag = useRef<{ x: number; y: number; moved: boolean; pointers: Map<number, Place>; press?: ReturnType<typeof setTimeout> } | null>(null);
  const [percent, setPercent] = useState(100);
  const still = useRef(steady);
  const chosen = useRef(selected);
  useEffect(() => void (chosen.current = selected), [selected]);
  const highlighted = useRef(traced);
  useEffect(() => void (highlighted.current = traced), [traced]);

  const current = useRef({ drawing, low: NO_ASSETS });
  const view = useMemo<() => View>(() => {
    const symbols = symbolSet === 'variant' ? IEC60617 : IEEE1975;
    return () => {
      const serverNow = connection.clock.now() ?? Date.now();
      const { drawing, low } = current.current;
      return {
        drawing,
        low,
        symbols,
        point: (id) => points.get(id),
        node: (id) => nodeState(scene, drawing, id),
        flash: (id) => scene.flash(id),
        tags: (asset, bay) => scene.tags(asset, bay),
        command: (point) => scene.command(point),
        serverNow,
        linkUp: connection.link().up,
        phase: Math.floor(serverNow / PHASE_MS) % 2 === 0,
        steady: still.current,
      };
    };
  }, [points, connection, scene, symbolSet]);

  // Before the renderer is made. A mark on an element is another drawing of the same place, and a new renderer would move the view back to its start.
  useEffect(() => {
    current.current = { drawing, low: lowVoltage(drawing) };
    renderer.current?.take();
    renderer.current?.redraw();
  }, [drawing]);

  useEffect(() => {
    const container = frame.current;
    if (!container) return;
    const made = new Renderer(container, view, (camera) => setPercent(Math.round(camera.scale * 100)));
    renderer.current = made;
    const stopBatches = points.onBatch(() => made.refresh());
    const stopScene = scene.subscribe(() => made.redraw());
    const blink = setInterval(() => scene.flashes().length > 0 && !still.current && made.refresh(), PHASE_MS);
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(container);
    // Texts change their width when the fonts have loaded.
    void document.fonts?.ready.then(() => made.remeasure());
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = container.getBoundingClientRect();
      // A wheel with Shift, or one that turns sideways, moves along a wide diagram.
      const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) made.pan(-across, 0);
      else made.zoom(event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP, { x: event.clientX - left, y: event.clientY - top });
    };
    container.addEventListener('wheel', onWheel, { passive: false });
    inspect({
      elements: () => {
        const now = view();
        const { drawing } = now;
        const marks = (element: Drawing['elements'][number]) => ({ flash: now.flash(element.position?.pointId)?.[1] ?? null, tags: now.tags(element.assetId, bayOf(drawing, element.position?.pointId)).length, command: now.command(element.position?.pointId)?.state ?? null });
        return drawing.elements.filter((element) => element.position || element.normal).map((element) => ({ id: element.id, name: element.name, class: element.class, place: made.place(element), ...marks(element), ...shown(now, element) }));
      },
      wires: () => current.current.drawing.elements.flatMap((element) => (element.parts ?? []).map(({ node, path }) => ({ id: element.id, node, path, state: nodeState(scene, current.current.drawing, node) }))),
      traced: () => highlighted.current && { kind: highlighted.current.kind, elements: [...highlighted.current.elements], nodes: [...highlighted.current.nodes] },
      frames: () => made.frames,
      names: () => made.written(),
      selected: () => {
        const element = current.current.drawing.elements.find(({ id }) => id === chosen.current);
        return element ? { id: element.id, name: element.name, place: made.place(element) } : null;
      },
    });
    return () => {
      stopBatches();
      stopScene();
      clearInterval(blink);
      observer.disconnect();
      container.removeEventListener('wheel', onWheel);
      made.destroy();
      renderer.current = null;
    };
  }, [view, points, connection, scene]);

  // Ages increase without a change of a value. Losing the link changes the state of the circuit.
  useEffect(() => renderer.current?.refresh(), [second]);
  useEffect(() => renderer.current?.redraw(), [link.up, ready]);
  // A mark for measurements: the first drawing with values.
  useEffect(() => {
    if (ready) requestAnimationFrame(() => performance.mark('sld-drawn'));
  }, [ready]);
  useEffect(() => renderer.current?.retheme(), [theme]);
  useEffect(() => {
    still.current = steady;
    renderer.current?.refresh();
  }, [steady]);
  useEffect(() => renderer.current?.select(selected, isCentred), [selected, drawing, isCentred]);
  useEffect(() => renderer.current?.trace(traced), [traced, view, drawing, scene]);
  useExports([{ name: t('diagram.diagramAsPng'), file: drawing.name, extension: 'png', make: () => renderer.current?.picture() ?? null }]);

  const place = (event: { clientX: number; clientY: number }): Place => {
    const { left = 0, top = 0 } = frame.current?.getBoundingClientRect() ?? {};
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const found = (at: Place) => {
    const there = renderer.current?.locate(at.x, at.y);
    return there ? pick(drawing.elements, there, there.scale) : null;
  };
  const menu = (at: Place, client: Place) => {
    const element = found(at);
    if (!element) return;
    onSelect(element.id);
    onMenu(element.id, client);
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const at = place(event);
    const client = { x: event.clientX, y: event.clientY };
    const held = drag.current ?? { ...at, moved: false, pointers: new Map<number, Place>() };
    clearTimeout(held.press);
    held.pointers.set(event.pointerId, at);
    drag.current = held;
    event.currentTarget.setPointerCapture(event.pointerId);
    if (event.pointerType !== 'touch' || held.pointers.size > 1) return;
    held.press = setTimeout(() => {
      if (drag.current !== held || held.moved) return;
      drag.current = null;
      menu(at, client);
    }, LONG_PRESS_MS);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const held = drag.current;
    const before = held?.pointers.get(event.pointerId);
    if (!held || !before) return;
    const at = place(event);
    if (!held.moved && Math.hypot(at.x - before.x, at.y - before.y) < 4) return;
    held.moved = true;
    clearTimeout(held.press);
    // Two fingers zoom around the point between them, one finger moves.
    const other = [...held.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const factor = Math.hypot(at.x - other.x, at.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
      renderer.current?.zoom(factor, { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 });
    } else renderer.current?.pan(at.x - before.x, at.y - before.y);
    held.pointers.set(event.pointerId, at);
  };
  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    const held = drag.current;
    if (!held) return;
    clearTimeout(held.press);
    held.pointers.delete(event.pointerId);
    if (held.pointers.size > 0) return;
    drag.current = null;
    if (!held.moved) onSelect(found(place(event))?.id ?? null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act: Record<string, () => void> = {
      '+': () => renderer.current?.zoom(BUTTON_STEP),
      '=': () => renderer.current?.zoom(BUTTON_STEP),
      '-': () => renderer.current?.zoom(1 / BUTTON_STEP),
      '0': () => renderer.current?.fit(),
      ArrowLeft: () => renderer.current?.pan(PAN_PX, 0),
      ArrowRight: () => renderer.current?.pan(-PAN_PX, 0),
      ArrowUp: () => renderer.current?.pan(0, PAN_PX),
      ArrowDown: () => renderer.current?.pan(0, -PAN_PX),
    };
    if (event.ctrlKey || event.metaKey || !act[event.key]) return;
    event.preventDefault();
    act[event.key]?.();
  };

  const live = !ready ? 'loading' : link.up ? 'live' : 'lost';
  return (
    <div className="diagram-frame">
      <div className="diagram-view">
        <div
          ref={frame}
          className="diagram"
          data-testid="sld"
          data-live={live}
          role="img"
          tabIndex={0}
          aria-label={link.up ? t('diagram.singleLineDiagram', { name: drawing.name, count: drawing.elements.length }) : t('diagram.singleLineDiagramNotLive', { name: drawing.name, count: drawing.elements.length })}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerCancel={onPointerUp}
          onContextMenu={(event) => {
            event.preventDefault();
            menu(place(event), { x: event.clientX, y: event.clientY });
          }}
          onKeyDown={onKeyDown}
        />
        {over}
      </div>
      <div className="place-foot">
        {foot}
        <div className="zoom">
          <button type="button" aria-label={t('diagram.zoomOut')} onClick={() => renderer.current?.zoom(1 / BUTTON_STEP)}>
            −
          </button>
          <span aria-live="off">{percent} %</span>
          <button type="button" aria-label={t('diagram.zoomIn')} onClick={() => renderer.current?.zoom(BUTTON_STEP)}>
            +
          </button>
          <button type="button" aria-label={t('diagram.fitToView')} onClick={() => renderer.current?.fit()}>
            ⤢
          </button>
        </div>
      </div>
    </div>
  );
}
