// The highlighted part of a diagram: which elements and nodes it has, and how it differs from the rest without colour.
import { expect, test } from 'vitest';
import type { Drawing, Element } from '../../wire/sld';
import type { Palette } from './symbols/sheet';
import { drawTrace, tracedOn } from './trace';

const none = { elements: [], numbers: [], equipment: [], nodes: [], locationIds: [], assetIds: [] };
const elements: Element[] = [
  { id: 'cb', class: 'breaker', x: 0, y: 40, equipment: 'Q/F1CB' },
  { id: 'line', class: 'line', parts: [{ node: 0, path: [[0, 0], [0, 40]] }, { node: 1, path: [[0, 40], [0, 90]] }] },
  { id: 'bus', class: 'busbar', x1: 0, y1: 0, x2: 90, y2: 0, nodes: [0] },
  { id: 'text', class: 'text', x: 0, y: 0 },
];
const drawing: Drawing = { format: 'switchyard-sld', version: 1, name: 'S', size: { width: 9, height: 9 }, elements, points: {}, wiring: 'w1' };

test('elements and nodes of a substation count only with the wiring that is shown', () => {
  const drawn = { wiring: 'w1', path: { ...none, elements: ['cb'], numbers: [0] }, feeds: none };
  expect(tracedOn(drawing, drawn, 'path')).toEqual({ kind: 'path', elements: new Set(['cb']), nodes: new Set([0]) });
  expect(tracedOn({ ...drawing, wiring: 'w2' }, drawn, 'path')).toBeNull();
  expect(tracedOn(drawing, { ...drawn, wiring: null }, 'path')).toBeNull();
});

test('elements and nodes of a feeder are found by their ids in the network', () => {
  const drawn = { wiring: null, path: none, feeds: { ...none, equipment: ['Q/F1CB'], nodes: ['line'] } };
  expect(tracedOn({ ...drawing, networkNodes: ['bus', 'line', null] }, drawn, 'feeds')).toEqual({ kind: 'feeds', elements: new Set(['cb']), nodes: new Set([1]) });
});

test('a line that is equipment is highlighted by itself, not with the node that it shares with others', () => {
  const lines: Element[] = ['a', 'b'].map((id) => ({ id, class: 'line', equipment: id, parts: [{ node: 0, path: [[0, 0], [0, 9]] }] }));
  let strokes = 0;
  const ctx = new Proxy({}, { get: (_, key) => (key === 'stroke' ? () => (strokes += 1) : () => undefined), set: () => true }) as CanvasRenderingContext2D;
  drawTrace(ctx, lines, { kind: 'path', elements: new Set(['a']), nodes: new Set([0]) }, { trace: 'TRACE', ground: 'GROUND' } as Palette, 1);
  expect(strokes).toBe(2);
});

test('a path has solid rails and a fed part dashed ones, beside the conductors and around the devices', () => {
  const calls = (kind: 'path' | 'feeds') => {
    const made: string[] = [];
    let dash: number[] = [];
    const state: Record<string, unknown> = { setLineDash: (next: number[]) => (dash = next) };
    const ctx = new Proxy(state, {
      get: (target, key: string) => {
        if (key === 'stroke' || key === 'strokeRect') return () => made.push(`${key} ${String(target.strokeStyle)} ${dash.length > 0 ? 'dashed' : 'solid'} ${String(target.lineWidth)}`);
        if (key === 'fillRect') return () => made.push(`${key} ${String(target.fillStyle)}`);
        return key in target ? target[key] : () => undefined;
      },
      set: (target, key: string, value) => {
        target[key] = value;
        return true;
      },
    }) as unknown as CanvasRenderingContext2D;
    drawTrace(ctx, elements, { kind, elements: new Set(['cb']), nodes: new Set([0]) }, { trace: 'TRACE', ground: 'GROUND' } as Palette, 1);
    return made;
  };
  expect(calls('path')).toEqual(['stroke TRACE solid 12', 'stroke TRACE solid 14', 'strokeRect TRACE solid 4', 'stroke GROUND solid 8', 'stroke GROUND solid 10', 'fillRect GROUND']);
  expect(calls('feeds').slice(0, 3)).toEqual(['stroke TRACE dashed 12', 'stroke TRACE dashed 14', 'strokeRect TRACE dashed 4']);
});
