// Every point of a substation with its value now: what a gateway without a drawing has to show.
import { memo } from 'react';
import { looksLive, qualityLetter, qualityWord } from '../../live/freshness';
import { useServerSecond, useShownPoint } from '../../live/live';
import { age, eventTime, number } from '../../ui/format';
import type { GenericRow } from '../../wire/rest';

const STATUS: Record<string, string[]> = { double: ['INTERMEDIATE', 'OPEN', 'CLOSED', 'INVALID'], single: ['OPEN', 'CLOSED'], signal: ['INACTIVE', 'ACTIVE'] };

export function Points({ rows, zone }: { rows: readonly GenericRow[]; zone: string }) {
  if (rows.length === 0) return <div className="notice">No data available</div>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>Asset</th>
            <th>Point</th>
            <th className="number">Value</th>
            <th>Unit</th>
            <th>Time</th>
            <th>Quality</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <PointRow key={row.pointId} row={row} zone={zone} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const PointRow = memo(function PointRow({ row, zone }: { row: GenericRow; zone: string }) {
  const { point, quality } = useShownPoint(row.pointId, row.ageLimitMs);
  const now = useServerSecond() ?? Date.now();
  const live = looksLive(quality);
  const text = point?.v != null && row.encoding ? (STATUS[row.encoding]?.[point.v] ?? 'INVALID') : number(point?.v, row.decimals);
  return (
    <tr data-testid="point-row" data-point={row.pointName} data-quality={qualityWord(quality)} data-dim={!live}>
      <td>{row.assetName}</td>
      <td>{row.pointName}</td>
      <td className="number">
        {qualityLetter(quality)} {text}
      </td>
      <td>{row.unit}</td>
      <td>
        {point && point.t > 0 ? eventTime(point.t, now, zone, true) : '–'} {point && point.t > 0 && !live && <small>{age(now - point.t)} old</small>}
      </td>
      <td>{qualityWord(quality)}</td>
    </tr>
  );
});
