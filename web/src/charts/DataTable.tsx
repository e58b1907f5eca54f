// The values of a chart as a table, for accessibility. Only the visible rows are rendered.
import { useState, type UIEvent } from 'react';
import { shownCell, type Table } from './table';

const ROW = 28;
/** Number of rows rendered above and below the visible ones. */
const SPARE = 10;

/** The range of rows to render at a scroll position. */
export function inSight(rows: number, top: number, height: number): { first: number; last: number } {
  const first = Math.max(0, Math.min(Math.floor(top / ROW) - SPARE, rows - 1));
  return { first, last: Math.max(first, Math.min(rows, Math.ceil((top + height) / ROW) + SPARE)) };
}

interface Props {
  readonly table: Table;
  readonly label: string;
  readonly height: number;
}

export function DataTable({ table, label, height }: Props) {
  const [top, setTop] = useState(0);
  const { first, last } = inSight(table.rows, top, height);
  const fill = (rows: number) =>
    rows > 0 && (
      <tr className="filler" aria-hidden="true">
        <td style={{ height: rows * ROW }} colSpan={table.head.length} />
      </tr>
    );
  return (
    <div
      className="chart-table"
      style={{ height }}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={(event: UIEvent<HTMLDivElement>) => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-rowcount={table.rows + 1} aria-label={label}>
        <thead>
          <tr aria-rowindex={1}>
            {table.head.map((name, index) => (
              <th key={`${index} ${name}`} scope="col" className={index === 0 ? undefined : 'number'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {fill(first)}
          {Array.from({ length: last - first }, (_, index) => first + index).map((row) => (
            <tr key={row} aria-rowindex={row + 2}>
              {table.cells(row).map((cell, index) => (
                <td key={index} className={index === 0 ? undefined : 'number'}>
                  {shownCell(cell, table.decimals[index] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
          {fill(table.rows - last)}
        </tbody>
      </table>
    </div>
  );
}
