// The start: fonts, styles, routes, and the sign-in of before a reload.
import '@fontsource-variable/inter';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, Navigate, RouterProvider } from 'react-router';
import { SignIn } from '../features/sign-in/SignIn';
import { session } from '../session/session';
import '../ui/tokens.css';
import '../ui/app.css';
import { Toasts } from '../ui/toast';
import { Shell } from './Shell';
import { theme } from './theme';

theme.apply();
const router = createBrowserRouter([
  { path: '/', element: <SignIn /> },
  { path: '/login', element: <SignIn /> },
  { path: '/dashboard', element: <Shell /> },
  { path: '/sldnew', element: <Shell /> },
  { path: '*', element: <Navigate to="/dashboard" replace /> },
]);

void session.resume().finally(() => {
  const root = document.getElementById('root');
  if (!root) return;
  createRoot(root).render(
    <>
      <RouterProvider router={router} />
      <Toasts />
    </>,
  );
});
