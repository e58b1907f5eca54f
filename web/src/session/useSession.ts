// The signed-in person as React sees them.
import { useSyncExternalStore } from 'react';
import type { Login } from '../wire/rest';
import { session } from './session';

export function useSession(): Login | null {
  return useSyncExternalStore(session.subscribe, session.current);
}
