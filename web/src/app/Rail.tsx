// The navigation between the user's screens: a column, or a row at the bottom of a small screen.
import { NavLink } from 'react-router';
import { SCREENS, pathsOf } from './screens';
import { mayOpen } from './tabs';
import { usePages } from './usePages';
import { t } from '../words';

export function Rail() {
  const { tabs } = usePages();
  const open = SCREENS.filter((screen) => tabs && pathsOf(screen).some((path) => mayOpen(tabs, path)));
  return (
    <nav className="rail" aria-label={t('app.screens')} aria-busy={tabs === null}>
      {open.map(({ path, title, sign }) => (
        <NavLink key={path} to={path} title={title} aria-label={title} data-testid={`rail-${path.slice(1)}`}>
          <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" strokeLinecap="round">
            <path d={sign} />
          </svg>
          <span>{title}</span>
        </NavLink>
      ))}
    </nav>
  );
}
