// Settings of this browser: the colours of open and closed, and whether unacknowledged changes blink.
import { useSyncExternalStore } from 'react';
import { Dialog } from '../ui/Dialog';
import { STATE_COLOURS, display } from './display';
import { t } from '../words';

export function DisplaySettings({ onClose }: { onClose: () => void }) {
  const { states, steady } = useSyncExternalStore(display.subscribe, display.current);
  return (
    <Dialog title={t('app.displayOnThisMachine')} onClose={onClose}>
      <fieldset>
        <legend>{t('app.openAndClosedTheShape')}</legend>
        {STATE_COLOURS.map(([key, name]) => (
          <label key={key} className="check">
            <input type="radio" name="states" data-testid={`states-${key}`} checked={states === key} onChange={() => display.change({ states: key })} /> {name}
          </label>
        ))}
      </fieldset>
      <label className="check spaced">
        <input type="checkbox" data-testid="steady" checked={steady} onChange={(event) => display.change({ steady: event.target.checked })} /> {t('app.aSteadyFrameInsteadOf')}
      </label>
      <div className="actions">
        <button type="button" className="primary" onClick={onClose}>
          {t('app.close')}
        </button>
      </div>
    </Dialog>
  );
}
