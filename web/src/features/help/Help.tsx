// Help: the guide, the meaning of symbols, and the keys.
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog';
import { Guide } from './Guide';
import { t } from '../../words';

const SIGNS = [
  ['?', t('help.staleNothingNewerHasCome')],
  ['!', t('help.theDeviceItselfSaysThat')],
  ['S', t('help.enteredByHand')],
  ['–', t('help.neverReceivedItIsNot')],
] as const;

export function Help({ onClose }: { onClose: () => void }) {
  const [isReading, setReading] = useState(false);
  return (
    <Dialog title={t('help.help')} onClose={onClose}>
      <p>
        <button type="button" data-testid="guide-open" onClick={() => setReading(true)}>
          {t('help.userGuidePdf')}
        </button>
      </p>
      {isReading && <Guide onClose={() => setReading(false)} />}
      <h3>{t('help.signsBeforeAValue')}</h3>
      <dl className="signs">
        {SIGNS.map(([sign, meaning]) => (
          <div key={sign}>
            <dt>{sign}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <h3>{t('help.keys')}</h3>
      <dl className="signs">
        <div>
          <dt>{t('help.tab')}</dt>
          <dd>{t('help.toTheNextThingThat')}</dd>
        </div>
        <div>
          <dt>{t('help.ctrlK')}</dt>
          <dd>{t('help.toAnySubstationDeviceOr')}</dd>
        </div>
        <div>
          <dt>+ − 0</dt>
          <dd>{t('help.onTheDiagramNearerFarther')}</dd>
        </div>
        <div>
          <dt>⇧ F10</dt>
          <dd>{t('help.orTheMenuKeyOn')}</dd>
        </div>
        <div>
          <dt>{t('help.esc')}</dt>
          <dd>{t('help.closesWhatIsOpen')}</dd>
        </div>
      </dl>
      <div className="actions">
        <button type="button" className="primary" onClick={onClose}>
          {t('help.close')}
        </button>
      </div>
    </Dialog>
  );
}
