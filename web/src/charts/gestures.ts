// Moving and zooming a chart with wheel, mouse and touch. One finger reads values; two fingers move and zoom.
import uPlot from 'uplot';
import { kept, type Range } from './range';

/** The effects of gestures. */
export interface Moves {
  readonly setRange: (range: Range) => void;
  readonly zoom: (factor: number, at: number) => void;
}

/** Zoom of the wheel for each pixel of scrolling, and the largest zoom of one event. */
const WHEEL = 0.002;
const WHEEL_MOST = 1;

/**
 * Listens to a chart's box until `signal` aborts. The wheel scrolls the page unless the chart has the focus or Ctrl is pressed.
 */
export function listen(box: HTMLElement, chart: () => uPlot | null, moves: () => Moves, signal: AbortSignal): void {
  // React's wheel listener is passive, so it cannot prevent scrolling.
  const onWheel = (event: WheelEvent) => {
    const drawn = chart();
    if (!drawn || !(event.ctrlKey || box.contains(document.activeElement))) return;
    event.preventDefault();
    const turn = Math.max(-WHEEL_MOST, Math.min(WHEEL_MOST, event.deltaY * WHEEL));
    moves().zoom(Math.exp(turn), drawn.posToVal(event.clientX - drawn.over.getBoundingClientRect().left, 'x'));
  };
  box.addEventListener('wheel', onWheel, { passive: false, signal });

  /** Positions of the fingers by pointer id, px from the left edge of the chart. */
  const fingers = new Map<number, number>();
  /** The times under the two fingers when the second one touched the chart. */
  let held: readonly [number, number] | null = null;
  const placeOf = (event: PointerEvent, drawn: uPlot) => event.clientX - drawn.over.getBoundingClientRect().left;
  const onDown = (event: PointerEvent) => {
    const drawn = chart();
    if (!drawn || event.pointerType === 'mouse') return;
    fingers.set(event.pointerId, placeOf(event, drawn));
    const [one, two] = [...fingers.values()];
    held = one !== undefined && two !== undefined ? [drawn.posToVal(one, 'x'), drawn.posToVal(two, 'x')] : null;
    if (one !== undefined && !held) pointAt(drawn, one);
  };
  const onMove = (event: PointerEvent) => {
    const drawn = chart();
    if (!drawn || !fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, placeOf(event, drawn));
    const [one, two] = [...fingers.values()];
    if (one === undefined) return;
    if (held && two !== undefined) moves().setRange(pinched(held, [one, two], drawn.over.clientWidth));
    else pointAt(drawn, one);
  };
  const onUp = (event: PointerEvent) => {
    fingers.delete(event.pointerId);
    held = null;
  };
  box.addEventListener('pointerdown', onDown, { signal });
  box.addEventListener('pointermove', onMove, { signal });
  for (const end of ['pointerup', 'pointercancel'] as const) box.addEventListener(end, onUp, { signal });
}

/** Smallest distance of two fingers that changes the zoom, px. */
const NEAREST = 20;

/** The span that places the two held times under the fingers again. */
export function pinched([first, second]: readonly [number, number], [one, two]: readonly [number, number], width: number): Range {
  const apart = Math.abs(two - one) < NEAREST ? NEAREST * (two < one ? -1 : 1) : two - one;
  const perPixel = Math.abs((second - first) / apart);
  const middle = (first + second) / 2;
  const at = (one + two) / 2;
  return kept({ from: middle - at * perPixel, to: middle + (width - at) * perPixel }, Infinity);
}

/** Moves the span with the mouse until the button is released. */
export function pan(chart: uPlot, event: MouseEvent, setRange: (range: Range) => void): void {
  const { min, max } = chart.scales.x ?? {};
  if (min == null || max == null) return;
  const perPixel = (max - min) / chart.over.clientWidth;
  const stop = new AbortController();
  const { signal } = stop;
  const move = ({ clientX }: MouseEvent) => {
    const by = (event.clientX - clientX) * perPixel;
    setRange(kept({ from: min + by, to: max + by }, Infinity));
  };
  window.addEventListener('mousemove', move, { signal });
  for (const end of ['mouseup', 'blur']) window.addEventListener(end, () => stop.abort(), { signal });
}

/** Places the crosshair in all charts of the column. uPlot's types lack the argument that includes the other charts. */
export function pointAt(chart: uPlot, left: number): void {
  const setCursor: (at: { left: number; top: number }, isTold: boolean, areOthersTold: boolean) => void = chart.setCursor;
  setCursor({ left, top: left < 0 ? left : 10 }, true, true);
}
