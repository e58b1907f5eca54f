// The content of a path: its screen, a message that the user has no access, or a message that the screen is not built yet.
import { Link, Navigate, useLocation } from 'react-router';
import type { ReactNode } from 'react';
import { redirectOf } from './redirect';
import { titleOf } from './screens';
import { usePages } from './usePages';
import { t } from '../words';

/** Shows the children if the user's role has a page on this path. */
export function Guarded({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const { tabs, problem, retry } = usePages();
  if (problem) {
    return (
      <Plain title={titleOf(pathname)}>
        <p role="alert">{problem}</p>
        <button type="button" onClick={retry}>
          {t('app.tryAgain')}
        </button>
      </Plain>
    );
  }
  if (!tabs) return <Plain title={titleOf(pathname)}>{t('app.loading')}</Plain>;
  const elsewhere = redirectOf(tabs, pathname);
  return elsewhere === null ? children : <Navigate to={elsewhere} replace />;
}

/** A page with a short text inside the shell. */
export function Plain({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="plain-page">
      <h1>{title}</h1>
      {children}
    </main>
  );
}

export function NotBuilt() {
  const { pathname } = useLocation();
  return (
    <Plain title={titleOf(pathname)}>
      <p>{t('app.thisScreenIsNotBuilt')}</p>
      <p>
        {t('app.whatIsThereTodayThe')} <Link to="/dashboard">{t('app.monitoringDashboard')}</Link> {t('app.withLiveDiagramsEventLog')} <Link to="/tree">{t('app.hierarchy')}</Link>.
      </p>
    </Plain>
  );
}

export function Unauthorised() {
  return (
    <Plain title={t('app.youHaveNoAccessTo')}>
      <p>{t('app.yourRoleDoesNotInclude')}</p>
      <p>
        <Link to="/dashboard">{t('app.toTheDashboard')}</Link>
      </p>
    </Plain>
  );
}

export function Sa30i() {
  return (
    <Plain title={t('app.sa30i')}>
      <p>{t('app.theContentOfThisScreen')}</p>
    </Plain>
  );
}
