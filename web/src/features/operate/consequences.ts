// The changes of the network that an operation would cause, as lines of the confirmation.
import type { components } from '../../wire/schema';
import { customersText } from '../../ui/counts';
import { number } from '../../ui/format';
import { t } from '../../words';

export type Consequences = components['schemas']['NetworkConsequences'];
type Extent = components['schemas']['NetworkExtent'];

export interface Line {
  readonly text: string;
  /** Whether it warns of a danger. */
  readonly warns: boolean;
}

/** Customers and load of a part of the network. If it has no customers and no load, the number of its nodes. */
export function extentText({ nodes, customers, loadKw }: Extent): string {
  if (customers === 0 && loadKw === 0) return t('operate.nodesWithoutCustomers', { count: nodes });
  return t('operate.customersAndLoad', { customers: customersText(customers), load: number(loadKw / 1_000, 1) });
}

/** The lines of the confirmation, the dangers first. Empty if nothing changes. */
export function consequenceLines(found: Consequences): readonly Line[] {
  const lines: Line[] = [];
  const add = (applies: boolean, text: () => string, warns = false) => {
    if (applies) lines.push({ text: text(), warns });
  };
  add(found.liveOnEarth > 0, () => t('operate.energisesAnEarth'), true);
  add(found.liveOnEarth === 0 && found.mayBeLiveOnEarth > 0, () => t('operate.mayEnergiseAnEarth'), true);
  add(found.joinsSources, () => t('operate.joinsSources', { sources: found.sources.map(({ name }) => name).join(', ') || t('operate.outsideOfYourArea') }), true);
  add(found.goesDead.nodes > 0, () => t('operate.goesDead', { extent: extentText(found.goesDead) }), found.goesDead.customers > 0);
  add(found.mayGoDead.nodes > 0, () => t('operate.mayGoDead', { extent: extentText(found.mayGoDead) }), found.mayGoDead.customers > 0);
  add(found.goesLive.nodes > 0, () => t('operate.goesLive', { extent: extentText(found.goesLive) }));
  add(found.mayGoLive.nodes > 0, () => t('operate.mayGoLive', { extent: extentText(found.mayGoLive) }));
  add(found.closesLoop, () => t('operate.closesALoop'));
  add(!found.closesLoop && found.mayCloseLoop, () => t('operate.mayCloseALoop'));
  return lines;
}
