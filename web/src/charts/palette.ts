// The colours of charts: those of the theme on the screen, dark on white in files and print.
import { useSyncExternalStore } from 'react';
import type { Phase } from './model';

/** All colours are `#rrggbb`. */
export interface Palette {
  readonly ground: string;
  readonly text: string;
  readonly quiet: string;
  readonly grid: string;
  readonly cursor: string;
  readonly doubt: string;
  /** The colour of gauges beyond their limit, used for nothing else. */
  readonly alarm: string;
  readonly phase: Readonly<Record<Phase, string>>;
  /** Colours of columns without a phase. */
  readonly plain: readonly string[];
  /** Five bands from good to bad, which differ in lightness. */
  readonly bands: readonly string[];
  /** The colour of a selection by the user. */
  readonly chosen: string;
}

/** Colours of files and print. The phases are the specification's (2, section 2.7), except that yellow is darker, to be visible on white. */
export const PRINT: Palette = {
  ground: '#ffffff',
  text: '#15191d',
  quiet: '#4d5863',
  grid: '#d9dfe4',
  cursor: '#5c6873',
  doubt: '#9a6700',
  alarm: '#c62828',
  phase: { R: '#da532c', Y: '#b8a800', B: '#2d89ef' },
  plain: ['#1f6fb8', '#7e4f8f', '#1d7f97', '#9a6a00', '#44586a', '#4f7d3c'],
  bands: ['#7a90a6', '#4a76bd', '#474fa6', '#55278a', '#2a0838'],
  chosen: '#c62828',
};

/** Adds an opacity from 0 to 1 to a colour. */
export function faint(colour: string, alpha: number): string {
  return (
    colour +
    Math.round(alpha * 255)
      .toString(16)
      .padStart(2, '0')
  );
}

/** Black or white, whichever has more contrast with a colour (WCAG 2.2, relative luminance). */
export function onColour(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  // At this luminance, black and white have the same contrast.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}

/** Reads the colours of the theme from chart.css. */
function read(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
  return {
    ground: of('--surface-0', PRINT.ground),
    text: of('--text-1', PRINT.text),
    quiet: of('--text-3', PRINT.quiet),
    grid: of('--chart-grid', PRINT.grid),
    cursor: of('--text-3', PRINT.cursor),
    doubt: of('--warn', PRINT.doubt),
    alarm: of('--alarm', PRINT.alarm),
    phase: { R: of('--phase-r', PRINT.phase.R), Y: of('--phase-y', PRINT.phase.Y), B: of('--phase-b', PRINT.phase.B) },
    plain: PRINT.plain.map((colour, index) => of(`--chart-${index + 1}`, colour)),
    bands: PRINT.bands.map((colour, index) => of(`--band-${index + 1}`, colour)),
    chosen: of('--chosen', PRINT.chosen),
  };
}

let held: { theme: string | null; palette: Palette } | null = null;
let isPrinting = false;

function current(): Palette {
  if (isPrinting) return PRINT;
  const theme = document.documentElement.getAttribute('data-theme');
  if (held?.theme !== theme) held = { theme, palette: read() };
  return held.palette;
}

function subscribe(tell: () => void): () => void {
  const observer = new MutationObserver(tell);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const stop = new AbortController();
  for (const event of ['beforeprint', 'afterprint']) {
    window.addEventListener(
      event,
      () => {
        isPrinting = event === 'beforeprint';
        tell();
      },
      { signal: stop.signal },
    );
  }
  return () => {
    observer.disconnect();
    stop.abort();
  };
}

/** The palette of the current theme, or of print while the page is printed. The object stays the same until the palette changes. */
export function usePalette(): Palette {
  return useSyncExternalStore(subscribe, current);
}
