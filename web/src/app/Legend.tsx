// What lines, shapes and colours of a diagram mean; with what the utility's configuration adds (specification 2, section 2.4).
import { Dialog } from '../ui/Dialog';
import { Answered, useAsk } from '../ui/useAsk';
import { get, type ClientConfiguration, type Login } from '../wire/rest';

const LEVELS = [
  ['--kv-132', '132 kV'],
  ['--kv-33', '33 kV'],
  ['--kv-11', '11 kV'],
  ['--kv-0-44', '0.44 kV'],
] as const;

const LINES = [
  ['solid', 'Energised, in the colour of its voltage: connected to a source through closed devices'],
  ['dead', 'Not connected to a known source. This is no proof that it is safe to work on'],
  ['earthed', 'Earthed'],
  ['unknown', 'Not known: a device on the way has no certain position'],
  ['conflict', 'Earthed and connected to a source at once: look at it now'],
] as const;

export function Legend({ login, onClose }: { login: Login; onClose: () => void }) {
  const asked = useAsk(`configuration-${login.clientId}`, () => get<ClientConfiguration>(login.token, `client/clientconfiguration/${login.clientId}`));
  return (
    <Dialog title="Legend" onClose={onClose}>
      <h3>Voltage</h3>
      <ul className="legend">
        {LEVELS.map(([token, name]) => (
          <li key={token}>
            <i style={{ color: `var(${token})` }} /> {name}
          </li>
        ))}
      </ul>
      <h3>Lines and busbars</h3>
      <ul className="legend">
        {LINES.map(([kind, meaning]) => (
          <li key={kind}>
            <i data-kind={kind} /> {meaning}
          </li>
        ))}
      </ul>
      <h3>Devices</h3>
      <ul className="legend">
        <li>
          <b>■</b> closed
        </li>
        <li>
          <b>□</b> open
        </li>
        <li>
          <b>?</b> between positions, invalid, or not known to be live
        </li>
        <li>
          <b>▣</b> a double frame that blinks: tripped, not yet acknowledged
        </li>
      </ul>
      <Answered asked={asked}>
        {({ legend }) =>
          legend.length > 0 && (
            <>
              <h3>{login.clientName}</h3>
              <ul className="legend">
                {legend.map(({ color, label }) => (
                  <li key={label}>
                    <i style={{ color }} /> {label}
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Answered>
      <div className="actions">
        <button type="button" className="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
