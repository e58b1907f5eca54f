// Fonts, styles and routes. Screens that are rarely open are loaded on first use.
import '@fontsource-variable/inter';
import { lazy, Suspense, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import '../ui/tokens.css';
import '../ui/app.css';
import '../ui/shell.css';
import '../ui/monitoring.css';
import { Notices } from '../ui/notice';
import { SlowRequests } from '../ui/SlowRequests';
import { Toasts } from '../ui/toast';
import { Tooltips } from '../ui/Tooltips';
import { t } from '../words';
import { Front } from './Front';
import { Guarded, NotBuilt, Plain, Sa30i, Unauthorised } from './Guarded';
import { NotFound } from './NotFound';
import { ABNORMAL_PATH, FEEDER_PATH, SCREENS } from './screens';
import { Dashboard } from './Dashboard';
import { Shell } from './Shell';
import { display } from './display';
import { theme } from './theme';

const SignIn = lazy(() => import('../features/sign-in/SignIn').then(({ SignIn }) => ({ default: SignIn })));
const ForgotPassword = lazy(() => import('../features/sign-in/ForgotPassword').then(({ ForgotPassword }) => ({ default: ForgotPassword })));
const SetPassword = lazy(() => import('../features/sign-in/SetPassword').then(({ SetPassword }) => ({ default: SetPassword })));
const Analytics = lazy(() => import('./Analytics').then(({ Analytics }) => ({ default: Analytics })));
const AssetHome = lazy(() => import('./Analytics').then(({ AssetHome }) => ({ default: AssetHome })));
const AssetHealth = lazy(() => import('./AssetHealth').then(({ AssetHealth }) => ({ default: AssetHealth })));
const First = lazy(() => import('./First').then(({ First }) => ({ default: First })));
const Sld = lazy(() => import('./Sld').then(({ Sld }) => ({ default: Sld })));
const FeederScreen = lazy(() => import('./FeederScreen').then(({ FeederScreen }) => ({ default: FeederScreen })));
const AbnormalScreen = lazy(() => import('./AbnormalScreen').then(({ AbnormalScreen }) => ({ default: AbnormalScreen })));
const Administration = lazy(() => import('./offices').then(({ Administration }) => ({ default: Administration })));
const Reports = lazy(() => import('./reports').then(({ Reports }) => ({ default: Reports })));
const Embedded = lazy(() => import('./reports').then(({ Embedded }) => ({ default: Embedded })));
const Hierarchy = lazy(() => import('./offices').then(({ Hierarchy }) => ({ default: Hierarchy })));

theme.apply();
display.apply();
const first = { '/home': '/faultdashboard', '/faultdashboard': '/faultdashboard', '/eedashboard': '/eedashboard' } as const;
const analytics = ['/eereportsnew', '/fareportsnew', '/lowcarbon', '/assetreportsnew', '/assetreports'];
const unbuilt = SCREENS.filter(({ isBuilt }) => !isBuilt).flatMap(({ path, also }) => [path, ...(also ?? [])]);
const later = (element: ReactNode) => <Suspense fallback={<Plain title="">{t('app.loading')}</Plain>}>{element}</Suspense>;
const guarded = (path: string, element: ReactNode) => ({ path, element: <Guarded>{later(element)}</Guarded> });

const router = createBrowserRouter([
  { path: '/', element: <Front>{later(<SignIn />)}</Front> },
  { path: '/login', element: later(<SignIn />) },
  { path: '/forgotpassword', element: later(<ForgotPassword />) },
  { path: '/setpassword', element: later(<SetPassword />) },
  {
    element: <Shell />,
    children: [
      guarded('/dashboard', <Dashboard />),
      guarded('/sldnew', <Sld />),
      guarded(FEEDER_PATH, <FeederScreen />),
      guarded(ABNORMAL_PATH, <AbnormalScreen />),
      guarded('/tree', <Hierarchy />),
      guarded('/administration', <Administration />),
      guarded('/exportreports', <Reports />),
      guarded('/powerbi', <Embedded />),
      ...analytics.map((path) => guarded(path, <Analytics key={path} />)),
      guarded('/asset', <AssetHome />),
      guarded('/assethealth', <AssetHealth />),
      ...Object.entries(first).map(([path, of]) => guarded(path, <First key={of} path={of} />)),
      ...unbuilt.map((path) => guarded(path, <NotBuilt />)),
      { path: '/sa30i', element: <Sa30i /> },
      { path: '/unauthorize', element: <Unauthorised /> },
      { path: '*', element: <NotFound /> },
    ],
  },
]);

export function show(): void {
  const root = document.getElementById('root');
  if (!root) return;
  createRoot(root).render(
    <>
      <RouterProvider router={router} />
      <SlowRequests />
      <Toasts />
      <Notices />
      <Tooltips />
    </>,
  );
}
