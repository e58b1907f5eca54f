// The Power BI report (specification 3, section 2.6) in a frame. A token from our server opens it for this utility. No script of Power BI runs in our page.
import { useEffect, useMemo, useRef, useState } from 'react';
import { notice } from '../../ui/notice';
import { useAsk } from '../../ui/useAsk';
import { getEmbedInfo, type EmbedInfo } from '../../wire/embedded';
import { Failure, problemOf, type Asking, type Login } from '../../wire/rest';
import { framed, loadRequest, renewalMs, tokenRequest } from './framing';
import { Frame, NotConfigured } from './Frame';
import { t } from '../../words';

/** The server's code for a report that is not configured. */
const NOT_CONFIGURED = 'not-configured';

const SETTINGS = [
  ['powerbi.tenant_id', t('embedded.tenantId')],
  ['powerbi.app_id', t('embedded.appId')],
  ['powerbi.app_secret_file', t('embedded.appSecret')],
  ['powerbi.workspace_id', t('embedded.workspaceId')],
  ['powerbi.report_id', t('embedded.reportId')],
  ['powerbi.role', t('embedded.role')],
] as const;

/** Interval of retries after a failed renewal, ms, until the current token expires. */
const AGAIN_MS = 60_000;

type Told = { readonly info: EmbedInfo | null; readonly status: number | null };

/** Returns the answer, or the status of a refusal, which the specification's message contains. */
async function told(token: string, asking: Asking): Promise<{ result: Told }> {
  try {
    return { result: { info: await getEmbedInfo(token, asking), status: null } };
  } catch (error) {
    if (!(error instanceof Failure) || error.status === 0) throw error;
    return { result: { info: null, status: error.code === NOT_CONFIGURED ? null : error.status } };
  }
}

export function PowerBi({ login }: { login: Login }) {
  const asked = useAsk(`powerbi-${login.clientId}`, (asking) => told(login.token, asking));
  const { info, status } = asked.data ?? { info: null, status: null };
  useEffect(() => {
    if (status !== null) notice(t('embedded.httpError', { status }));
  }, [status]);
  const url = useMemo(() => framed(info?.embedUrl ?? '', window.location.origin), [info]);
  const [frame, setFrame] = useState<Window | null>(null);
  const newest = useRenewal(login, info, frame, url?.origin ?? '');
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
  // The target origin keeps the token from another page that may be in the frame by then.
  return (
    <Frame
      url={url}
      title={t('app.embeddedReport')}
      onLoad={(to) => {
        to.postMessage(loadRequest(newest() ?? info, login.clientId, crypto.randomUUID()), url.origin);
        setFrame(to);
      }}
    />
  );
}

/** Sends a new token to the frame before the current one expires. Returns a function that gives the newest answer, with which a reloaded frame is opened. */
function useRenewal({ token, clientId }: Login, info: EmbedInfo | null, frame: Window | null, origin: string): () => EmbedInfo | null {
  // The user's own token is renewed many times while a report is open.
  const own = useRef(token);
  useEffect(() => {
    own.current = token;
  }, [token]);
  const newest = useRef(info);
  useEffect(() => {
    newest.current = info;
  }, [info]);
  useEffect(() => {
    if (!frame || !origin || !info?.expires) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const waits = (ms: number) => {
      timer = setTimeout(() => void renew(), ms);
    };
    const renew = async () => {
      try {
        const next = await getEmbedInfo(own.current, { isBackground: true, signal: stop.signal });
        if (stop.signal.aborted) return;
        newest.current = next;
        frame.postMessage(tokenRequest(next, crypto.randomUUID()), origin);
        waits(renewalMs(next.expires, Date.now()));
      } catch (error) {
        if (stop.signal.aborted) return;
        if (Date.now() + AGAIN_MS < Date.parse(newest.current?.expires ?? '')) return waits(AGAIN_MS);
        // The report remains. The frame itself shows when its token has expired.
        notice(error instanceof Failure && error.status > 0 ? t('embedded.httpError', { status: error.status }) : problemOf(error));
      }
    };
    waits(renewalMs(newest.current?.expires ?? '', Date.now()));
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [frame, origin, info, clientId]);
  return () => newest.current;
}
