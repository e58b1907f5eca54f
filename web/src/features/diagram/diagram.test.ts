// Tests of symbols: meaning, shape before colour, and no live colour for a value that is not live.
import { expect, test, vi } from 'vitest';
import { Quality, type Point } from '../../live/freshness';
import type { Drawing, Element } from '../../wire/sld';
import { pick } from './boxes';
import { centred, fit, opening, rowOpening, SCALE_MAX, SCALE_MIN, toDrawing, zoom } from './camera';
import { Scene } from '../../live/scene';
import { meaning, nodeState, shown, type View } from './state';
import { Energy } from '../../wire/control';
import { IEC60617, IEEE1975 } from './symbols/artwork';
import { draw, writeLabel } from './symbols/draw';
import { placed, TEXT_MIN_PX } from './symbols/labels';
import type { Palette } from './symbols/sheet';

const breaker: Element = { id: 'b', class: 'breaker', x: 100, y: 100, kv: 11, position: { pointId: 7, doublePoint: true } };
const info = { address: 'F1/F1CB/Pos', asset: 1, assetName: 'F1 CB', code: 'Pos', kind: 'status', encoding: 'double', unit: '', decimals: 0, ageLimitMs: null };
const drawing: Drawing = { format: 'switchyard-sld', version: 1, name: 'S', size: { width: 1000, height: 500 }, elements: [breaker], points: { 7: info } };
const palette: Palette = { ground: 'ground', text1: 't1', text2: 't2', text3: 't3', closed: 'CLOSED', open: 'OPEN', warn: 'warn', alarm: 'alarm', focus: 'focus', stale: 'stale', dead: 'DEAD', earthed: 'EARTHED', unknown: 'UNKNOWN', trace: 'TRACE', onMark: 'mark', font: 'f', level: () => 'LEVEL' };

function view(point: Point | undefined, linkUp = true): View {
  return { drawing, low: new Set(), point: () => point, serverNow: 10_000, linkUp, symbols: IEEE1975, node: () => Energy.unknown, flash: () => undefined, tags: () => [], command: () => undefined, phase: true, steady: false };
}

// The recorder records the path data.
vi.stubGlobal('Path2D', class { constructor(readonly d: string) {} });

/** A context that records fills, strokes and texts with their colours. */
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
  draw(ctx, breaker, view(point, linkUp), palette, 1, 'live');
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
  expect(drawn({ v: 2, q: 0, t: 1 })).toContain('fill:CLOSED');
  const open = drawn({ v: 1, q: 0, t: 1 });
  expect(open).toContain('stroke:OPEN');
  expect(open).not.toContain('fill:OPEN');
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

const wire: Element = { id: 'l', class: 'line', kv: 11, path: [[0, 0], [0, 9]], parts: [{ node: 4, path: [[0, 0], [0, 9]] }] };

test.each([
  ['energised', Energy.energised, 'LEVEL'],
  ['dead', Energy.dead, 'DEAD'],
  ['earthed', Energy.earthed, 'EARTHED'],
  ['earthed and live', Energy.conflict, 'alarm'],
  ['unknown', Energy.unknown, 'UNKNOWN'],
] as const)('a line that is %s has its own colour, and none of them while the link is down', (_, state, colour) => {
  const of = (linkUp: boolean) => {
    const { calls, ctx } = recorder();
    draw(ctx, wire, { ...view(undefined, linkUp), node: (id) => (id === 4 ? state : Energy.unknown) }, palette, 1, 'ground');
    return calls;
  };
  expect(of(true)).toEqual([`stroke:${colour}`]);
  expect(of(false)).toEqual(['stroke:stale']);
});

test('a trip has two frames, a change one, in step or steady; an acknowledged one has none', () => {
  const frames = (kind: 'trip' | 'change' | null, more: Partial<View>) => {
    const { calls, ctx } = recorder();
    draw(ctx, breaker, { ...view({ v: 1, q: 0, t: 1 }), flash: () => (kind ? [7, kind, 1] : undefined), ...more }, palette, 1, 'live');
    return calls.filter((call) => call.startsWith('strokeRect')).length;
  };
  expect([frames('trip', {}), frames('change', {}), frames(null, {})]).toEqual([2, 1, 0]);
  expect([frames('trip', { phase: false }), frames('trip', { phase: false, steady: true })]).toEqual([0, 2]);
});

test('tags and a command on its way stand on the symbol', () => {
  const { calls, ctx } = recorder();
  const tag = { id: 1, scope: 'device' as const, assetId: 1, bay: '', assetName: '', locationId: 1, kind: 'inhibit' as const, holder: '', holderId: 1, reason: '', placedAt: 1 };
  const command = { commandId: 'c', locationId: 1, assetId: 1, assetName: '', pointId: 7, mode: 'direct' as const, state: 'SENT' as const, fromDIStatus: 2, toDIStatus: 1, toDIText: '', operator: '', memberId: 1, requestedAt: 1, changedAt: 1, deadline: 14_000, message: '', simulated: true, offset: 1 };
  draw(ctx, { ...breaker, assetId: 1 }, { ...view({ v: 2, q: 0, t: 1 }), tags: () => [tag, { ...tag, kind: 'caution' }], command: () => command }, palette, 1, 'live');
  expect(calls).toContain('fillText:mark:X2');
  expect(calls).toContain('fillText:focus:4 s');
});

test('the second set of symbols is another picture of the same state', () => {
  const of = (symbols: View['symbols']) => {
    const { calls, ctx } = recorder();
    draw(ctx, breaker, { ...view({ v: 2, q: 0, t: 1 }), symbols }, palette, 1, 'live');
    return calls;
  };
  expect(of(IEC60617)).toContain('fill:CLOSED');
  expect(of(IEC60617)).not.toEqual(of(IEEE1975));
});

/** A bay with all texts of a feeder, and its neighbour. */
const bay = (index: number): Element[] => {
  const x = 120 + 140 * index;
  const code = `F${index + 1}`;
  return [
    { id: `${code}cb`, class: 'breaker', x, y: 720, orientation: 'vertical', name: `${code}CB`, assetId: index, position: { pointId: 7 } },
    { id: code, class: 'feeder', x, y: 860, name: code, label: 'Steel Plant and Harbour' },
    { id: `${code}v`, class: 'values', x: x + 20, y: 920, rows: [{ pointId: 7, unit: 'A', decimals: 0 }, { pointId: 7, unit: 'MW', decimals: 2 }, { pointId: 7, unit: 'pf', decimals: 2 }] },
  ];
};
const bays = Array.from({ length: 8 }, (_, index) => bay(index)).flat();
const busbar: Element = { id: 'bus', class: 'busbar', x1: 80, y1: 640, x2: 1_200, y2: 640, name: '11 kV Bus-A' };
const widthOf = (text: string) => text.length * 0.55;

/** The texts of all elements with their sizes on the screen, px. */
function written(scale: number): { text: string; px: number }[] {
  const texts: { text: string; px: number }[] = [];
  const { ctx } = recorder();
  const noting = new Proxy(ctx, { get: (target, key) => (key === 'fillText' ? (text: string) => texts.push({ text, px: Number.parseFloat(/(\d+(\.\d+)?)px/.exec(target.font)?.[1] ?? '0') * scale }) : Reflect.get(target, key)), set: (target, key, value) => Reflect.set(target, key, value) });
  const tag = { id: 1, scope: 'device' as const, bay: '', assetId: 1, assetName: '', locationId: 1, kind: 'inhibit' as const, holder: '', holderId: 1, reason: '', placedAt: 1 };
  for (const pass of ['ground', 'live'] as const) for (const element of [busbar, ...bays]) draw(noting, element, { ...view({ v: 3, q: 0, t: 1 }), tags: (asset) => (asset === 1 ? [tag] : []) }, palette, scale, pass);
  for (const label of placed([busbar, ...bays], scale, widthOf).labels) writeLabel(noting, palette, scale, label);
  return texts;
}

test.each([0.1, 0.3, 0.45, 0.7, 1, 2])('at a scale of %d every text has at least 11 px, and breaker names and one value stay', (scale) => {
  const texts = written(scale);
  expect(Math.min(...texts.map(({ px }) => px))).toBeGreaterThanOrEqual(TEXT_MIN_PX - 0.01);
  for (let index = 1; index <= 8; index += 1) expect(texts.some(({ text }) => text === `F${index}CB`)).toBe(true);
  expect(texts.filter(({ text }) => /^3(\.\d+)?$/.test(text)).length).toBeGreaterThanOrEqual(8);
});

test('names give way to each other instead of covering each other', () => {
  const labels = placed(bays, 0.45, widthOf).labels.filter(({ element }) => element.class !== 'values');
  const boxes = labels.map(({ text, x, y, align }) => {
    const width = widthOf(text) * 12;
    const left = x * 0.45 - (align === 'right' ? width : align === 'center' ? width / 2 : 0);
    return { text, left, right: left + width, top: y * 0.45 - 6, bottom: y * 0.45 + 6 };
  });
  const covered = boxes.flatMap((a, index) => boxes.slice(index + 1).filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).map((b) => `${a.text} ${b.text}`));
  expect(covered).toEqual([]);
});

test('a diagram opens as a whole where that is readable, else at a readable scale with its middle in view', () => {
  const size = { width: 1_640, height: 1_060 };
  expect(opening(size, { width: 1_010, height: 560 })).toEqual(fit(size, { width: 1_010, height: 560 }));
  const phone = { width: 390, height: 460 };
  const camera = opening(size, phone);
  expect(camera.scale * 12).toBeGreaterThan(5);
  expect(camera.scale).toBeGreaterThan(2 * fit(size, phone).scale);
  expect(toDrawing(camera, { x: 195, y: 0 })).toEqual({ x: 820, y: 0 });
  expect(toDrawing(centred(camera, { x: 100, y: 50 }, phone), { x: 195, y: 230 })).toEqual({ x: 100, y: 50 });
});

test('values of equipment below 1 kV are in kW and V', () => {
  const { calls, ctx } = recorder();
  const lights: Element = { id: 'v', class: 'values', x: 0, y: 0, assetId: 5, rows: [{ pointId: 7, unit: 'MW', decimals: 2 }] };
  draw(ctx, lights, { ...view({ v: 0.0214, q: 0, t: 1 }), low: new Set([5]) }, palette, 1, 'live');
  expect(calls).toContain('fillText:t1:21.4');
  expect(placed([lights], 1, widthOf, new Set([5])).labels.map(({ text }) => text)).toEqual(['kW']);
});

test('a third winding has the colour of its voltage', () => {
  const unit: Element = { id: 't', class: 'transformer', x: 0, y: 0, kvHigh: 33, kvLow: 11, kvTertiary: 6 };
  const colours = (element: Element) => {
    const { calls, ctx } = recorder();
    const live = { ...view(undefined), symbols: IEC60617, node: () => Energy.energised };
    draw(ctx, element, live, { ...palette, level: (kv) => `kV ${String(kv)}` }, 1, 'ground');
    return calls.filter((call) => call.startsWith('stroke'));
  };
  expect(colours(unit)).toEqual(['stroke:kV 33', 'stroke:kV 11', 'stroke:kV 6']);
  expect(colours({ ...unit, kvTertiary: undefined })).toEqual(['stroke:kV 33', 'stroke:kV 11']);
  expect(colours({ ...unit, kvTertiary: undefined, nodes: [0, 1, 2] })).toHaveLength(3);
});

const unit: Element = { id: 's', class: 'loadBreakSwitch', x: 0, y: 0, orientation: 'horizontal', kv: 11, name: 'U3 SW-A', normal: 'open', equipment: 'Q/F1/U3/SW-A' };

test.each(['loadBreakSwitch', 'recloser', 'sectionaliser', 'switch', 'breaker', 'isolator'])('a %s without telemetry is drawn in its normal position, hollow and grey', (type) => {
  for (const normal of ['open', 'closed'] as const) {
    const element: Element = { ...unit, class: type, normal };
    expect(shown(view(undefined), element)).toMatchObject({ meaning: normal, assumed: true, live: false });
    const { calls, ctx } = recorder();
    draw(ctx, element, view(undefined), palette, 1, 'live');
    expect(calls).toContain('stroke:t2');
    expect(calls.filter((call) => /^fill:/.test(call) || /:\?$/.test(call) || /CLOSED|OPEN/.test(call))).toEqual([]);
  }
});

test('a switch with telemetry is not assumed, even before its first value', () => {
  expect(shown(view(undefined), { ...breaker, normal: 'closed' })).toMatchObject({ meaning: 'bad', assumed: false });
});

test('a confirmed position is drawn with S until a point reports', () => {
  const confirmed = { id: 1, position: 'open', phases: '', by: 'Asha Rao', reason: 'seen', observed: '2026-11-27T10:00:00Z', isLasting: false, reported: null } as const;
  expect(shown(view(undefined), { ...unit, normal: 'closed', confirmed })).toMatchObject({ meaning: 'open', assumed: false, confirmed: true });
  const { calls, ctx } = recorder();
  draw(ctx, { ...unit, confirmed }, view(undefined), palette, 1, 'live');
  expect(calls.filter((call) => /:S$/.test(call))).toHaveLength(1);
  const silent = { ...breaker, confirmed };
  expect(shown(view(undefined), silent)).toMatchObject({ meaning: 'open', confirmed: true });
  expect(shown(view({ v: 2, q: 0, t: 0 }), silent).confirmed).toBeUndefined();
});

test('a confirmed position that could not be read again is drawn like what is not live', () => {
  const confirmed = { id: 1, position: 'closed', phases: '', by: 'Asha Rao', reason: 'seen', observed: '2026-11-27T10:00:00Z', isLasting: false, reported: null, isOld: true } as const;
  const { calls, ctx } = recorder();
  draw(ctx, { ...breaker, confirmed }, view(undefined), palette, 1, 'live');
  expect(calls).toEqual(expect.arrayContaining(['fillText:stale:S', 'fillText:t1:?']));
  expect(calls.some((call) => /CLOSED|OPEN/.test(call))).toBe(false);
});

test.each([
  ['in place', {}, true, ['stroke:EARTHED', 'fillText:t1:12']],
  ['not read again', { isOld: true }, true, ['stroke:stale', 'fillText:stale:? 12']],
  ['without a link', {}, false, ['stroke:stale', 'fillText:stale:? 12']],
] as const)('a portable earth is drawn %s', (_, more, linkUp, expected) => {
  const { calls, ctx } = recorder();
  const mark = { id: 12, kind: 'portableEarth', isDrawn: true, place: 'F1', by: 'Asha Rao', reason: 'work', placed: '2026-11-27T10:00:00Z', ...more } as const;
  draw(ctx, { ...breaker, position: undefined, class: 'ct', temporary: [mark] }, view(undefined, linkUp), palette, 1, 'live');
  expect(calls).toEqual(['fillRect:ground', ...expected]);
});

test('node states of a feeder are those of the nodes of the network, those of a substation by number', () => {
  const scene = new Scene(() => undefined);
  const feeder: Drawing = { ...drawing, networkNodes: ['bus', null] };
  expect(nodeState(scene, feeder, 0)).toBe(Energy.unknown);
  scene.takeNetwork([['bus', Energy.energised]], true);
  scene.apply({ wiring: 'w', nodes: [[0, Energy.dead]] }, true);
  expect([0, 1, 7, undefined].map((node) => nodeState(scene, feeder, node))).toEqual([Energy.energised, Energy.unknown, Energy.unknown, Energy.unknown]);
  expect(nodeState(scene, { ...drawing, wiring: 'w' }, 0)).toBe(Energy.dead);
});

test('a feeder opens whole if its names have their place, else at its beginning', () => {
  const busbar: Element = { id: 'b', class: 'busbar', x1: 20, y1: 100, x2: 20, y2: 240 };
  const view = { width: 1000, height: 600 };
  const whole = rowOpening({ size: { width: 1300, height: 400 }, elements: [busbar] }, view);
  expect(whole.scale).toBeGreaterThanOrEqual(0.75);
  expect(whole.x).toBeGreaterThanOrEqual(0);
  expect(rowOpening({ size: { width: 5000, height: 400 }, elements: [busbar] }, view)).toEqual({ scale: 0.75, x: 8, y: 150 });
});

test('names of switches in a row stand above it in two lines, and a transformer has its customers below', () => {
  const row: Element[] = [0, 34, 84].map((x, index) => ({ ...unit, id: `s${index}`, x, name: `U${index} SW-A` }));
  const transformer: Element = { id: 't', class: 'transformer', x: 60, y: 80, name: 'U1 TX', mva: 0.25, customers: 1234, textSide: 'below' };
  const { labels } = placed([...row, transformer], 0.75, (text) => text.length * 0.55);
  expect(labels.map(({ text }) => text).sort()).toEqual(['1,234 cust.', '250 kVA', 'U0 SW-A', 'U1 SW-A', 'U1 TX', 'U2 SW-A']);
  expect(labels.filter(({ element }) => element.class === 'loadBreakSwitch').every(({ y }) => y < 0)).toBe(true);
});
