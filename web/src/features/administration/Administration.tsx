// The administration of a utility for roles 1 and 2: users, pages, sites, settings of the utility, and records.
import { useSearchParams } from 'react-router';
import { TabList } from '../../ui/TabList';
import type { Login } from '../../wire/rest';
import { AlarmLimits } from './AlarmLimits';
import { AreasAndDesks } from './AreasAndDesks';
import { HealthImport } from './HealthImport';
import { LowCarbonSites } from './LowCarbonSites';
import { Members } from './Members';
import { Operating } from './Operating';
import { Pages } from './Pages';
import { Ratings } from './Ratings';
import { Audit, Remarks } from './Records';
import { Sites } from './Sites';
import { Utility } from './Utility';
import { t } from '../../words';

export function Administration({ login }: { login: Login }) {
  const [query, setQuery] = useSearchParams();
  const { token, timeZone, roleId, username } = login;
  const tabs = [
    ['people', t('administration.people')],
    ['pages', t('administration.pages')],
    ['sites', t('administration.sites')],
    ['utility', t('administration.utility')],
    ['operating', t('administration.operating')],
    ['areas', t('areas.areasAndDesks')],
    ['alarms', t('administration.alarmLimits')],
    ['ratings', t('administration.ratings')],
    ['lowcarbon', t('lowcarbonsites.sites')],
    ['health', t('administration.healthData')],
    ['audit', t('administration.audit')],
    ...(roleId === 1 ? [['feedback', t('administration.feedback')] as const] : []),
  ] as const;
  const tab = tabs.find(([key]) => key === query.get('tab'))?.[0] ?? 'people';
  return (
    <>
      <TabList label={t('administration.administration')} tabs={tabs} current={tab} onChoose={(key) => setQuery({ tab: key })} />
      {tab === 'people' && <Members token={token} own={login.id} client={login.clientId} />}
      {tab === 'pages' && <Pages token={token} ownRole={roleId} />}
      {tab === 'sites' && <Sites token={token} />}
      {tab === 'utility' && <Utility token={token} />}
      {tab === 'operating' && <Operating token={token} username={username} onMembers={() => setQuery({ tab: tabs[0][0] })} />}
      {tab === 'areas' && <AreasAndDesks token={token} username={username} client={login.clientId} utility={login.clientName} />}
      {tab === 'alarms' && <AlarmLimits token={token} client={login.clientId} />}
      {tab === 'ratings' && <Ratings token={token} />}
      {tab === 'lowcarbon' && <LowCarbonSites token={token} client={login.clientId} zone={timeZone} />}
      {tab === 'health' && <HealthImport token={token} zone={timeZone} />}
      {tab === 'audit' && <Audit token={token} zone={timeZone} />}
      {tab === 'feedback' && <Remarks token={token} zone={timeZone} />}
    </>
  );
}
