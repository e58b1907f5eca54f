// A symbol as an SVG file, for use outside of the diagram.
import type { Figure, Role, Stroke, SymbolSet } from './artwork';

const COLOURS: Readonly<Record<Role, string>> = { state: '#444c54', high: '#1d7f97', low: '#9a6a00', third: '#6b4fa0', line: '#5c6873', quiet: '#7d8893' };

/** The files of a set by name, such as `breaker-open.svg`. A symbol with one figure has its own name only. */
export function files(set: SymbolSet): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const [name, artwork] of Object.entries(set)) {
    const figures = Object.entries(artwork) as [Figure, readonly Stroke[]][];
    for (const [figure, strokes] of figures) all.set(figures.length === 1 ? `${name}.svg` : `${name}-${figure}.svg`, svg(strokes));
  }
  return all;
}

function svg(strokes: readonly Stroke[]): string {
  const paths = strokes.map(({ d, role, fill, dash, width }) =>
    fill ? `<path d="${d}" fill="${COLOURS[role]}"/>` : `<path d="${d}" fill="none" stroke="${COLOURS[role]}" stroke-width="${width ?? 1.4}" stroke-linejoin="round" stroke-linecap="round"${dash ? ' stroke-dasharray="3 2"' : ''}/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-40 -40 80 80" width="80" height="80">${paths.join('')}</svg>\n`;
}
