// Help: the guide, what the signs mean, and the keys.
import { Dialog } from '../../ui/Dialog';

const SIGNS = [
  ['?', 'Stale: nothing newer has come for longer than usual'],
  ['!', 'The device itself says that the value is not valid'],
  ['S', 'Entered by hand'],
  ['–', 'Never received. It is not zero'],
] as const;

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Help" onClose={onClose}>
      <p>
        <a href="/user-guide.pdf" target="_blank" rel="noopener">
          User guide (PDF)
        </a>
      </p>
      <h3>Signs before a value</h3>
      <dl className="signs">
        {SIGNS.map(([sign, meaning]) => (
          <div key={sign}>
            <dt>{sign}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <h3>Keys</h3>
      <dl className="signs">
        <div>
          <dt>Tab</dt>
          <dd>to the next thing that can be used; the focus is always framed</dd>
        </div>
        <div>
          <dt>Ctrl K</dt>
          <dd>to any substation, device or screen by its name</dd>
        </div>
        <div>
          <dt>+ − 0</dt>
          <dd>on the diagram: nearer, farther, all of it; the arrows move it</dd>
        </div>
        <div>
          <dt>⇧ F10</dt>
          <dd>or the menu key, on a device of the list: what can be done with it</dd>
        </div>
        <div>
          <dt>Esc</dt>
          <dd>closes what is open</dd>
        </div>
      </dl>
      <div className="actions">
        <button type="button" className="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
