// A page of another server in a sandboxed frame.
import { useState } from 'react';
import { SANDBOX } from './framing';
import { t } from '../../words';
import './embedded.css';

interface Props {
  readonly url: URL;
  readonly title: string;
  /** Called with the window of the frame when the page has loaded. */
  readonly onLoad?: (to: Window) => void;
}

export function Frame({ url, title, onLoad }: Props) {
  const [isHere, setHere] = useState(false);
  return (
    <div className="embedded" aria-busy={!isHere}>
      {!isHere && (
        <p className="waiting" role="status">
          {t('embedded.loadingEmbed')}
        </p>
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
