// The switches that are not in their normal position, and the switches whose position is not known.
import { useMemo } from 'react';
import { useAnswerFeed } from '../../live/useAnswerFeed';
import { eventTime, number } from '../../ui/format';
import type { Schemas } from '../../wire/rest';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { t } from '../../words';

export type Abnormal = Schemas['NetworkAbnormal'];
/** A switch of the list. `observed`: when a user has seen the position that is entered for it and counts; absent if none is. */
export type AbnormalSwitch = Schemas['NetworkAbnormalSwitch'] & { readonly observed?: string };

const POSITIONS: Readonly<Record<string, string>> = { open: t('network.open'), closed: t('network.closed'), unknown: t('network.notKnown') };
const positionOf = (position: string) => POSITIONS[position] ?? position;
/** Names of kinds of equipment. Others are shown by the name of their class. */
const KINDS: Readonly<Record<string, string>> = {
  Breaker: t('network.breaker'),
  Disconnector: t('network.disconnector'),
  GroundDisconnector: t('network.earthSwitch'),
  LoadBreakSwitch: t('network.loadBreakSwitch'),
  Fuse: t('network.fuse'),
  Recloser: t('network.recloser'),
  Sectionaliser: t('network.sectionaliser'),
  Switch: t('network.switch'),
};

/** The time since which a switch has its position. If it is not known, the text says so, with the time of the last report. */
export function sinceText({ present, since, reported, observed }: AbnormalSwitch, now: number, zone: string): string {
  const at = (time: string) => eventTime(Date.parse(time), now, zone);
  if (observed) return t('network.observedAt', { at: at(observed) });
  if (since) return at(since);
  if (!reported) return t('network.neverReported');
  return present === 'unknown' ? t('network.lastReport', { at: at(reported) }) : t('network.notKnownSince', { at: at(reported) });
}

/** The present position, marked if a user has entered it. If it is not known, also the last known position. */
export function presentText({ present, lastKnown, observed }: AbnormalSwitch): string {
  if (present !== 'unknown') return observed ? `S ${positionOf(present)}` : positionOf(present);
  return lastKnown ? t('network.notKnownWas', { position: positionOf(lastKnown).toLowerCase() }) : positionOf(present);
}

const COLUMNS: readonly TableColumn<AbnormalSwitch>[] = [
  { key: 'station', name: t('network.substation'), text: ({ equipment }) => equipment.station ?? '–' },
  { key: 'feeder', name: t('network.feeder'), text: ({ feeder }) => feeder ?? '–' },
  { key: 'equipment', name: t('network.equipment'), text: ({ equipment }) => equipment.name, title: ({ equipment }) => equipment.id },
  { key: 'kind', name: t('network.kind'), text: ({ equipment }) => KINDS[equipment.kind] ?? equipment.kind },
  { key: 'normal', name: t('network.normalPosition'), text: ({ normal }) => positionOf(normal) },
  { key: 'present', name: t('network.presentPosition'), text: presentText },
  {
    key: 'since',
    name: t('network.since'),
    text: (row, { now, zone }) => sinceText(row, now, zone),
    value: ({ since }) => since ?? null,
    title: ({ since, reported, observed }, { now, zone }) => (observed ? t('network.observedOnSite') : since ? t('network.bySourceTime') : reported ? t('network.lastReport', { at: eventTime(Date.parse(reported), now, zone) }) : t('network.neverReported')),
  },
  { key: 'customers', name: t('network.customersAffected'), isNumber: true, text: ({ customers }) => number(customers, 0), value: ({ customers }) => customers ?? null, title: () => t('network.customersAffectedAbout') },
];

const keyOf = ({ equipment }: AbnormalSwitch) => equipment.id;
/** Known positions first, and of these the newest. */
const order = (a: AbnormalSwitch, b: AbnormalSwitch) => Number(a.present === 'unknown') - Number(b.present === 'unknown') || (b.since ?? '').localeCompare(a.since ?? '') || a.equipment.id.localeCompare(b.equipment.id);
const bar = ({ present }: AbnormalSwitch) => (present === 'unknown' ? undefined : 'warn');

interface Props {
  /** Null until the first answer. */
  readonly data: Abnormal | null;
  /** When the entered positions that count were observed, by the ids of their equipment. */
  readonly observed: ReadonlyMap<string, string>;
  readonly problem: string;
  readonly zone: string;
  /** Opens the diagram with the switch. */
  readonly onOpen: (row: AbnormalSwitch) => void;
}

export function AbnormalTable({ data, observed, problem, zone, onOpen }: Props) {
  const rows = useMemo(() => {
    const rowOf = (row: AbnormalSwitch): AbnormalSwitch => {
      const at = observed.get(row.equipment.id);
      return at === undefined ? row : { ...row, observed: at };
    };
    return data && data.listed.map(rowOf);
  }, [data, observed]);
  const feed = useAnswerFeed(rows, problem, keyOf);
  const about = data && t('network.abnormalSums', { abnormal: number(data.abnormal, 0), unknown: number(data.unknown, 0), assumed: number(data.assumed, 0), switches: number(data.switches, 0) });
  const more = data ? data.abnormal + data.unknown - data.listed.length : 0;
  const open = (key: string | number) => {
    const row = feed.get(key);
    if (row) onOpen(row);
  };
  return (
    <LiveTable
      title={t('network.abnormalSwitching')}
      {...(about ? { about: more > 0 ? `${about}. ${t('network.notListed', { count: more, number: number(more, 0) })}` : about } : {})}
      name="abnormal-switching"
      feed={feed}
      keyOf={keyOf}
      columns={COLUMNS}
      order={order}
      bar={bar}
      zone={zone}
      testId="abnormal"
      empty={t('network.allNormal')}
      onSelect={open}
    />
  );
}
