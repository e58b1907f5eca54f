// All points of a substation with their present values, for a gateway without a drawing.
import { memo } from 'react';
import { looksLive, qualityLetter, qualityWord } from '../../live/freshness';
import { statusCode } from '../../live/status';
import { useServerSecond, useShownPoint } from '../../live/live';
import { age, eventTime, number } from '../../ui/format';
import type { GenericRow } from '../../wire/rest';
import { t } from '../../words';

export function Points({ rows, zone }: { rows: readonly GenericRow[]; zone: string }) {
  if (rows.length === 0) return <div className="notice">{t('tables.noDataAvailable')}</div>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>{t('tables.asset')}</th>
            <th>{t('tables.point')}</th>
            <th className="number">{t('tables.value')}</th>
            <th>{t('tables.unit')}</th>
            <th>{t('tables.time')}</th>
            <th>{t('tables.quality')}</th>
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
  const text = point?.v != null && row.encoding ? statusCode(row.encoding, point.v) : number(point?.v, row.decimals);
  return (
    <tr data-testid="point-row" data-point={row.pointName} data-quality={qualityWord(quality)} data-dim={!live}>
      <td>{row.assetName}</td>
      <td>{row.pointName}</td>
      <td className="number">
        {qualityLetter(quality)} {text}
      </td>
      <td>{row.unit}</td>
      <td>
        {point && point.t > 0 ? eventTime(point.t, now, zone, true) : '–'} {point && point.t > 0 && !live && <small>{age(now - point.t)} {t('tables.old')}</small>}
      </td>
      <td>{qualityWord(quality)}</td>
    </tr>
  );
});
