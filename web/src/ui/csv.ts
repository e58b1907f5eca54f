// Rows as a CSV file that a spreadsheet opens as text: quoted where needed, and nothing in it is taken for a formula. Pure.

type Cell = string | number | boolean | null | undefined;

/** RFC 4180 with a byte order mark, since spreadsheets otherwise guess the encoding. A text that begins like a formula is led by an apostrophe. */
export function csv(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return '\uFEFF' + [head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

function cell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t\r\0]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
