// The header: who we are, where we look, whether it is live, what time it is, who is signed in.
import { useState, useSyncExternalStore } from 'react';
import { useLink, useServerSecond } from '../live/live';
import { session } from '../session/session';
import { headerTime } from '../ui/format';
import type { GatewayRow, Login } from '../wire/rest';
import { theme } from './theme';

export function Header({ login, gateways }: { login: Login; gateways: readonly GatewayRow[] }) {
  const link = useLink();
  const second = useServerSecond();
  const [open, setOpen] = useState(false);
  const shade = useSyncExternalStore(theme.subscribe, theme.current);
  const heard = gateways.filter((gateway) => gateway.online).length;
  const rtu = !link.up ? 'lost' : heard < gateways.length ? 'warn' : 'ok';
  return (
    <header className="header">
      <span className="mark">
        <img src="/mark.svg" alt="" width="18" height="18" /> Switchyard
      </span>
      <nav aria-label="Where">
        {login.clientName} › <b>Monitoring dashboard</b>
      </nav>
      <div className="right">
        <span className="light" data-testid="light-server" data-state={link.up ? 'ok' : 'lost'} title={link.up ? 'This screen hears the server' : 'This screen does not hear the server'}>
          <i /> Server{link.up ? '' : ' lost'}
        </span>
        <span className="light" data-testid="light-rtu" data-state={rtu} title="Gateways that the server hears">
          <i /> RTU {link.up ? heard : '?'} of {gateways.length}
        </span>
        <span className="clock" data-stopped={!link.up} title={link.up ? "The server's clock" : "The server's clock when it was last heard"}>
          {second === null ? '–' : headerTime(second, login.timeZone)}
        </span>
        <button type="button" className="plain" onClick={theme.toggle} aria-label={`Switch to the ${shade === 'dark' ? 'light' : 'dark'} theme`}>
          {shade === 'dark' ? '☀' : '☾'}
        </button>
        <div className="menu">
          <button type="button" className="avatar" aria-expanded={open} aria-label="Your menu" onClick={() => setOpen(!open)}>
            {`${login.fName[0] ?? ''}${login.lName[0] ?? ''}` || '?'}
          </button>
          {open && (
            <div>
              <b>
                {login.fName} {login.lName}
              </b>
              <small>{login.memberAccessLvlMsg}</small>
              <small>{login.email}</small>
              <button type="button" data-testid="sign-out" onClick={() => void session.signOut()}>
                Log out
              </button>
            </div>
          )}
        </div>
      </div>
    </header>
  );
}
