// The report of Power BI (specification 3, section 2.6): in a frame, opened by a token that our server makes for this utility. None of its scripts run here.
import { useEffect, useMemo } from 'react';
import { notice } from '../../ui/notice';
import { useAsk } from '../../ui/useAsk';
import { getEmbedInfo } from '../../wire/embedded';
import { Failure, type Login } from '../../wire/rest';
import { framed, loadRequest } from './framing';
import { Frame, NotConfigured } from './Frame';
import { t } from '../../words';

/** The server's word while nobody has configured it. */
const NOT_CONFIGURED = 'not-configured';

const SETTINGS = [
  ['powerbi.tenant_id', t('embedded.tenantId')],
  ['powerbi.app_id', t('embedded.appId')],
  ['powerbi.app_secret_file', t('embedded.appSecret')],
  ['powerbi.workspace_id', t('embedded.workspaceId')],
  ['powerbi.report_id', t('embedded.reportId')],
] as const;

type Told = { readonly info: Awaited<ReturnType<typeof getEmbedInfo>> | null; readonly status: number | null };

/** Answers, and refusals by their status, which the specification's alert tells. */
async function told(token: string): Promise<{ result: Told }> {
  try {
    return { result: { info: await getEmbedInfo(token), status: null } };
  } catch (error) {
    if (!(error instanceof Failure) || error.status === 0) throw error;
    return { result: { info: null, status: error.code === NOT_CONFIGURED ? null : error.status } };
  }
}

export function PowerBi({ login }: { login: Login }) {
  const asked = useAsk(`powerbi-${login.clientId}`, () => told(login.token));
  const { info, status } = asked.data ?? { info: null, status: null };
  useEffect(() => {
    if (status !== null) notice(t('embedded.httpError', { status }));
  }, [status]);
  const url = useMemo(() => framed(info?.embedUrl ?? '', window.location.origin), [info]);
  if (asked.problem || status !== null) {
    return (
      <div className="notice" role="alert" data-testid="powerbi-problem">
        <p>{asked.problem || t('embedded.httpError', { status: status ?? 0 })}</p>
        <button type="button" onClick={asked.retry}>
          {t('ui.tryAgain')}
        </button>
      </div>
    );
  }
  if (!asked.data) return <div className="notice">{t('embedded.loadingEmbed')}</div>;
  if (!info?.embedUrl) return <NotConfigured testId="powerbi-not-configured" text={t('embedded.powerBiNotConfigured')} settings={SETTINGS} />;
  if (!url) {
    return (
      <div className="notice" role="alert" data-testid="powerbi-problem">
        {t('embedded.notToBeFramed')}
      </div>
    );
  }
  // To that origin alone: the token is not for whoever else may be in the frame by then.
  return <Frame url={url} title={t('app.embeddedReport')} onLoad={(to) => to.postMessage(loadRequest(info, login.clientId, crypto.randomUUID()), url.origin)} />;
}
