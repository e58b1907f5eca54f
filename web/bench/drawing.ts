// A drawing of any size: bays with a breaker, two isolators, a relay, a transformer and three value texts; and changes of its values.
import type { PointValue } from '../src/wire/live';
import type { Drawing, Element } from '../src/wire/sld';

const PER_BAY = 8;
const COLUMNS = 50;

export interface Plan {
  readonly drawing: Drawing;
  /** Ids of status points for positions, and of measurands. */
  readonly positions: readonly number[];
  readonly measured: readonly number[];
}

export function plan(elements: number): Plan {
  const bays = Math.ceil(elements / PER_BAY);
  const list: Element[] = [];
  const points: Drawing['points'] = {};
  const [positions, measured]: [number[], number[]] = [[], []];
  let next = 1;
  const point = (code: string, encoding: string | null) => {
    const id = next++;
    points[id] = { address: `B${id}/B${id}/${code}`, asset: id, assetName: `B${id}`, code, kind: encoding ? 'status' : 'measurand', encoding, unit: encoding ? '' : 'A', decimals: 1, ageLimitMs: null };
    (encoding ? positions : measured).push(id);
    return id;
  };
  for (let bay = 0; bay < bays; bay++) {
    const x = 80 + (bay % COLUMNS) * 130;
    const y = 60 + Math.floor(bay / COLUMNS) * 330;
    const at = (dy: number) => ({ x, y: y + dy, kv: 11, orientation: 'vertical', nodes: [bay % 7, bay % 5] });
    list.push(
      { id: `${bay}a`, class: 'isolator', ...at(0), name: 'IS1', position: { pointId: point('Pos', 'single') } },
      { id: `${bay}b`, class: 'breaker', ...at(40), name: `CB${bay}`, position: { pointId: point('Pos', 'double') } },
      { id: `${bay}c`, class: 'isolator', ...at(80), name: 'IS2', position: { pointId: point('Pos', 'single') } },
      { id: `${bay}d`, class: 'relay', x: x + 32, y: y + 40, ansi: '51', position: { pointId: point('Op', 'signal') } },
      { id: `${bay}e`, class: 'transformer', ...at(130), kvHigh: 33, kvLow: 11, name: `T${bay}`, mva: 8, vectorGroup: 'Dyn11' },
      ...[0, 1, 2].map((row): Element => ({ id: `${bay}v${row}`, class: 'values', x: x + 40, y: y + 190 + row * 17, rows: [{ pointId: point('I', null), unit: 'A', decimals: 1 }] })),
    );
  }
  return { drawing: { format: 'switchyard-sld', version: 1, name: `${list.length} elements`, size: { width: 160 + COLUMNS * 130, height: 80 + Math.ceil(bays / COLUMNS) * 330 }, elements: list, points }, positions, measured };
}

/** Returns a generator of changes, of which 90 percent are measured values. A fixed seed gives every variant the same changes. */
export function changes(plan: Plan): (count: number, at: number) => PointValue[] {
  let seed = 20_261;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const one = (ids: readonly number[]) => ids[Math.floor(random() * ids.length)] ?? 1;
  return (count, at) => Array.from({ length: count }, (): PointValue => (random() < 0.1 ? [one(plan.positions), random() < 0.5 ? 1 : 0, 0, at] : [one(plan.measured), Math.round(random() * 4_000) / 10, 0, at]));
}
