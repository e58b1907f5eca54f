// How this machine shows open and closed, and whether unacknowledged changes blink.
import { useSyncExternalStore } from 'react';
import { Dialog } from '../ui/Dialog';
import { STATE_COLOURS, display } from './display';

export function DisplaySettings({ onClose }: { onClose: () => void }) {
  const { states, steady } = useSyncExternalStore(display.subscribe, display.current);
  return (
    <Dialog title="Display on this machine" onClose={onClose}>
      <fieldset>
        <legend>Open and closed; the shape says it too</legend>
        {STATE_COLOURS.map(([key, name]) => (
          <label key={key} className="check">
            <input type="radio" name="states" data-testid={`states-${key}`} checked={states === key} onChange={() => display.change({ states: key })} /> {name}
          </label>
        ))}
      </fieldset>
      <label className="check spaced">
        <input type="checkbox" data-testid="steady" checked={steady} onChange={(event) => display.change({ steady: event.target.checked })} /> A steady frame instead of blinking
      </label>
      <div className="actions">
        <button type="button" className="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
