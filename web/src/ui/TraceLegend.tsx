// The legend of a highlighted part of the network, over the corner of a diagram or of the map.
import { t } from '../words';

interface Props {
  readonly kind: 'path' | 'feeds';
  readonly text: string;
  readonly testId: string;
  readonly onClose: () => void;
}

export function TraceLegend({ kind, text, testId, onClose }: Props) {
  return (
    <div className="trace-legend" data-testid={testId}>
      <i data-kind={kind} aria-hidden="true" />
      <span>{text}</span>
      <button type="button" className="plain" aria-label={t('ui.removeHighlight')} data-tip={t('ui.removeHighlight')} onClick={onClose}>
        ✕
      </button>
    </div>
  );
}
