// The legend of a diagram: lines, shapes and colours, and the additions of the utility's configuration (specification 2, section 2.4).
import { Dialog } from '../ui/Dialog';
import { Answered } from '../ui/useAsk';
import type { Login } from '../wire/rest';
import { useConfiguration } from './configuration';
import { t } from '../words';

const LEVELS = [
  ['--kv-132', '132 kV'],
  ['--kv-33', '33 kV'],
  ['--kv-11', '11 kV'],
  ['--kv-0-44', '0.44 kV'],
] as const;

const LINES = [
  ['solid', t('app.energisedInTheColourOf')],
  ['dead', t('app.notConnectedToAKnown')],
  ['earthed', t('app.earthed')],
  ['unknown', t('app.notKnownADeviceOn')],
  ['conflict', t('app.earthedAndConnectedToA')],
] as const;

export function Legend({ login, onClose }: { login: Login; onClose: () => void }) {
  const asked = useConfiguration(login);
  return (
    <Dialog title={t('app.legend')} onClose={onClose}>
      <h3>{t('app.voltage')}</h3>
      <ul className="legend">
        {LEVELS.map(([token, name]) => (
          <li key={token}>
            <i style={{ color: `var(${token})` }} /> {name}
          </li>
        ))}
      </ul>
      <h3>{t('app.linesAndBusbars')}</h3>
      <ul className="legend">
        {LINES.map(([kind, meaning]) => (
          <li key={kind}>
            <i data-kind={kind} /> {meaning}
          </li>
        ))}
      </ul>
      <h3>{t('app.highlighted')}</h3>
      <ul className="legend">
        <li>
          <i data-kind="path" /> {t('app.highlightedPath')}
        </li>
        <li>
          <i data-kind="feeds" /> {t('app.highlightedFeeds')}
        </li>
      </ul>
      <h3>{t('app.devices')}</h3>
      <ul className="legend">
        <li>
          <b>■</b> {t('app.closed')}
        </li>
        <li>
          <b>□</b> {t('app.open')}
        </li>
        <li>
          <b>?</b> {t('app.betweenPositionsInvalidOrNot')}
        </li>
        <li>
          <b>▣</b> {t('app.aDoubleFrameThatBlinks')}
        </li>
        <li>
          <b className="assumed" /> {t('app.dottedAssumed')}
        </li>
        <li>
          <b>S</b> {t('app.enteredByUser')}
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
          {t('app.close')}
        </button>
      </div>
    </Dialog>
  );
}
