// A figure on a canvas. Mouse, touch and keys select a stop, whose values are shown in a tooltip.
import { useEffect, useId, useLayoutEffect, useRef, useState, type CSSProperties, type KeyboardEvent, type PointerEvent } from 'react';
import './chart.css';
import type { Figure, Ink } from './ink';
import { usePalette } from './palette';
import { t } from '../words';

interface Props {
  readonly figure: Figure;
  /** Description for screen readers. */
  readonly label: string;
  readonly height: number;
  /** Called when the user chooses a stop to see its details. */
  readonly onPick?: ((stop: number) => void) | undefined;
}

/** Distance of the tooltip from its stop, and its largest width, px. */
const BESIDE = 14;
const WIDE = 240;

export function Drawn({ figure, label, height, onPick }: Props) {
  const palette = usePalette();
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const isReading = useRef(false);
  const [width, setWidth] = useState(0);
  const [pointed, setPointed] = useState<number | null>(null);
  const [spoken, setSpoken] = useState('');
  // The figure may have changed and have fewer stops.
  const at = pointed !== null && pointed < figure.stops ? pointed : null;
  useEffect(() => {
    const own = box.current;
    if (!own) return;
    const sized = new ResizeObserver(() => setWidth(own.clientWidth));
    sized.observe(own);
    setWidth(own.clientWidth);
    return () => sized.disconnect();
  }, []);
  useLayoutEffect(() => {
    const own = canvas.current;
    const context = own?.getContext('2d');
    if (!own || !context || width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    own.width = Math.round(width * ratio);
    own.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.lineJoin = 'round';
    const font = getComputedStyle(document.body).fontFamily || 'sans-serif';
    figure.draw(context as unknown as Ink, { width, height, palette, font, at });
  }, [figure, width, height, palette, at]);
  const size = { width, height };
  const stopUnder = (event: PointerEvent) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return figure.nearest(event.clientX - left, event.clientY - top, size);
  };
  const go = (stop: number) => {
    const next = Math.min(Math.max(stop, 0), figure.stops - 1);
    if (next < 0) return;
    setPointed(next);
    const { title, said, note } = figure.told(next, palette);
    setSpoken([title, ...said.map(({ label, text }) => `${label ?? ''} ${text}`.trim()), note].filter(Boolean).join(', '));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const far = Math.max(1, Math.round(figure.stops / 10));
    const act = {
      ArrowRight: () => go(at === null ? 0 : at + 1),
      ArrowDown: () => go(at === null ? 0 : at + 1),
      ArrowLeft: () => go(at === null ? figure.stops - 1 : at - 1),
      ArrowUp: () => go(at === null ? figure.stops - 1 : at - 1),
      PageDown: () => go((at ?? 0) + far),
      PageUp: () => go((at ?? figure.stops) - far),
      Home: () => go(0),
      End: () => go(figure.stops - 1),
      Escape: () => setPointed(null),
      Enter: () => at !== null && onPick?.(at),
    }[event.key];
    if (!act || (event.key === 'Escape' && at === null)) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };
  const told = at === null ? null : figure.told(at, palette);
  const place = at === null ? null : figure.placeOf(at, size);
  return (
    <>
      <div
        ref={box}
        className="chart-box drawn"
        data-pick={Boolean(onPick)}
        style={{ height }}
        role="application"
        aria-label={label}
        aria-describedby={`${id}-keys`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerMove={(event) => setPointed(stopUnder(event))}
        onPointerDown={(event) => {
          const stop = stopUnder(event);
          // With touch, the first tap shows the values and the second chooses the stop.
          isReading.current = event.pointerType !== 'mouse' && stop !== at;
          setPointed(stop);
          box.current?.focus({ preventScroll: true });
        }}
        onPointerLeave={(event) => event.pointerType === 'mouse' && setPointed(null)}
        onBlur={() => setPointed(null)}
        onClick={(event) => {
          if (isReading.current) return;
          const stop = stopUnder(event as unknown as PointerEvent);
          if (stop !== null) onPick?.(stop);
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      {told && place && (
        <div className="chart-tip" aria-hidden="true" style={tipStyle(place.x, place.y, width)}>
          <b>{told.title}</b>
          {told.said.map(({ label, colour, text }, index) => (
            <span key={`${index} ${label}`} style={{ '--own': colour } as CSSProperties}>
              <i />
              {label} <em>{text}</em>
            </span>
          ))}
          {told.note && <small>{told.note}</small>}
        </div>
      )}
      <span id={`${id}-keys`} className="visually-hidden">
        {onPick ? t('charts.keysAndEnter') : t('charts.keysOfStops')}
      </span>
      <span className="visually-hidden" role="status">
        {spoken}
      </span>
    </>
  );
}

/** Places the tooltip beside the stop, on the side with room. */
function tipStyle(x: number, y: number, width: number): CSSProperties {
  const top = Math.max(y, 0);
  return x + BESIDE + WIDE > width && x > width / 2 ? { right: width - x + BESIDE, top } : { left: x + BESIDE, top };
}
