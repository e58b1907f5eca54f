// The React hook for the signed-in user.
import { useSyncExternalStore } from 'react';
import type { Login } from '../wire/rest';
import { session } from './session';

export function useSession(): Login | null {
  return useSyncExternalStore(session.subscribe, session.current);
}
