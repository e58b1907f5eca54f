// A path that is none.
import { Link, useLocation } from 'react-router';
import { Plain } from './Guarded';

export function NotFound() {
  const { pathname } = useLocation();
  return (
    <Plain title="There is no such page">
      <p>
        Nothing is at <b>{pathname}</b>. The address may have a typing mistake, or the page has moved.
      </p>
      <p>
        <Link to="/dashboard">To the dashboard</Link>
      </p>
    </Plain>
  );
}
