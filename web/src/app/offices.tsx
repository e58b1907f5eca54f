// The screens about the utility itself: its users, and its hierarchy.
import { useOutletContext } from 'react-router';
import { Administration as People } from '../features/administration/Administration';
import { Tree } from '../features/hierarchy/Tree';
import { Plain } from './Guarded';
import type { Given } from './Shell';
import { t } from '../words';

export function Administration() {
  const { login } = useOutletContext<Given>();
  return (
    <Plain title={t('app.administration')}>
      <People login={login} />
    </Plain>
  );
}

export function Hierarchy() {
  const { login } = useOutletContext<Given>();
  return (
    <Plain title={t('app.hierarchy2')}>
      <Tree token={login.token} root={{ id: login.clientId, name: login.clientName }} />
    </Plain>
  );
}
