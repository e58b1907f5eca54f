// uPlot in React: one chart for as long as its options are the same, data and span put into it, its size that of its box, gone without a
// trace.
import { useEffect, useRef, type RefObject } from 'react';
import uPlot from 'uplot';
import type { Aligned } from './aligned';
import type { Range } from './range';

export interface Drawn {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly chart: RefObject<uPlot | null>;
}

/** `options` decides the chart's identity: keep the object while nothing about it changes. */
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

/** A chart in its box, drawn at once and once: nothing is left in the queue for it. */
export function made(options: uPlot.Options, data: Aligned, range: Range, box: HTMLElement): uPlot {
  return new uPlot(options, data as uPlot.AlignedData, (chart, start) => {
    box.appendChild(chart.root);
    chart.batch(() => {
      start();
      chart.setScale('x', { min: range.from, max: range.to });
    });
  });
}

/** Puts data and span in at once, so that the chart is drawn once. */
function show(chart: uPlot, data: Aligned | null, { from, to }: Range): void {
  chart.batch(() => {
    if (data) chart.setData(data as uPlot.AlignedData, false);
    chart.setScale('x', { min: from, max: to });
  });
}
