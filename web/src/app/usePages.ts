// The pages of the signed-in user's role, loaded once for each session.
import { createContext, useContext, useEffect, useState } from 'react';
import { get, type Login, type RolePage, problemOf } from '../wire/rest';
import { tabsOf, type Tab } from './tabs';

export interface Pages {
  /** Null until the pages are loaded. */
  readonly tabs: readonly Tab[] | null;
  /** The server's message if loading failed. */
  readonly problem: string;
  readonly retry: () => void;
}

export const PagesContext = createContext<Pages>({ tabs: null, problem: '', retry: () => undefined });

export function usePages(): Pages {
  return useContext(PagesContext);
}

export function useLoadPages(login: Login): Pages {
  const [pages, setPages] = useState<readonly RolePage[] | null>(null);
  const [problem, setProblem] = useState('');
  const [attempt, setAttempt] = useState(0);
  const { id, roleId, token } = login;
  useEffect(() => {
    let gone = false;
    setProblem('');
    get<RolePage[]>(token, `role/rolepages/${roleId}`).then(
      ({ result }) => gone || setPages(result),
      (error: unknown) => gone || setProblem(problemOf(error)),
    );
    return () => {
      gone = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a renewed token has the same user and role
  }, [id, roleId, attempt]);
  return { tabs: pages && tabsOf(pages, login), problem, retry: () => setAttempt((before) => before + 1) };
}
