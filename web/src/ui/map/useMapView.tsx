// Moving and zooming a map by wheel, pointer and keys, and the tools below it.
import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { scaleBar, type Projection } from './project';
import { t } from '../../words';

export interface MapView {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

const WHOLE: MapView = { scale: 1, x: 0, y: 0 };
const [LEAST, MOST] = [0.5, 20] as const;
/** Movement of the pointer, px, below which a press is a click. */
const STILL = 4;

export function useMapView() {
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [view, setView] = useState(WHOLE);
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const wasMoved = useRef(false);
  const zoom = useCallback((factor: number, x: number, y: number) => {
    setView((before) => {
      const scale = Math.min(MOST, Math.max(LEAST, before.scale * factor));
      const change = scale / before.scale;
      return { scale, x: x - (x - before.x) * change, y: y - (y - before.y) * change };
    });
  }, []);
  useEffect(() => {
    const own = frame.current;
    if (!own) return;
    const observer = new ResizeObserver(() => setSize({ width: own.clientWidth, height: own.clientHeight }));
    observer.observe(own);
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = own.getBoundingClientRect();
      zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1, event.clientX - left, event.clientY - top);
    };
    own.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      own.removeEventListener('wheel', onWheel);
    };
  }, [zoom]);
  const step = (factor: number) => zoom(factor, size.width / 2, size.height / 2);
  const fit = () => setView(WHOLE);
  const hands = {
    onPointerDown: (event: PointerEvent<HTMLDivElement>) => {
      if (event.button !== 0) return;
      wasMoved.current = false;
      drag.current = { x: event.clientX, y: event.clientY, moved: false };
    },
    onPointerMove: (event: PointerEvent<HTMLDivElement>) => {
      const held = drag.current;
      if (!held) return;
      const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
      if (!held.moved && Math.hypot(dx, dy) < STILL) return;
      if (!held.moved) event.currentTarget.setPointerCapture(event.pointerId);
      wasMoved.current = true;
      drag.current = { x: event.clientX, y: event.clientY, moved: true };
      setView((before) => ({ ...before, x: before.x + dx, y: before.y + dy }));
    },
    onPointerUp: () => void (drag.current = null),
    onPointerCancel: () => void (drag.current = null),
    onPointerLeave: (event: PointerEvent<HTMLDivElement>) => void (event.buttons === 0 && (drag.current = null)),
    onKeyDown: (event: KeyboardEvent) => {
      const moves: Readonly<Record<string, () => void>> = { '+': () => step(1.2), '-': () => step(1 / 1.2), '0': fit };
      moves[event.key]?.();
    },
  };
  return { frame, size, view, setView, step, fit, hands, wasMoved };
}

/** The scale bar and the zoom buttons. */
export function MapTools({ shown, view, step, fit }: { shown: Projection | null } & Pick<ReturnType<typeof useMapView>, 'view' | 'step' | 'fit'>) {
  const bar = shown && scaleBar(shown.kmPer100 / view.scale);
  return (
    <>
      {bar && (
        <div className="scale-bar" style={{ width: bar.px }} aria-hidden="true">
          {bar.km >= 1 ? `${bar.km} km` : `${Math.round(bar.km * 1_000)} m`}
        </div>
      )}
      <div className="zoom">
        <button type="button" aria-label={t('network.zoomOut')} onClick={() => step(1 / 1.2)}>
          −
        </button>
        <button type="button" aria-label={t('network.zoomIn')} onClick={() => step(1.2)}>
          +
        </button>
        <button type="button" onClick={fit}>
          {t('network.fit')}
        </button>
      </div>
    </>
  );
}
