// The shell inside a session: one connection, the header, the banner, and the station in the middle.
import { useEffect, useMemo } from 'react';
import { Navigate, useLocation } from 'react-router';
import { Connection } from '../live/connection';
import { inspect } from '../live/inspect';
import { LiveContext, useLink, useServerSecond } from '../live/live';
import { LiveStore } from '../live/store';
import { session } from '../session/session';
import { useSession } from '../session/useSession';
import { clockTime } from '../ui/format';
import type { Login } from '../wire/rest';
import { Header } from './Header';
import { Station } from './Station';
import { useGateways, useLatestEvent } from './overview';

export function Shell() {
  const login = useSession();
  const { pathname, search } = useLocation();
  if (!login) return <Navigate to={`/login?redirect=${encodeURIComponent(pathname + search)}`} replace />;
  return <Inside key={login.clientId} login={login} />;
}

function Inside({ login }: { login: Login }) {
  const live = useMemo(() => ({ connection: new Connection(session.token, () => void session.resume()), points: new LiveStore() }), []);
  useEffect(() => {
    live.connection.open();
    inspect({ points: () => Object.fromEntries(live.points.all()), serverNow: () => live.connection.clock.now() });
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

function Frame({ login }: { login: Login }) {
  const gateways = useGateways(login.clientId);
  return (
    <div className="shell">
      <Header login={login} gateways={gateways} />
      <LatestEvent login={login} />
      <Banner zone={login.timeZone} />
      <Station login={login} gateways={gateways} />
      <footer className="footer">
        <span style={{ color: 'var(--kv-132)' }}>
          <i />
          132 kV
        </span>
        <span style={{ color: 'var(--kv-33)' }}>
          <i />
          33 kV
        </span>
        <span style={{ color: 'var(--kv-11)' }}>
          <i />
          11 kV
        </span>
        <span style={{ color: 'var(--kv-0-44)' }}>
          <i />
          0.44 kV
        </span>
        <span>Line colour is the voltage level; it does not say whether a line is energised</span>
        <span>■ closed □ open ? not known to be live</span>
        <span>Switchyard · times in {login.timeZone}</span>
      </footer>
    </div>
  );
}

function LatestEvent({ login }: { login: Login }) {
  const event = useLatestEvent(login);
  return (
    <div className="latest" aria-live="off">
      <span>Latest event</span>
      {event ? (
        <>
          <b>{clockTime(Date.parse(event.EventTime), login.timeZone)}</b>
          <span>
            {event.LocationName}, {event.AssetName} {event.DISignal.toLowerCase()}: {event.ChangeTo}
          </span>
        </>
      ) : (
        <span>none yet</span>
      )}
    </div>
  );
}

function Banner({ zone }: { zone: string }) {
  const link = useLink();
  useServerSecond();
  if (link.up || link.since === null) return <div />;
  return (
    <div className="banner" role="alert" data-testid="connection-banner">
      <b>Connection to server lost since {clockTime(link.since, zone)}.</b> Values are not live. Trying to connect again.
    </div>
  );
}
