// Rows as a CSV file for spreadsheets: cells are quoted if needed, and text is never evaluated as a formula. Pure.

type Cell = string | number | boolean | null | undefined;

/** RFC 4180 with a byte order mark, without which spreadsheets guess the encoding. A text that starts like a formula gets an apostrophe. */
export function csv(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return '\uFEFF' + [head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

function cell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t\r\0]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
