// The live single-line diagram: React makes the frame and listens, the renderer draws.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { inspect } from '../../live/inspect';
import { useLink, useLive, useServerSecond } from '../../live/live';
import type { Drawing } from '../../wire/sld';
import { pick } from './boxes';
import { BUTTON_STEP, WHEEL_STEP } from './camera';
import { Renderer } from './renderer';
import { shown, type View } from './state';

interface Props {
  drawing: Drawing;
  selected: string | null;
  onSelect(element: string | null): void;
  theme: string;
  /** Whether the first snapshot is here. */
  ready: boolean;
}

const PAN_PX = 60;

export function Diagram({ drawing, selected, onSelect, theme, ready }: Props) {
  const { points, connection } = useLive();
  const link = useLink();
  const second = useServerSecond();
  const frame = useRef<HTMLDivElement>(null);
  const renderer = useRef<Renderer | null>(null);
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const [percent, setPercent] = useState(100);

  const view = useMemo<() => View>(
    () => () => ({ drawing, point: (id) => points.get(id), serverNow: connection.clock.now() ?? Date.now(), linkUp: connection.link().up }),
    [drawing, points, connection],
  );

  useEffect(() => {
    const container = frame.current;
    if (!container) return;
    const made = new Renderer(container, view, (camera) => setPercent(Math.round(camera.scale * 100)));
    renderer.current = made;
    const stopBatches = points.onBatch(() => made.refresh());
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(container);
    // Fonts change the width of texts: once they are here, draw again.
    void document.fonts?.ready.then(() => made.refresh());
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = container.getBoundingClientRect();
      made.zoom(event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP, { x: event.clientX - left, y: event.clientY - top });
    };
    container.addEventListener('wheel', onWheel, { passive: false });
    inspect({
      elements: () => drawing.elements.filter((element) => element.position).map((element) => ({ id: element.id, name: element.name, class: element.class, ...shown(view(), element) })),
    });
    return () => {
      stopBatches();
      observer.disconnect();
      container.removeEventListener('wheel', onWheel);
      made.destroy();
      renderer.current = null;
    };
  }, [view, points, connection, drawing]);

  // Ages grow and the link may go without any value changing.
  useEffect(() => renderer.current?.refresh(), [second, link.up, ready]);
  useEffect(() => renderer.current?.retheme(), [theme]);
  useEffect(() => renderer.current?.select(selected), [selected, drawing]);

  const place = (event: PointerEvent<HTMLDivElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    drag.current = { ...place(event), moved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const held = drag.current;
    if (!held) return;
    const at = place(event);
    if (!held.moved && Math.hypot(at.x - held.x, at.y - held.y) < 4) return;
    renderer.current?.pan(at.x - held.x, at.y - held.y);
    drag.current = { ...at, moved: true };
  };
  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    const held = drag.current;
    drag.current = null;
    if (!held || held.moved || !renderer.current) return;
    const { x, y } = place(event);
    const at = renderer.current.locate(x, y);
    onSelect(pick(drawing.elements, at, at.scale)?.id ?? null);
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
    <>
      <div
        ref={frame}
        className="diagram"
        data-testid="sld"
        data-live={live}
        role="img"
        tabIndex={0}
        aria-label={`Single-line diagram of ${drawing.name}, ${drawing.elements.length} elements${link.up ? '' : ', not live'}. The list beside it has every device.`}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onKeyDown={onKeyDown}
      />
      <div className="zoom">
        <button type="button" aria-label="Zoom out" onClick={() => renderer.current?.zoom(1 / BUTTON_STEP)}>
          −
        </button>
        <span aria-live="off">{percent} %</span>
        <button type="button" aria-label="Zoom in" onClick={() => renderer.current?.zoom(BUTTON_STEP)}>
          +
        </button>
        <button type="button" aria-label="Fit to view" onClick={() => renderer.current?.fit()}>
          ⤢
        </button>
      </div>
    </>
  );
}
