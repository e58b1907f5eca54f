// The highlighted part of a diagram: what feeds a device, or what it feeds. Two rails beside the conductors show it: solid for a path, dashed for a fed part.
import type { components } from '../../wire/schema';
import type { Drawing, Element } from '../../wire/sld';
import { extent, type Context, type Palette } from './symbols/sheet';

export type TraceKind = 'path' | 'feeds';

export interface Traced {
  readonly kind: TraceKind;
  readonly elements: ReadonlySet<string>;
  /** Node numbers of the drawing. */
  readonly nodes: ReadonlySet<number>;
}

type Drawn = components['schemas']['NetworkTraceDrawn'];

/** The elements and nodes of a drawing that belong to a trace; null if the trace belongs to another version of the drawing. */
export function tracedOn({ elements, networkNodes, wiring }: Drawing, drawn: Drawn, kind: TraceKind): Traced | null {
  const part = drawn[kind];
  if (!networkNodes) {
    if (drawn.wiring == null || drawn.wiring !== wiring) return null;
    const nodes = new Set(part.numbers);
    // The lines of a substation are connections at a node, even if they name equipment.
    const lines = elements.filter(({ class: type, equipment, parts }) => type === 'line' && equipment !== undefined && parts?.some(({ node }) => nodes.has(node)));
    return { kind, elements: new Set([...part.elements, ...lines.map(({ id }) => id)]), nodes };
  }
  const [equipment, nodes] = [new Set(part.equipment), new Set(part.nodes)];
  return {
    kind,
    elements: new Set(elements.flatMap(({ id, equipment: of }) => (of !== undefined && equipment.has(of) ? [id] : []))),
    nodes: new Set(networkNodes.flatMap((node, number) => (node !== null && nodes.has(node) ? [number] : []))),
  };
}

/** Distance between the rails and thickness of each, drawing units; at small scales at least as many pixels. */
const BETWEEN = 8;
const RAIL = 2;
const DASHES: readonly number[] = [7, 5];

type Path = readonly (readonly [number, number])[];

function pathsOf({ elements, nodes }: Traced, element: Element): readonly Path[] {
  if (element.class === 'busbar') {
    const { x1 = 0, y1 = 0, x2 = 0, y2 = 0 } = element;
    return nodes.has(element.nodes?.[0] ?? -1) ? [[[x1, y1], [x2, y2]]] : [];
  }
  if (element.class !== 'line') return [];
  // A line that is equipment joins nodes of the network that are one node of the drawing, so it counts by itself.
  const isTraced = (node: number) => (element.equipment === undefined ? nodes.has(node) : elements.has(element.id));
  return (element.parts ?? []).filter(({ node }) => isTraced(node)).map(({ path }) => path);
}

/** Draws the rails below all elements. */
export function drawTrace(ctx: Context, elements: readonly Element[], traced: Traced, palette: Palette, scale: number): void {
  const unit = Math.max(1, 0.7 / scale);
  const [between, rail] = [BETWEEN * unit, RAIL * unit];
  const dashes = traced.kind === 'feeds' ? DASHES.map((dash) => dash * unit) : [];
  const paths = elements.flatMap((element) => pathsOf(traced, element).map((path) => ({ path, thick: element.class === 'busbar' ? 2 * unit : 0 })));
  const boxes = elements.filter(({ id, class: type }) => traced.elements.has(id) && type !== 'line' && type !== 'busbar');
  ctx.lineCap = 'butt';
  ctx.lineJoin = 'round';
  // The ground between the rails is cleared after all rails, so that none crosses another piece of the same part.
  for (const pass of ['rails', 'between'] as const) {
    ctx.strokeStyle = pass === 'rails' ? palette.trace : palette.ground;
    ctx.fillStyle = ctx.strokeStyle;
    ctx.setLineDash(pass === 'rails' ? dashes : []);
    for (const { path, thick } of paths) {
      ctx.lineWidth = between + thick + (pass === 'rails' ? 2 * rail : 0);
      ctx.beginPath();
      path.forEach(([x, y], index) => (index === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
      ctx.stroke();
    }
    for (const element of boxes) {
      const half = extent(element) + 4 * unit;
      const [x, y] = [element.x ?? 0, element.y ?? 0];
      if (pass === 'rails') {
        ctx.lineWidth = 2 * rail;
        ctx.strokeRect(x - half, y - half, half * 2, half * 2);
      } else ctx.fillRect(x - half, y - half, half * 2, half * 2);
    }
  }
  ctx.setLineDash([]);
}
