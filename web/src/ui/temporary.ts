// The names of the kinds of temporary changes.
import { t } from '../words';

export const kindText = (kind: string): string => (kind === 'jumper' ? t('ui.jumper') : kind === 'cut' ? t('ui.cut') : t('ui.portableEarth'));
