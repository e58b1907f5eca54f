// The devices of a diagram that can be selected, with the data that the panel shows. Pure.
import { isPickable } from '../features/diagram/boxes';
import { isInverted } from '../features/diagram/state';
import type { Device } from '../features/station/Detail';
import { number } from '../ui/format';
import { LOW_KV } from '../ui/quantities';
import type { Drawing, Element } from '../wire/sld';
import { t } from '../words';

/** Names of the classes whose word is not that of the file. */
const CLASSES: Readonly<Record<string, string>> = { loadBreakSwitch: 'load-break switch' };

export function devicesOf(drawing: Drawing | null): Device[] {
  const elements = (drawing?.elements ?? []).filter(isPickable);
  const counts = new Map<string, number>();
  for (const { name = '' } of elements) counts.set(name, (counts.get(name) ?? 0) + 1);
  // Transformers are often named by their rating: the unit before them in their id distinguishes them.
  const unitOf = ({ name = '', equipment }: Element) => ((counts.get(name) ?? 0) > 1 ? equipment?.split('/').at(-2) : undefined);
  return elements.map((element) => ({
    id: element.id,
    name: [element.name || element.class, unitOf(element)].filter(Boolean).join(', '),
    className: CLASSES[element.class] ?? element.class,
    assetId: element.assetId ?? null,
    pointId: element.position?.pointId ?? null,
    equipment: element.equipment ?? null,
    isLow: (element.kv ?? LOW_KV) < LOW_KV,
    inverted: isInverted(element),
    assumed: element.position?.pointId === undefined && !element.confirmed ? (element.normal ?? null) : null,
    confirmed: element.confirmed ?? null,
    temporary: element.temporary ?? [],
    facts: factsOf(element),
  }));
}

/** Facts about a device from the network. */
function factsOf({ equipment, customers, kw, mva, normal, position }: Element): Device['facts'] {
  if (!equipment) return [];
  const facts: [string, string][] = [];
  if (mva !== undefined) facts.push([t('station.rating'), mva < 1 ? `${Math.round(mva * 1_000)} kVA` : `${mva} MVA`]);
  if (customers !== undefined) facts.push([t('station.customers'), number(customers, 0)]);
  if (kw !== undefined) facts.push([t('station.load'), `${number(kw, 0)} kW`]);
  if (normal && position?.pointId !== undefined) facts.push([t('station.normalPosition'), normal === 'open' ? t('station.open') : t('station.closed')]);
  facts.push([t('station.equipment'), equipment]);
  return facts;
}
