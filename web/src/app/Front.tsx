// The front page: the sign-in, or the first screen of a user who is signed in.
import { useState, type ReactNode } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import { safeRedirect, session } from '../session/session';

export function Front({ children }: { readonly children: ReactNode }) {
  // A user who came signed in goes on. One who signs in here is sent on by the form, after its messages.
  const [wasSignedIn] = useState(() => session.current() !== null);
  const [query] = useSearchParams();
  return wasSignedIn ? <Navigate to={safeRedirect(query.get('redirect'))} replace /> : children;
}
