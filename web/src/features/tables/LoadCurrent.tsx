// Load currents of every feeder, with the fault currents of its last trip (specification 2, section 2.6).
import { useState } from 'react';
import { looksLive, qualityLetter, qualityWord, shownQuality } from '../../live/freshness';
import { useLink, useLive, useServerSecond } from '../../live/live';
import { csv } from '../../ui/csv';
import { useExports } from '../../ui/exports';
import { age, eventTime, number } from '../../ui/format';
import type { LoadCurrentRow } from '../../wire/rest';
import { Frame } from './Frame';
import { byId, useRows } from './rows';
import { t } from '../../words';

interface Props {
  location: number;
  token: string;
  zone: string;
  selected: number | null;
  onSelect(asset: number): void;
}

const HEAD = [t('tables.updatedTime'), t('tables.dcuBatVol'), t('tables.feederName'), 'Ir', 'Iy', 'Ib', 'F-Ir', 'F-Iy', 'F-Ib'] as const;

export function LoadCurrent({ location, token, zone, selected, onSelect }: Props) {
  const { connection } = useLive();
  const [frozenAt, setFrozenAt] = useState<number | null>(null);
  const { rows, state, problem, waiting } = useRows<LoadCurrentRow>(
    { stream: `loadcurrent/location/${location}`, path: `analytics/loadcurrentvalues/location/${location}`, token, merge: byId, pollMs: 40_000 },
    frozenAt !== null,
  );
  const cells = () => rows.map((row) => [row.reportedDateTime, row.dcuBatVol, row.deviceName, row.lc_Ir, row.lc_Iy, row.lc_Ib, row.fC_Ir, row.fC_Iy, row.fC_Ib]);
  useExports([{ name: t('tables.loadCurrentAsCsv'), file: 'load-current', extension: 'csv', make: () => (rows.length === 0 ? null : new Blob([csv(HEAD, cells())], { type: 'text/csv' })) }]);
  const now = useServerSecond() ?? Date.now();
  const link = useLink();
  return (
    <Frame title={t('tables.loadCurrentAFaultCurrents')} frozenAt={frozenAt} onFreeze={(frozen) => setFrozenAt(frozen ? (connection.clock.now() ?? Date.now()) : null)} waiting={waiting} state={state} problem={problem} empty={rows.length === 0} zone={zone} live={link.up}>
      <table>
        <thead>
          <tr>
            <th>{t('tables.updatedTime')}</th>
            <th className="number">{t('tables.dcuBatVol')}</th>
            <th>{t('tables.feederName')}</th>
            {HEAD.slice(3).map((heading) => (
              <th key={heading} className="number">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const at = row.reportedDateTime ? Date.parse(row.reportedDateTime) : null;
            const quality = shownQuality(at === null ? undefined : { v: 0, q: row.quality, t: at }, row.ageLimitMs, now, link.up);
            const live = looksLive(quality);
            return (
              <tr key={row.id} className="pickable" data-testid="load-row" data-quality={qualityWord(quality)} data-dim={!live} data-bar={live ? undefined : 'warn'} aria-selected={row.id === selected} tabIndex={0} onClick={() => onSelect(row.id)} onKeyDown={(event) => event.key === 'Enter' && onSelect(row.id)}>
                <td title={qualityWord(quality)}>
                  {qualityLetter(quality)} {at === null ? '–' : eventTime(at, now, zone)} {!live && at !== null && <small>{age(now - at)} {t('tables.old')}</small>}
                </td>
                <td className="number">{number(row.dcuBatVol, 1)}</td>
                <td>{row.deviceName}</td>
                {[row.lc_Ir, row.lc_Iy, row.lc_Ib, row.fC_Ir, row.fC_Iy, row.fC_Ib].map((value, index) => (
                  <td key={index} className="number">
                    {number(value, 0)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </Frame>
  );
}
