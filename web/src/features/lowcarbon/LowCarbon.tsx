// The low-carbon optimiser of a place: selection of a site, the parameters, and the results of the day (specification 3, section 2.2).
import { Link } from 'react-router';
import { Answered, useAsk } from '../../ui/useAsk';
import { getSite, getSites, type LowCarbonSite } from '../../wire/lowcarbon';
import { Optimiser } from './Optimiser';
import { t } from '../../words';
import './lowcarbon.css';

export interface LowCarbonProps {
  readonly token: string;
  /** The place in the form of API paths, such as `division/4`. */
  readonly scope: string;
  readonly placeName: string;
  /** Keys of the user's pages, which decide which results are shown. */
  readonly pages: readonly string[];
  /** The site in the address; null selects the first site. */
  readonly device: number | null;
  readonly onDevice: (device: number) => void;
  /** The server's time, epoch ms. */
  readonly now: () => number;
}

export function LowCarbon({ token, scope, placeName, pages, device, onDevice, now }: LowCarbonProps) {
  const sites = useAsk(`${scope} sites`, async (asking) => ({ result: await getSites(token, scope, asking) }));
  if (sites.data?.length === 0) {
    return (
      <div className="notice" data-testid="no-site">
        <p>{t('lowcarbon.noSite', { name: placeName })}</p>
        <p>{t('lowcarbon.whatToDo')}</p>
      </div>
    );
  }
  if (!sites.data) {
    return (
      <div className="notice">
        <Answered asked={sites}>{() => null}</Answered>
      </div>
    );
  }
  const own = sites.data.find(({ deviceId }) => deviceId === device) ?? sites.data[0];
  return (
    <div className="lowcarbon">
      {device !== null && own?.deviceId !== device && (
        <p className="stale-line" role="alert">
          {t('lowcarbon.notHere', { device })}
        </p>
      )}
      {own && <OneSite key={own.deviceId} token={token} own={own} sites={sites.data} pages={pages} onDevice={onDevice} now={now} />}
    </div>
  );
}

interface SiteProps extends Pick<LowCarbonProps, 'token' | 'pages' | 'onDevice' | 'now'> {
  readonly own: LowCarbonSite;
  readonly sites: readonly LowCarbonSite[];
}

function OneSite({ token, own, sites, pages, onDevice, now }: SiteProps) {
  const asked = useAsk(`site ${own.deviceId}`, async (asking) => ({ result: await getSite(token, own.deviceId, asking) }));
  return (
    <>
      <div className="site-head">
        {sites.length > 1 ? (
          <label className="pick">
            <span>{t('lowcarbon.site')}</span>
            <select data-testid="select-site" value={own.deviceId} onChange={(event) => onDevice(Number(event.target.value))}>
              {sites.map(({ deviceId, name, locationName }) => (
                <option key={deviceId} value={deviceId}>
                  {name}, {locationName}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <h2 data-testid="site-name">{own.name}</h2>
        )}
        <small>{own.breadCrumbName}</small>
        {asked.data?.mayChange && (
          <Link to={`/administration?tab=lowcarbon&site=${own.deviceId}`} data-testid="change-site">
            {t('lowcarbon.changeSite')}
          </Link>
        )}
      </div>
      <Answered asked={asked}>{(configuration) => <Optimiser token={token} configuration={configuration} pages={pages} now={now} />}</Answered>
    </>
  );
}
