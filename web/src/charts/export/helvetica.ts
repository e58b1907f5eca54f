// Widths of Helvetica's glyphs in thousandths of the font size. PDF readers use them for the standard font.

/** Widths from space to tilde, from Adobe's font metrics. ISO 32000-1 names the font. */
// prettier-ignore
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
  556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
  1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
  667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
  333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
  556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/** Width of characters outside of ASCII, most of which are vowels with an accent. */
const OTHER = 556;
/** Average width of bold text relative to normal text. */
const BOLD = 1.06;

export function widthOf(text: string, size: number, isBold: boolean): number {
  let sum = 0;
  for (const letter of text) sum += WIDTHS[(letter.codePointAt(0) ?? 0) - 32] ?? OTHER;
  return (sum / 1_000) * size * (isBold ? BOLD : 1);
}
