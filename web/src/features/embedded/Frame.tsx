// A page of another server in a sandboxed frame.
import { useState, type ReactNode } from 'react';
import { SANDBOX } from './framing';
import { t } from '../../words';
import './embedded.css';

interface Props {
  readonly url: URL;
  readonly title: string;
  /** Called with the window of the frame when the page has loaded. */
  readonly onLoad?: (to: Window) => void;
  /** Shown over the page after it has loaded, while its content is not ready. */
  readonly waiting?: ReactNode;
}

export function Frame({ url, title, onLoad, waiting = null }: Props) {
  const [isHere, setHere] = useState(false);
  return (
    <div className="embedded" aria-busy={!isHere || waiting !== null}>
      {(!isHere || waiting !== null) && (
        <div className="waiting" role="status" data-testid="embed-waiting">
          {waiting ?? t('embedded.loadingEmbed')}
        </div>
      )}
      <iframe
        src={url.href}
        title={title}
        sandbox={SANDBOX}
        referrerPolicy="no-referrer"
        data-testid="embedded-frame"
        onLoad={({ currentTarget }) => {
          setHere(true);
          if (currentTarget.contentWindow) onLoad?.(currentTarget.contentWindow);
        }}
      />
    </div>
  );
}

/** Shown if nothing is configured: the settings that an administrator has to make. */
export function NotConfigured({ testId, text, settings }: { testId: string; text: string; settings: readonly (readonly [name: string, meaning: string])[] }) {
  return (
    <div className="notice" data-testid={testId}>
      <p>{text}</p>
      <dl className="settings">
        {settings.map(([name, meaning]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
