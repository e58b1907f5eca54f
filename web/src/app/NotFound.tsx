// The page of an unknown path.
import { Link, useLocation } from 'react-router';
import { Plain } from './Guarded';
import { t } from '../words';

export function NotFound() {
  const { pathname } = useLocation();
  return (
    <Plain title={t('app.thereIsNoSuchPage')}>
      <p>
        {t('app.nothingIsAt')} <b>{pathname}</b>{t('app.theAddressMayHaveA')}
      </p>
      <p>
        <Link to="/dashboard">{t('app.toTheDashboard')}</Link>
      </p>
    </Plain>
  );
}
