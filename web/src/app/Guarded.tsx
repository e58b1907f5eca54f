// What stands at a path: the screen, that the person has none there, or that it is not built yet.
import { Link, Navigate, useLocation } from 'react-router';
import type { ReactNode } from 'react';
import { screenOf, titleOf } from './screens';
import { mayOpen } from './tabs';
import { usePages } from './usePages';

/** Lets through who has a page on this path. */
export function Guarded({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const { tabs, problem, retry } = usePages();
  const screen = screenOf(pathname);
  if (problem) {
    return (
      <Plain title={titleOf(pathname)}>
        <p role="alert">{problem}</p>
        <button type="button" onClick={retry}>
          Try again
        </button>
      </Plain>
    );
  }
  if (!tabs) return <Plain title={titleOf(pathname)}>Loading...</Plain>;
  const paths = screen ? [screen.path, ...(screen.also ?? [])] : [pathname];
  return paths.some((path) => mayOpen(tabs, path)) ? children : <Navigate to="/unauthorize" replace />;
}

/** A page of a few words inside the shell. */
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
      <p>This screen is not built yet.</p>
      <p>
        What is there today: the <Link to="/dashboard">monitoring dashboard</Link> with live diagrams, event log and load currents, and the <Link to="/tree">hierarchy</Link>.
      </p>
    </Plain>
  );
}

export function Unauthorised() {
  return (
    <Plain title="You have no access to this page">
      <p>Your role does not include it. If you need it, ask your administrator.</p>
      <p>
        <Link to="/dashboard">To the dashboard</Link>
      </p>
    </Plain>
  );
}

export function Sa30i() {
  return (
    <Plain title="SA30i">
      <p>The content of this screen is not specified, so there is none.</p>
    </Plain>
  );
}
