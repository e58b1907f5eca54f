// The user guide as PDF in a dialog, with a link that opens it in a new tab.
import { Dialog } from '../../ui/Dialog';
import { t } from '../../words';
import './guide.css';

const GUIDE = '/user-guide.pdf';

export function Guide({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t('help.userGuide')} onClose={onClose}>
      <iframe className="guide" src={GUIDE} title={t('help.userGuidePdf')} data-testid="guide-frame" />
      <div className="actions">
        <a href={GUIDE} target="_blank" rel="noopener">
          {t('help.openInATab')}
        </a>
        <button type="button" className="primary" data-first="" data-testid="guide-close" onClick={onClose}>
          {t('help.close')}
        </button>
      </div>
    </Dialog>
  );
}
