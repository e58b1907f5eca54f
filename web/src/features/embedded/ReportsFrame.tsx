// The utility's reports on another server: a frame with the address of its configuration (specification 3, sections 2.6 and 8).
import { useEffect } from 'react';
import { useAsk } from '../../ui/useAsk';
import { getReportsUrl } from '../../wire/embedded';
import type { Login } from '../../wire/rest';
import { framed } from './framing';
import { Frame, NotConfigured } from './Frame';
import { t } from '../../words';

const SETTINGS = [
  ['http.frame_hosts', t('embedded.frameHosts')],
  ['reportsEmbedUrl', t('embedded.reportsEmbedUrl')],
] as const;

export function ReportsFrame({ login }: { login: Login }) {
  const asked = useAsk(`reports-url-${login.clientId}`, async (asking) => ({ result: await getReportsUrl(login.token, login.clientId, asking) }));
  const url = framed(asked.data ?? '', window.location.origin);
  const isWithout = asked.data !== null && !url;
  useEffect(() => {
    if (isWithout) console.error(t('embedded.noEmbedUrl'));
  }, [isWithout]);
  if (asked.problem) {
    return (
      <div className="notice" role="alert">
        <p>{asked.problem}</p>
        <button type="button" onClick={asked.retry}>
          {t('ui.tryAgain')}
        </button>
      </div>
    );
  }
  if (url) return <Frame url={url} title={t('embedded.reports')} />;
  return (
    <>
      <p className="waiting embed-waiting" role="status" data-testid="loading-embed">
        {t('embedded.loadingEmbed')}
      </p>
      {isWithout && <NotConfigured testId="reports-not-configured" text={asked.data ? t('embedded.notToBeFramed') : t('embedded.reportsNotConfigured')} settings={SETTINGS} />}
    </>
  );
}
