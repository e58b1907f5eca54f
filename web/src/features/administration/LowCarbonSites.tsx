// The low-carbon sites of the utility: list, entry, change and removal.
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Dialog } from '../../ui/Dialog';
import { number } from '../../ui/format';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import { getConfigurations, removeSite, ROLES, type SiteConfiguration } from '../../wire/lowcarbon';
import { problemOf } from '../../wire/rest';
import { bandsOf } from './lowcarbon';
import { LowCarbonSite } from './LowCarbonSite';
import { t } from '../../words';
import './lowcarbonsites.css';

export function LowCarbonSites({ token, client, zone }: { token: string; client: number; zone: string }) {
  const [query] = useSearchParams();
  const asked = useAsk('low-carbon-sites', (asking) => getConfigurations(token, asking));
  /** The device of the open site, `new`, or null. */
  const [open, setOpen] = useState<number | 'new' | null>(() => Number(query.get('site')) || null);
  const [leaving, setLeaving] = useState<SiteConfiguration | null>(null);
  const drop = async ({ site }: SiteConfiguration) => {
    setLeaving(null);
    try {
      await removeSite(token, site.deviceId);
      toast(t('lowcarbonsites.removed'));
      if (open === site.deviceId) setOpen(null);
      asked.retry();
    } catch (error) {
      toast(problemOf(error), 'error');
    }
  };
  return (
    <>
      <p>{t('lowcarbonsites.about')}</p>
      <div className="actions start">
        <button type="button" className="primary" data-testid="low-carbon-new" onClick={() => setOpen('new')}>
          {t('lowcarbonsites.add')}
        </button>
      </div>
      <Answered asked={asked}>
        {(rows) => {
          const own = rows.find(({ site }) => site.deviceId === open);
          return (
            <>
              {rows.length === 0 && <p>{t('lowcarbonsites.none')}</p>}
              {rows.length > 0 && (
                <div className="scroll">
                  <table aria-label={t('lowcarbonsites.sites')}>
                    <thead>
                      <tr>
                        <th>{t('administration.name')}</th>
                        <th className="number">{t('lowcarbon.device')}</th>
                        <th>{t('administration.location')}</th>
                        <th className="number">{t('lowcarbonsites.batteryKwh')}</th>
                        <th className="number">{t('lowcarbonsites.solarKwp')}</th>
                        <th>{t('lowcarbonsites.tariff')}</th>
                        <th className="number">{t('lowcarbonsites.measured')}</th>
                        <th aria-label={t('lowcarbonsites.change')} />
                      </tr>
                    </thead>
                    <tbody>
                      {rows.map((row) => (
                        <tr key={row.site.deviceId} data-testid={`low-carbon-${row.site.deviceId}`}>
                          <td>{row.site.name}</td>
                          <td className="number">{row.site.deviceId}</td>
                          <td>{row.site.locationName}</td>
                          <td className="number">{number(row.parameters.BatteryCapacityMaxKwh, 1)}</td>
                          <td className="number">{number(row.parameters.SolarCapacityKwp, 1)}</td>
                          <td>{t('lowcarbonsites.bands', { currency: row.tariff.currency, n: bandsOf(row.tariff).length })}</td>
                          <td className="number">
                            {ROLES.filter((role) => row.points[role] !== null).length} / {ROLES.length}
                          </td>
                          <td className="row-actions">
                            <button type="button" className="plain" aria-pressed={open === row.site.deviceId} aria-label={t('lowcarbonsites.changeOf', { name: row.site.name })} onClick={() => setOpen(row.site.deviceId)}>
                              {t('lowcarbonsites.change')}
                            </button>
                            <button type="button" className="plain" aria-label={t('lowcarbonsites.removeOf', { name: row.site.name })} onClick={() => setLeaving(row)}>
                              {t('lowcarbonsites.remove')}
                            </button>
                          </td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              )}
              {(open === 'new' || own) && (
                <LowCarbonSite
                  key={open}
                  token={token}
                  client={client}
                  zone={zone}
                  configuration={own ?? null}
                  taken={rows.map(({ site }) => site.deviceId)}
                  onClose={(saved) => {
                    setOpen(null);
                    if (saved) asked.retry();
                  }}
                />
              )}
              {leaving && (
                <Dialog title={t('lowcarbonsites.removeQuestion', { name: leaving.site.name })} onClose={() => setLeaving(null)}>
                  <p>{t('lowcarbonsites.removeMeans')}</p>
                  <div className="actions">
                    <button type="button" data-first="" autoFocus onClick={() => setLeaving(null)}>
                      {t('administration.cancel')}
                    </button>
                    <button type="button" className="danger" data-testid="low-carbon-remove" onClick={() => void drop(leaving)}>
                      {t('lowcarbonsites.remove')}
                    </button>
                  </div>
                </Dialog>
              )}
            </>
          );
        }}
      </Answered>
    </>
  );
}
