// The header: utility, screen, live state, time, and the signed-in user.
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';
import { useLink, useServerSecond } from '../live/live';
import { useBrand } from '../session/brand';
import { session } from '../session/session';
import { Menu } from '../ui/Menu';
import { run, useOffered } from '../ui/exports';
import { headerTime } from '../ui/format';
import type { GatewayRow, Login } from '../wire/rest';
import { AreaChip } from './AreaChip';
import { titleOf } from './screens';
import { theme } from './theme';
import { t } from '../words';

const Help = lazy(() => import('../features/help/Help').then(({ Help }) => ({ default: Help })));
const SecondFactorDialog = lazy(() => import('../features/second-factor/SecondFactorDialog').then(({ SecondFactorDialog }) => ({ default: SecondFactorDialog })));
const ClientSwitch = lazy(() => import('./ClientSwitch').then(({ ClientSwitch }) => ({ default: ClientSwitch })));
const DisplaySettings = lazy(() => import('./DisplaySettings').then(({ DisplaySettings }) => ({ default: DisplaySettings })));
const Legend = lazy(() => import('./Legend').then(({ Legend }) => ({ default: Legend })));

/** The user's picture; the initials if there is none, or if it cannot be loaded. */
export function Avatar({ path, initials }: { readonly path: string; readonly initials: string }) {
  const [isBroken, setIsBroken] = useState(false);
  return path && !isBroken ? <img src={path} alt="" data-testid="profile-picture" onError={() => setIsBroken(true)} /> : <>{initials}</>;
}

export function Header({ login, gateways }: { login: Login; gateways: readonly GatewayRow[] }) {
  const link = useLink();
  const second = useServerSecond();
  const [open, setOpen] = useState(false);
  const [dialog, setDialog] = useState<'help' | 'client' | 'legend' | 'display' | 'second-factor' | null>(null);
  const { pathname } = useLocation();
  const brand = useBrand();
  const exports = useOffered();
  const shade = useSyncExternalStore(theme.subscribe, theme.current);
  const heard = gateways.filter((gateway) => gateway.online).length;
  const rtu = !link.up ? 'lost' : heard < gateways.length ? 'warn' : 'ok';
  const server = link.up ? t('app.serverIsReached') : t('app.thisScreenDoesNotHear');
  const clock = link.up ? t('app.theServersClock') : t('app.theServersClockWhenIt');
  const initials = `${login.fName[0] ?? ''}${login.lName[0] ?? ''}` || '?';
  return (
    <header className="header">
      <span className="mark">
        <img src={brand.logo || '/mark.svg'} alt={login.showTitle ? '' : brand.title} height="18" /> {login.showTitle && <span data-testid="title">{brand.title}</span>}
      </span>
      <nav aria-label={t('app.where')}>
        {login.clientLogPath && <img className="client-logo" src={login.clientLogPath} alt="" height="20" data-testid="client-logo" />} {login.clientName} › <b>{titleOf(pathname)}</b>
      </nav>
      <div className="right">
        <AreaChip login={login} />
        <span className="light" data-testid="light-server" data-state={link.up ? 'ok' : 'lost'} data-tip={server}>
          <i /> <span className="visually-hidden">{server}: </span>{t('app.server')}{link.up ? '' : ' lost'}
        </span>
        <span className="light" data-testid="light-rtu" data-state={rtu} data-tip={t('app.gatewaysOnline')}>
          <i /> <span className="visually-hidden">{t('app.gatewaysOnline')}: </span>{t('app.rtu')} {link.up ? heard : '?'} {t('app.of')} {gateways.length}
        </span>
        <span className="clock" data-stopped={!link.up} data-tip={clock}>
          <span className="visually-hidden">{clock}: </span>
          {second === null ? '–' : headerTime(second, login.timeZone)}
        </span>
        {login.roleId === 1 && (
          <button type="button" className="plain" data-testid="switch-client" data-tip={t('app.switchToAnotherUtility')} aria-label={t('app.switchClient')} onClick={() => setDialog('client')}>
            ⇄
          </button>
        )}
        <button type="button" className="plain" data-testid="legend" aria-label={t('app.legend')} data-tip={t('app.whatColoursAndShapesMean')} onClick={() => setDialog('legend')}>
          ▤
        </button>
        <Menu
          label={t('app.export')}
          testId="export"
          items={exports.length > 0 ? exports.map((entry) => ({ name: entry.name, onChoose: () => void run(entry, login.timeZone) })) : [{ name: t('app.nothingToExportHere'), disabled: t('app.screensWithTablesOrA'), onChoose: () => undefined }]}
        >
          ⤓
        </Menu>
        <button type="button" className="plain" data-testid="help" aria-label={t('app.help')} data-tip={t('app.help')} onClick={() => setDialog('help')}>
          ?
        </button>
        <button type="button" className="plain" onClick={theme.toggle} aria-label={t('app.switchToTheTheme', { dark: shade === 'dark' ? 'light' : 'dark' })}>
          {shade === 'dark' ? '☀' : '☾'}
        </button>
        <Suspense>
          {dialog === 'help' && <Help onClose={() => setDialog(null)} />}
          {dialog === 'second-factor' && <SecondFactorDialog token={login.token} isDue={false} onDone={() => setDialog(null)} onClose={() => setDialog(null)} />}
          {dialog === 'display' && <DisplaySettings onClose={() => setDialog(null)} />}
          {dialog === 'legend' && <Legend login={login} onClose={() => setDialog(null)} />}
          {dialog === 'client' && <ClientSwitch login={login} onClose={() => setDialog(null)} />}
        </Suspense>
        <button type="button" className="plain" data-testid="log-out" aria-label={t('app.logOut')} data-tip={t('app.logOut')} onClick={() => session.signOut()}>
          <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round">
            <path d="M8 3H4v14h4M8 10h9M13 6l4 4-4 4" />
          </svg>
        </button>
        <div className="menu">
          <button type="button" className="avatar" aria-expanded={open} aria-label={t('app.yourMenu', { initials })} onClick={() => setOpen(!open)}>
            <Avatar key={login.profilePicturePath} path={login.profilePicturePath} initials={initials} />
          </button>
          {open && (
            <div>
              <b>
                {login.fName} {login.lName}
              </b>
              <small>{login.memberAccessLvlMsg}</small>
              <small>{login.email}</small>
              <button
                type="button"
                data-testid="display-settings"
                onClick={() => {
                  setOpen(false);
                  setDialog('display');
                }}
              >
                {t('app.display')}
              </button>
              {!login.demo && (
                <button
                  type="button"
                  data-testid="second-factor"
                  onClick={() => {
                    setOpen(false);
                    setDialog('second-factor');
                  }}
                >
                  {t('app.secondFactor')}
                </button>
              )}
              <button type="button" data-testid="sign-out" onClick={() => session.signOut()}>
                {t('app.logOut')}
              </button>
            </div>
          )}
        </div>
      </div>
    </header>
  );
}
