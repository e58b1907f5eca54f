// The position of a source: whether it is present.
import type { Schemas } from '../wire/rest';
import { t } from '../words';

type Equipment = Schemas['NetworkEquipment'];

/** The kinds of equipment that feed the network. */
const SOURCES: ReadonlySet<string> = new Set(['EnergySource', 'GeneratingUnit', 'BatteryUnit']);

/** Whether the position of equipment says whether it is present. */
export const isSource = (equipment: Pick<Equipment, 'kind'> | null | undefined): boolean => equipment != null && SOURCES.has(equipment.kind);

/** An entered position as a text: of a source, whether it is present. */
export function positionText(position: string, equipment: Pick<Equipment, 'kind'> | null | undefined): string {
  if (isSource(equipment)) return position === 'open' ? t('operate.gone') : t('operate.present');
  return position === 'open' ? t('station.open') : t('station.closed');
}
