// The shell of a session: the live connection, header, alarm bar, connection banner, navigation, and the current screen.
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { Feedback } from '../features/help/Feedback';
import { Connection } from '../live/connection';
import { Feeds, type Feed } from '../live/feed';
import { inspect } from '../live/inspect';
import { LiveContext, useLink, useServerSecond } from '../live/live';
import { LiveStore } from '../live/store';
import { useBrand } from '../session/brand';
import { session } from '../session/session';
import { useSession } from '../session/useSession';
import { Html } from '../ui/Html';
import { clockTime } from '../ui/format';
import { usePageTitle } from '../ui/pageTitle';
import type { AlarmRow } from '../wire/monitoring';
import type { GatewayRow, Login } from '../wire/rest';
import { Header } from './Header';
import { IdleWarning } from './IdleWarning';
import { Jump } from './Jump';
import { Rail } from './Rail';
import { AlarmPanel } from './AlarmPanel';
import { AreaRequests } from './AreaChip';
import { AreasContext, useLoadAreas } from './useAreas';
import { useAlarms, useGateways } from './overview';
import { titleOf } from './screens';
import { PagesContext, useLoadPages } from './usePages';
import { t } from '../words';

const SecondFactorDialog = lazy(() => import('../features/second-factor/SecondFactorDialog').then(({ SecondFactorDialog }) => ({ default: SecondFactorDialog })));

export function Shell() {
  const login = useSession();
  const [settingUp, setSettingUp] = useState(false);
  const { pathname, search } = useLocation();
  // After signing out, the front page (specification 1, section 4). After an expired session, the sign-in, which returns to this address.
  if (!login && session.hasParted()) return <Navigate to="/" replace />;
  if (!login) return <Navigate to={`/login?redirect=${encodeURIComponent(pathname + search)}`} replace />;
  // A user who has to set up a second factor may do nothing else, not even open the live socket.
  // The dialog stays open until the user has read the recovery codes, even if the sign-in is renewed meanwhile.
  if (login.secondFactorSetup || settingUp) return <Suspense><SecondFactorDialog token={login.token} isDue onCodes={() => setSettingUp(true)} onDone={() => void session.resume().finally(() => setSettingUp(false))} onClose={() => session.signOut()} /></Suspense>;
  return <Inside key={`${login.id}-${login.clientId}`} login={login} />;
}

function Inside({ login }: { login: Login }) {
  const live = useMemo(() => {
    const connection = new Connection(session.token, () => void session.resume());
    return { connection, points: new LiveStore(), feeds: new Feeds(connection) };
  }, []);
  useEffect(() => {
    live.connection.open();
    inspect({ points: () => Object.fromEntries(live.points.all()), serverNow: () => live.connection.clock.now(), renew: () => session.resume() });
    const stopIdle = session.watchIdle();
    const stopRenewed = session.onRenewed(() => live.connection.renew());
    return () => {
      stopIdle();
      stopRenewed();
      live.connection.close();
    };
  }, [live]);
  return (
    <LiveContext value={live}>
      <Frame login={login} />
    </LiveContext>
  );
}

/** Data that the shell gives to the screens. */
export interface Given {
  readonly login: Login;
  readonly gateways: readonly GatewayRow[];
  /** All alarms whose state is not normal. */
  readonly alarms: Feed<AlarmRow>;
}

function Frame({ login }: { login: Login }) {
  const gateways = useGateways(login);
  const alarms = useAlarms(login);
  const pages = useLoadPages(login);
  const areas = useLoadAreas(login);
  const brand = useBrand();
  usePageTitle(titleOf(useLocation().pathname), brand.faviIconText || brand.title);
  const given = useMemo<Given>(() => ({ login, gateways, alarms }), [login, gateways, alarms]);
  return (
    <PagesContext value={pages}>
      <AreasContext value={areas}>
      <div className="shell">
        <Header login={login} gateways={gateways} />
        <AlarmPanel login={login} feed={alarms} />
        <div className="middle">
          <Rail />
          <Outlet context={given} />
        </div>
        <footer className="footer">
          <span className="end">
            {brand.footerText ? <Html html={brand.footerText} /> : t('app.switchyard')} {t('app.timesIn')} {login.timeZone}
          </span>
          <Feedback token={login.token} />
        </footer>
        <AreaRequests login={login} />
        <Banner zone={login.timeZone} />
        <IdleWarning />
        <Jump login={login} />
      </div>
      </AreasContext>
    </PagesContext>
  );
}

/** The message that the link to the server is lost. It covers the footer: above the screen, it would move the screen while the user points at something. */
function Banner({ zone }: { zone: string }) {
  const link = useLink();
  useServerSecond();
  if (link.up || link.since === null) return null;
  return (
    <div className="banner" role="alert" data-testid="connection-banner">
      <b>{t('app.connectionToServerLostSince')} {clockTime(link.since, zone)}.</b> {t('app.valuesAreNotLiveTrying')}
    </div>
  );
}
