// uPlot in React: one chart as long as its options stay the same. New data, spans and sizes are applied to it, and it is destroyed with its
// component.
import { useEffect, useRef, type RefObject } from 'react';
import uPlot from 'uplot';
import type { Aligned } from './aligned';
import type { Range } from './range';

export interface Drawn {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly chart: RefObject<uPlot | null>;
}

/** Keeps a chart in a box. A new `options` object creates a new chart, so pass the same object while it does not change. */
export function useChart(options: Omit<uPlot.Options, 'width' | 'height'>, data: Aligned, range: Range, height: number): Drawn {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef({ data, range });
  useEffect(() => {
    latest.current = { data, range };
  });
  useEffect(() => {
    const own = box.current;
    if (!own) return;
    const { data, range } = latest.current;
    const drawn = made({ ...options, width: own.clientWidth, height }, data, range, own);
    chart.current = drawn;
    const sized = new ResizeObserver(() => {
      if (own.clientWidth > 0 && own.clientWidth !== drawn.width) drawn.setSize({ width: own.clientWidth, height });
    });
    sized.observe(own);
    return () => {
      sized.disconnect();
      drawn.destroy();
      chart.current = null;
    };
  }, [options, height]);
  useEffect(() => {
    if (chart.current && chart.current.data !== (data as uPlot.AlignedData)) show(chart.current, data, latest.current.range);
  }, [data]);
  useEffect(() => {
    if (chart.current) show(chart.current, null, range);
  }, [range]);
  return { box, chart };
}

/** Creates a chart in its box and draws it once, synchronously, so that no drawing remains queued. */
export function made(options: uPlot.Options, data: Aligned, range: Range, box: HTMLElement): uPlot {
  return new uPlot(options, data as uPlot.AlignedData, (chart, start) => {
    box.appendChild(chart.root);
    chart.batch(() => {
      start();
      chart.setScale('x', { min: range.from, max: range.to });
    });
  });
}

/** Applies data and span in one batch, so that the chart is drawn once. */
function show(chart: uPlot, data: Aligned | null, { from, to }: Range): void {
  chart.batch(() => {
    if (data) chart.setData(data as uPlot.AlignedData, false);
    chart.setScale('x', { min: from, max: to });
  });
}
