// The Power BI report (specification 3, section 2.6) in a frame. A token from our server opens it for this utility. No script of Power BI runs in our page.
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { notice } from '../../ui/notice';
import { useAsk } from '../../ui/useAsk';
import { getEmbedInfo, type EmbedInfo } from '../../wire/embedded';
import { Failure, problemOf, type Asking, type Login } from '../../wire/rest';
import { eventAnswer, framed, loadRequest, parseFrameMessage, renewalMs, tokenRequest, withReportUid, type ReportProblem } from './framing';
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

/** Time without the report after which the page says that Power BI is slow, ms. */
const SLOW_MS = 30_000;

/** State of the report in the frame. `info` is the answer of our server with which it was opened: a retry opens another one. */
interface Opening {
  readonly info: EmbedInfo;
  readonly state: 'loaded' | 'slow' | 'refused';
  readonly text: string;
}

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
  const { retry } = asked;
  const { info, status } = asked.data ?? { info: null, status: null };
  useEffect(() => {
    if (status !== null) notice(t('embedded.httpError', { status }));
  }, [status]);
  const [uid] = useState(() => crypto.randomUUID());
  const url = useMemo(() => framed(info?.embedUrl ?? '', window.location.origin), [info]);
  const [frame, setFrame] = useState<Window | null>(null);
  const [opening, setOpening] = useState<Opening | null>(null);
  const [attempt, setAttempt] = useState(0);
  const here = opening?.info === info ? opening : null;
  const load = useRef('');
  const isAccepted = useRef(false);
  const target = useRef<Window | null>(null);
  const origin = url?.origin ?? '';
  const open = (to: Window, current: EmbedInfo) => {
    load.current = crypto.randomUUID();
    isAccepted.current = false;
    // The target origin keeps the token from another page that may be in the frame by then.
    to.postMessage(loadRequest(current, login.clientId, { id: load.current, uid }), origin);
  };
  const isLoaded = here?.state === 'loaded';
  const { newest, renewNow } = useRenewal(login, info, frame, origin, (to, next) => {
    // A report that refused its old token is loaded with the new one.
    if (isAccepted.current) to.postMessage(tokenRequest(next, { id: crypto.randomUUID(), uid }), origin);
    else open(to, next);
  });
  const refuse = ({ text, isExpired }: ReportProblem, code: number | null) => {
    if (!info || (isExpired && renewNow())) return;
    const reason = [code === null ? '' : t('embedded.httpError', { status: code }), text].filter(Boolean).join(' ');
    // A report that is shown remains: it displays its own errors.
    if (!isLoaded) setOpening({ info, state: 'refused', text: t('embedded.reportRefused', { reason }) });
  };
  useMessages(target, origin, (data, to) => {
    const message = parseFrameMessage(data, uid);
    if (message?.kind === 'event') {
      to.postMessage(eventAnswer(message.id), origin);
      if (message.problem) refuse(message.problem, null);
      else if (info && (message.name === 'loaded' || message.name === 'rendered')) {
        isAccepted.current = true;
        setOpening({ info, state: 'loaded', text: '' });
      }
    } else if (message && message.id === load.current) {
      if (message.problem) refuse(message.problem, message.status);
      else isAccepted.current = true;
    }
  });
  const reload = () => {
    setOpening(null);
    setAttempt((before) => before + 1);
  };
  const isWaiting = frame !== null && here === null;
  useEffect(() => {
    if (!isWaiting || !info) return undefined;
    const timer = setTimeout(() => setOpening((before) => (before?.info === info ? before : { info, state: 'slow', text: '' })), SLOW_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, info]);
  if (asked.problem || status !== null) {
    return (
      <div className="notice" role="alert" data-testid="powerbi-problem">
        <p>{asked.problem || t('embedded.httpError', { status: status ?? 0 })}</p>
        <button type="button" onClick={retry}>
          {t('ui.tryAgain')}
        </button>
      </div>
    );
  }
  if (here?.state === 'refused') {
    return (
      <div className="notice" role="alert" data-testid="powerbi-refused">
        <p>{here.text}</p>
        <button type="button" onClick={retry}>
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
  return (
    <Frame
      key={attempt}
      url={withReportUid(url, uid)}
      title={t('app.embeddedReport')}
      waiting={isLoaded ? null : here?.state === 'slow' ? <Slow onRetry={reload} /> : t('embedded.loadingEmbed')}
      onLoad={(to) => {
        target.current = to;
        setOpening(null);
        open(to, newest() ?? info);
        setFrame(to);
      }}
    />
  );
}

/** Calls `onMessage` with each message of the frame's window, if its page has this origin. */
function useMessages(from: RefObject<Window | null>, origin: string, onMessage: (data: unknown, to: Window) => void) {
  const newest = useRef(onMessage);
  useEffect(() => {
    newest.current = onMessage;
  });
  useEffect(() => {
    if (!origin) return undefined;
    const receive = ({ source, origin: sender, data }: MessageEvent<unknown>) => {
      if (from.current && source === from.current && sender === origin) newest.current(data, from.current);
    };
    window.addEventListener('message', receive);
    return () => window.removeEventListener('message', receive);
  }, [from, origin]);
}

/** Shown while Power BI has not opened the report for some time. It may still open. */
function Slow({ onRetry }: { onRetry: () => void }) {
  return (
    <>
      {t('embedded.reportSlow', { seconds: SLOW_MS / 1_000 })}{' '}
      <button type="button" className="plain" onClick={onRetry}>
        {t('ui.tryAgain')}
      </button>
    </>
  );
}

/** Renewal of the token of a report. */
interface Renewal {
  /** The newest answer, with which a reloaded frame is opened. */
  readonly newest: () => EmbedInfo | null;
  /** Requests a new token at once. False if the last request was less than a minute ago: another token would not help. */
  readonly renewNow: () => boolean;
}

/** Requests a new token before the current one expires, and when the report requires it. `give` passes it to the frame. */
function useRenewal({ token, clientId }: Login, info: EmbedInfo | null, frame: Window | null, origin: string, give: (to: Window, next: EmbedInfo) => void): Renewal {
  // The user's own token is renewed many times while a report is open.
  const own = useRef(token);
  const pass = useRef(give);
  useEffect(() => {
    own.current = token;
    pass.current = give;
  });
  const newest = useRef(info);
  useEffect(() => {
    newest.current = info;
  }, [info]);
  const request = useRef<() => boolean>(() => false);
  useEffect(() => {
    if (!frame || !origin || !info?.expires) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    let requestedAt = -Infinity;
    const waits = (ms: number) => {
      timer = setTimeout(() => void renew(), ms);
    };
    const renew = async () => {
      requestedAt = Date.now();
      try {
        const next = await getEmbedInfo(own.current, { isBackground: true, signal: stop.signal });
        if (stop.signal.aborted) return;
        newest.current = next;
        pass.current(frame, next);
        waits(renewalMs(next.expires, Date.now()));
      } catch (error) {
        if (stop.signal.aborted) return;
        if (Date.now() + AGAIN_MS < Date.parse(newest.current?.expires ?? '')) return waits(AGAIN_MS);
        // The report remains. The frame itself shows when its token has expired.
        notice(error instanceof Failure && error.status > 0 ? t('embedded.httpError', { status: error.status }) : problemOf(error));
      }
    };
    request.current = () => {
      if (Date.now() < requestedAt + AGAIN_MS) return false;
      clearTimeout(timer);
      void renew();
      return true;
    };
    waits(renewalMs(newest.current?.expires ?? '', Date.now()));
    return () => {
      stop.abort();
      clearTimeout(timer);
      request.current = () => false;
    };
  }, [frame, origin, info, clientId]);
  return { newest: () => newest.current, renewNow: () => request.current() };
}
