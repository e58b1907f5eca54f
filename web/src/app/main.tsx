// The start: fonts, styles, routes, and the sign-in of before a reload.
import '@fontsource-variable/inter';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { ForgotPassword } from '../features/sign-in/ForgotPassword';
import { SetPassword } from '../features/sign-in/SetPassword';
import { SignIn } from '../features/sign-in/SignIn';
import { loadBrand } from '../session/brand';
import { session } from '../session/session';
import '../ui/tokens.css';
import '../ui/app.css';
import '../ui/shell.css';
import { Notices } from '../ui/notice';
import { Toasts } from '../ui/toast';
import { Application } from './Application';
import { Guarded, NotBuilt, Sa30i, Unauthorised } from './Guarded';
import { NotFound } from './NotFound';
import { SCREENS } from './screens';
import { Sld } from './Sld';
import { Administration, Dashboard, Hierarchy, Shell } from './Shell';
import { display } from './display';
import { theme } from './theme';

theme.apply();
display.apply();
const applications = ['/eereportsnew', '/fareportsnew', '/assetreportsnew', '/assetreports', '/lowcarbon'];
const unbuilt = SCREENS.filter(({ isBuilt }) => !isBuilt).flatMap(({ path, also }) => [path, ...(also ?? [])]).filter((path) => !applications.includes(path));
const guarded = (path: string, element: React.ReactNode) => ({ path, element: <Guarded>{element}</Guarded> });

const router = createBrowserRouter([
  { path: '/', element: <SignIn /> },
  { path: '/login', element: <SignIn /> },
  { path: '/forgotpassword', element: <ForgotPassword /> },
  { path: '/setpassword', element: <SetPassword /> },
  {
    element: <Shell />,
    children: [
      guarded('/dashboard', <Dashboard />),
      guarded('/sldnew', <Sld />),
      guarded('/tree', <Hierarchy />),
      guarded('/administration', <Administration />),
      ...applications.map((path) => guarded(path, <Application key={path} />)),
      ...unbuilt.map((path) => guarded(path, <NotBuilt />)),
      { path: '/sa30i', element: <Sa30i /> },
      { path: '/unauthorize', element: <Unauthorised /> },
      { path: '*', element: <NotFound /> },
    ],
  },
]);

void loadBrand();
void session.resume().finally(() => {
  const root = document.getElementById('root');
  if (!root) return;
  createRoot(root).render(
    <>
      <RouterProvider router={router} />
      <Toasts />
      <Notices />
    </>,
  );
});
