// The heat maps of risk and health index of the visible sections, one below the other.
import { useEffect, useMemo, useRef, useState } from 'react';
import { Plot } from '../../charts/Plot';
import type { SectionId } from '../../wire/cable-health';
import { heatmap, layoutOf, type Heat } from './heatmap';
import { healthHeat, riskHeat } from './heats';
import type { Shown } from './shown';
import { t } from '../../words';

interface Props {
  readonly shown: Shown;
  readonly subject: string;
  readonly span: string;
  readonly currency: string;
  readonly zone: string;
  readonly selected: SectionId | null;
  readonly onSelect: (id: SectionId) => void;
}

/** Height of title, legend and margins of a heat map, px. */
const AROUND = 92;
const LEAST = 220;
/** Screens narrower than this, px, have one scrolling column, so the heat maps have a fixed height. */
const ONE_COLUMN = 900;

export function HeatMap(props: Props) {
  const { currency } = props;
  const own = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(LEAST);
  const risk = useMemo(() => riskHeat(currency), [currency]);
  useEffect(() => {
    const box = own.current;
    if (!box) return;
    const fits = () => (window.innerWidth <= ONE_COLUMN ? LEAST : Math.max(LEAST, Math.floor(box.clientHeight / 2) - AROUND));
    const sized = new ResizeObserver(() => setHeight(fits()));
    sized.observe(box);
    return () => sized.disconnect();
  }, []);
  return (
    <div className="heat" ref={own} data-testid="heat-map">
      <Map {...props} heat={risk} title={t('assethealth.risk')} about={t('assethealth.riskAbout')} height={height} />
      <Map {...props} heat={healthHeat} title={t('assethealth.healthIndex')} about={t('assethealth.healthAbout')} height={height} />
    </div>
  );
}

interface MapProps extends Props {
  readonly heat: Heat;
  readonly title: string;
  readonly about: string;
  readonly height: number;
}

function Map({ heat, title, about, height, shown: { rows }, subject, span, zone, selected, onSelect }: MapProps) {
  const laid = useMemo(() => layoutOf(rows, heat), [rows, heat]);
  const figure = useMemo(() => heatmap(rows, heat, laid, selected), [rows, heat, laid, selected]);
  const pick = (stop: number) => {
    const row = rows[stop];
    if (row) onSelect(row.CableObjectId);
  };
  return <Plot title={title} detail={about} subject={subject} span={span} figure={figure} zone={zone} height={height} onPick={pick} />;
}
