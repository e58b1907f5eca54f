// One chart, drawn by uPlot and operated with mouse and keyboard. All charts of a column share the crosshair.
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { qualityLetter } from '../live/freshness';
import { aligned, hasEnvelope, placeOf } from './aligned';
import './chart.css';
import { listen, pan, pointAt } from './gestures';
import { useGroup } from './group';
import { figure, isColumns, labelOf, type ChartData, type Look } from './model';
import { colourOf, optionsOf } from './options';
import { usePalette } from './palette';
import type { Said } from './readout';
import { fullTime } from './ticks';
import { useChart } from './useChart';
import { t } from '../words';

interface Props {
  readonly data: ChartData;
  readonly look: Look;
  /** Description for screen readers. */
  readonly label: string;
  readonly height: number;
}

const NONE = { code: '' };

/** Returns the earlier object as long as its JSON is the same. */
function useSame<T>(value: T): T {
  const held = useRef(value);
  if (held.current !== value && JSON.stringify(held.current) !== JSON.stringify(value)) held.current = value;
  return held.current;
}

export function Chart({ data, look, label, height }: Props) {
  const group = useGroup();
  const palette = usePalette();
  const id = useId();
  const [spoken, setSpoken] = useState('');
  const columns = useSame(data.columns.map(({ code, name, phase, unit, decimals }) => ({ code, name, phase, unit, decimals })));
  const sameLook = useSame(look);
  const envelope = hasEnvelope(data);
  // The length of the buckets matters only for the width of columns.
  const bucketMs = columns.some((column) => isColumns(column, sameLook)) ? data.bucketMs : 0;
  const latest = useRef({ data, group });
  useEffect(() => {
    latest.current = { data, group };
  });
  const { zone, sync, readout, range } = group;
  const values = useMemo(() => aligned(data, sameLook), [data, sameLook]);
  const doubtful = useMemo(() => {
    const qualities = data.columns.map(({ quality }) => quality);
    return qualities.some((quality) => quality.some((code) => (code ?? 0) > 0)) ? qualities : [];
  }, [data]);
  const doubt = useRef(doubtful);
  doubt.current = doubtful;
  const options = useMemo(() => {
    const font = getComputedStyle(document.body).fontFamily || 'sans-serif';
    const base = optionsOf({ columns, envelope, look: sameLook, zone, palette, font, bucketMs, qualities: () => doubt.current });
    const places = envelope ? 3 : 1;
    const colourAt = (index: number) => (columns[index] ? colourOf(columns[index], index, sameLook, palette) : palette.text);
    const isLine = (place: number) => (place - 1) % places === 0 && !isColumns(columns[(place - 1) / places] ?? NONE, sameLook);
    const tell = (u: uPlot) => {
      const { data, group } = latest.current;
      const { left } = u.cursor;
      const at = left == null || left < 0 ? null : u.posToVal(left, 'x');
      if (at === null) return group.readout.say(id, null);
      const place = placeOf(data.times, data.bucketMs, at);
      const said = columns.map((column, index): Said => {
        const own = data.columns[index];
        const letter = qualityLetter((place === null ? null : own?.quality[place]) ?? 0);
        const value = figure(place === null ? null : own?.mean[place], column.decimals);
        const text = [letter, value, column.unit].filter(Boolean).join(' ');
        return { label: columns.length > 1 ? labelOf(column, sameLook) : null, colour: colourOf(column, index, sameLook, palette), text };
      });
      group.readout.say(id, { time: fullTime(place === null ? at : (data.times[place] ?? at), data.bucketMs || 1, zone), said });
    };
    return {
      ...base,
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false, dist: 5 },
        sync: { key: sync, scales: ['x', null], filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' } },
        points: {
          show: (_, place) => (isLine(place) ? dot() : (undefined as unknown as HTMLElement)),
          size: 6,
          fill: (_, place) => colourAt((place - 1) / places),
          stroke: palette.ground,
          width: 1,
        },
        dataIdx: (_, __, ___, at) => placeOf(latest.current.data.times, latest.current.data.bucketMs, at) as number,
        bind: {
          mousedown: (u, _, otherwise) => (event: MouseEvent) => {
            if (event.button === 0 && event.shiftKey) pan(u, event, (range) => latest.current.group.setRange(range));
            else otherwise(event);
            return null;
          },
          dblclick: () => () => {
            latest.current.group.back();
            return null;
          },
        },
      },
      hooks: {
        ...base.hooks,
        setCursor: [tell],
        setSelect: [
          (u: uPlot) => {
            const { left, width } = u.select;
            if (width < 5) return;
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            latest.current.group.setRange({ from: u.posToVal(left, 'x'), to: u.posToVal(left + width, 'x') });
          },
        ],
      },
    } satisfies Omit<uPlot.Options, 'width' | 'height'>;
  }, [columns, envelope, sameLook, zone, palette, bucketMs, sync, id]);
  const { box, chart } = useChart(options, values, range, height);
  useEffect(
    () =>
      readout.offer(
        id,
        columns.map((column, index) => ({
          label: labelOf(column, sameLook),
          colour: colourOf(column, index, sameLook, palette),
          isDashed: sameLook.styles[column.code]?.dash !== undefined,
          isColumn: isColumns(column, sameLook),
        })),
      ),
    [readout, id, columns, sameLook, palette],
  );
  useEffect(() => {
    const own = box.current;
    if (!own) return;
    const stop = new AbortController();
    listen(
      own,
      () => chart.current,
      () => latest.current.group,
      stop.signal,
    );
    return () => stop.abort();
  }, [box, chart]);
  const step = (by: number) => {
    const drawn = chart.current;
    const { times } = data;
    if (!drawn || times.length === 0) return;
    const [first, last] = drawn.series[0]?.idxs ?? [0, times.length - 1];
    const before = drawn.cursor.left != null && drawn.cursor.left >= 0 ? (drawn.cursor.idx ?? null) : null;
    const next = before === null ? (by > 0 ? first : last) : Math.min(Math.max(before + by, first), last);
    pointAt(drawn, drawn.valToPos((times[next] ?? 0) + data.bucketMs / 4, 'x'));
    const shown = readout.snapshot();
    setSpoken(
      shown ? `${shown.time}, ${shown.groups.map(({ label, texts }) => `${label ?? ''} ${texts.join(' ')}`.trim()).join(', ')}` : '',
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const act = {
      ArrowRight: () => (event.shiftKey ? group.move(0.25) : step(1)),
      ArrowLeft: () => (event.shiftKey ? group.move(-0.25) : step(-1)),
      PageDown: () => step(Math.max(1, Math.round(data.times.length / 20))),
      PageUp: () => step(-Math.max(1, Math.round(data.times.length / 20))),
      '+': () => group.zoom(0.5),
      '=': () => group.zoom(0.5),
      '-': () => group.zoom(2),
      '0': () => group.back(),
      Escape: () => chart.current && pointAt(chart.current, -10),
    }[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div
        ref={box}
        className="chart-box"
        style={{ height }}
        role="application"
        aria-label={label}
        aria-describedby={`${id}-keys`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerEnter={() => chart.current?.syncRect()}
        onPointerDown={() => box.current?.focus({ preventScroll: true })}
      />
      <span id={`${id}-keys`} className="visually-hidden">
        {t('charts.keys')}
      </span>
      <span className="visually-hidden" role="status">
        {spoken}
      </span>
    </>
  );
}

function dot(): HTMLElement {
  const made = document.createElement('div');
  made.className = 'u-cursor-pt';
  return made;
}
