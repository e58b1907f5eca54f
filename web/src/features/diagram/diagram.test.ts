// What symbols show: meaning, shape before colour, and never a live colour for what is not live.
import { expect, test } from 'vitest';
import { Quality, type Point } from '../../live/freshness';
import type { Drawing, Element } from '../../wire/sld';
import { pick } from './boxes';
import { fit, SCALE_MAX, SCALE_MIN, toDrawing, zoom } from './camera';
import { meaning, shown, type View } from './state';
import { draw, type Palette } from './symbols';

const breaker: Element = { id: 'b', class: 'breaker', x: 100, y: 100, kv: 11, position: { pointId: 7, doublePoint: true } };
const info = { address: 'F1/F1CB/Pos', asset: 1, assetName: 'F1 CB', code: 'Pos', kind: 'status', encoding: 'double', unit: '', decimals: 0, ageLimitMs: null };
const drawing: Drawing = { format: 'switchyard-sld', version: 1, name: 'S', size: { width: 1000, height: 500 }, elements: [breaker], points: { 7: info } };
const palette: Palette = { ground: 'ground', text1: 't1', text2: 't2', text3: 't3', closed: 'CLOSED', open: 'OPEN', warn: 'warn', alarm: 'alarm', focus: 'focus', stale: 'stale', font: 'f', level: () => 'LEVEL' };

function view(point: Point | undefined, linkUp = true): View {
  return { drawing, point: () => point, serverNow: 10_000, linkUp };
}

/** A context that writes down the fills, strokes and texts with their colours. */
function recorder() {
  const calls: string[] = [];
  const state: Record<string, unknown> = {};
  const ctx = new Proxy(state, {
    get: (target, key: string) => {
      if (['fillRect', 'strokeRect', 'fill', 'stroke', 'fillText'].includes(key)) {
        return (text: unknown) => calls.push(`${key}:${String(key.startsWith('stroke') ? target.strokeStyle : target.fillStyle)}${key === 'fillText' ? `:${String(text)}` : ''}`);
      }
      return key in target ? target[key] : () => undefined;
    },
    set: (target, key: string, value) => {
      target[key] = value;
      return true;
    },
  });
  return { calls, ctx: ctx as unknown as CanvasRenderingContext2D };
}

function drawn(point: Point | undefined, linkUp = true): string[] {
  const { calls, ctx } = recorder();
  draw(ctx, breaker, view(point, linkUp), palette, 'full');
  return calls;
}

test.each([
  ['double', 0, 'intermediate'],
  ['double', 1, 'open'],
  ['double', 2, 'closed'],
  ['double', 3, 'bad'],
  ['double', 9, 'bad'],
  ['double', null, 'bad'],
  ['single', 0, 'open'],
  ['single', 1, 'closed'],
  ['signal', 1, 'active'],
] as const)('%s %o is %s', (encoding, raw, expected) => {
  expect(meaning(encoding, raw, false)).toBe(expected);
});

test('inversion flips what is known and nothing else', () => {
  expect(meaning('double', 1, true)).toBe('closed');
  expect(meaning('signal', 0, true)).toBe('active');
  expect(meaning('double', 0, true)).toBe('intermediate');
});

test('closed is filled, open is hollow', () => {
  expect(drawn({ v: 2, q: 0, t: 1 })).toContain('fillRect:CLOSED');
  const open = drawn({ v: 1, q: 0, t: 1 });
  expect(open).toContain('strokeRect:OPEN');
  expect(open).not.toContain('fillRect:OPEN');
});

test.each([
  ['intermediate', { v: 0, q: 0, t: 1 }, true],
  ['communication lost', { v: 2, q: Quality.commLost, t: 1 }, true],
  ['link lost', { v: 2, q: 0, t: 1 }, false],
  ['never received', undefined, true],
] as const)('%s has a question mark and no live colour', (_, point, link) => {
  const calls = drawn(point, link);
  expect(calls.some((call) => call.endsWith(':?'))).toBe(true);
  expect(calls.some((call) => /CLOSED|OPEN/.test(call))).toBe(false);
  expect(shown(view(point, link), breaker).live && shown(view(point, link), breaker).meaning === 'closed').toBe(false);
});

test('the camera fits 90 percent and keeps its limits', () => {
  const camera = fit({ width: 1000, height: 500 }, { width: 500, height: 500 });
  expect(camera.scale).toBeCloseTo(0.45);
  expect(zoom(camera, 1e9, { x: 0, y: 0 }).scale).toBe(SCALE_MAX);
  expect(zoom(camera, 1e-9, { x: 0, y: 0 }).scale).toBe(SCALE_MIN);
  const at = { x: 123, y: 45 };
  expect(toDrawing(zoom(camera, 1.7, at), at).x).toBeCloseTo(toDrawing(camera, at).x);
});

test('a click finds the device near it, and nothing far away', () => {
  expect(pick([breaker], { x: 105, y: 96 }, 1)?.id).toBe('b');
  expect(pick([breaker], { x: 150, y: 96 }, 1)).toBeNull();
});
