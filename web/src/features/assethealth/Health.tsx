// The widgets of one substation and year. All of them draw the same result of `shown.ts`.
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Sorting } from '../../table/columns';
import { run, useExports } from '../../ui/exports';
import { Menu } from '../../ui/Menu';
import { notice } from '../../ui/notice';
import { TabList } from '../../ui/TabList';
import { Answered, useAsk, type Asked } from '../../ui/useAsk';
import { getCableHealth, getPlantHealth, type CableHealth, type Cell, type SectionId } from '../../wire/cable-health';
import type { Network } from '../../wire/monitoring';
import { problemOf } from '../../wire/rest';
import { alertsSheet, dataSheet, healthExports } from './exports';
import { Forecast, type Lists } from './Forecast';
import type { ListName } from './forecast';
import { HeatMap } from './HeatMap';
import { Plant } from './Plant';
import { RiskMatrix } from './RiskMatrix';
import { moneyIn, NOT_MODELLED } from './sections';
import { SectionFacts } from './SectionFacts';
import { SectionMap } from './SectionMap';
import { SectionTable } from './SectionTable';
import { inCell, namedApart, shownOf, type Filters } from './shown';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly zone: string;
  readonly network: Asked<Network>;
  readonly substation: number;
  readonly name: string;
  readonly year: number;
  readonly tab: string;
  readonly onTab: (key: string) => void;
}

export function Health(props: Props) {
  const { token, substation, year } = props;
  const asked = useAsk(`cable-health-${substation}-${year}`, async (asking) => ({ result: await getCableHealth(token, substation, year, asking) }));
  const { problem, retry } = asked;
  const data = useMemo(() => asked.data && { ...asked.data, cableSections: [...namedApart(asked.data.cableSections, asked.data.cableSections)] }, [asked.data]);
  // A substation can have plant without cables.
  const isBare = data?.cableSections.length === 0;
  const plant = useAsk(isBare ? `plant-of-${substation}-${year}` : null, async (asking) => ({ result: await getPlantHealth(token, substation, year, asking) }));
  const again = (
    <button type="button" onClick={retry}>
      {t('charts.tryAgain')}
    </button>
  );
  if (!data && !problem) return <div className="notice">{t('assethealth.loading')}</div>;
  if (!data)
    return (
      <div className="notice" role="alert">
        {problem} {again}
      </div>
    );
  return (
    <>
      {problem && (
        <p className="stale-line" role="alert">
          {t('charts.notUpToDate', { problem })} {again}
        </p>
      )}
      {!isBare ? (
        <Widgets {...props} data={data} />
      ) : (
        <Answered asked={plant}>
          {({ plant: rows }) =>
            rows.length === 0 ? <div className="notice">{t('charts.noDataFoundToDisplay')}</div> : <Widgets {...props} tab={props.tab || 'plant'} data={data} />
          }
        </Answered>
      )}
    </>
  );
}

const TABS = [
  ['heat', t('assethealth.heatMap')],
  ['matrix', t('assethealth.matrix')],
  ['map', t('assethealth.map')],
  ['forecast', t('assethealth.riskByYear')],
  ['plant', t('assethealth.plant')],
] as const;
const NO_FILTERS: Filters = {};
const EMPTY_LISTS: Lists = { A: new Set(), B: new Set() };

function Widgets({ token, zone, network, substation, name, year, tab, onTab, data }: Props & { data: CableHealth }) {
  const [cell, setCell] = useState<Cell | null>(null);
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [chosen, setChosen] = useState<SectionId | null>(null);
  const [lists, setLists] = useState<Lists>(EMPTY_LISTS);
  const [list, setList] = useState<ListName>('A');
  const sections = useMemo(() => inCell(data.cableSections, cell), [data.cableSections, cell]);
  const shown = useMemo(() => shownOf(sections, filters, sorting), [sections, filters, sorting]);
  // A selected section that a filter hides is selected again when the filter is removed.
  const selected = chosen !== null && shown.places.has(chosen) ? chosen : null;
  const subject = `${name} ${year}`;
  const currency = moneyIn(data);
  const files = healthExports(subject, () => ({ alerts: alertsSheet(shown.rows), data: dataSheet(shown.rows, currency) }));
  useExports(files);
  const replace = useCallback(
    (ids: readonly SectionId[], isOn: boolean) =>
      setLists((before) => {
        const next = new Set(before[list]);
        for (const id of ids) {
          if (isOn) next.add(id);
          else next.delete(id);
        }
        return { ...before, [list]: next };
      }),
    [list],
  );
  const askCell = (to: Cell | null) => {
    setFilters(NO_FILTERS);
    setCell(to);
  };
  const key = TABS.find(([own]) => own === tab)?.[0] ?? 'heat';
  const common = { shown, subject, span: String(year), zone };
  const views: Readonly<Record<(typeof TABS)[number][0], () => ReactNode>> = {
    heat: () => <HeatMap {...common} currency={currency} selected={selected} onSelect={setChosen} />,
    matrix: () => (
      <RiskMatrix
        {...common}
        data={data}
        cell={cell}
        onCell={askCell}
        onUnmodelled={() => {
          setCell(null);
          setFilters({ hi: new Set([NOT_MODELLED]) });
        }}
      />
    ),
    map: () => <SectionMap sections={data.cableSections} shown={shown} network={network} selected={selected} onSelect={setChosen} />,
    forecast: () => <Forecast {...{ token, substation, year, subject, zone, lists, list }} sections={data.cableSections} onList={setList} onReplace={replace} onSelect={setChosen} />,
    plant: () => <Plant {...{ token, substation, year, subject, currency }} />,
  };
  const row = selected === null ? undefined : shown.rows[shown.places.get(selected) ?? -1];
  return (
    <div className="first health">
      <div className="halves">
        <div>
          <TabList label={t('assethealth.assetHealthMonitoring')} tabs={TABS} current={key} onChoose={onTab} />
          <div className="health-pane">{views[key]()}</div>
        </div>
        <section aria-label={t('assethealth.networkTable')}>
          <div className="bar">
            <h2>{t('assethealth.networkTable')}</h2>
            <small data-testid="shown-count">{t('assethealth.shownOf', { shown: shown.rows.length, count: data.cableSections.length })}</small>
            {shown.notModelled > 0 && <small data-testid="unmodelled-count">{t('assethealth.ofThemUnmodelled', { n: shown.notModelled })}</small>}
            <span className="tools">
              {cell && (
                <button type="button" data-testid="cell-clear" onClick={() => askCell(null)}>
                  {t('assethealth.cellOff', { cell: [cell.ci, cell.hi].filter(Boolean).join(' ') })}
                </button>
              )}
              {Object.keys(filters).length > 0 && (
                <button type="button" data-testid="filters-clear" onClick={() => setFilters(NO_FILTERS)}>
                  {t('assethealth.filtersOff')}
                </button>
              )}
              <Menu
                label={t('assethealth.export')}
                testId="health-export"
                items={files.map((file) => ({
                  name: file.name,
                  testId: `export-${file.name}`,
                  onChoose: () => void run(file, zone).catch((error: unknown) => notice(problemOf(error))),
                }))}
              >
                {t('assethealth.export')} ▾
              </Menu>
            </span>
          </div>
          <SectionTable
            {...{ sections, shown, filters, sorting, selected, list }}
            replaced={lists[list]}
            onFilters={setFilters}
            onSorting={setSorting}
            onSelect={setChosen}
            onReplace={replace}
            empty={sections.length === 0 ? t('charts.noDataFoundToDisplay') : t('assethealth.nothingMatches')}
          />
          {row && <SectionFacts section={row} currency={currency} onClose={() => setChosen(null)} />}
          <p className="visually-hidden" role="status">
            {t('assethealth.shownOf', { shown: shown.rows.length, count: data.cableSections.length })}
          </p>
        </section>
      </div>
    </div>
  );
}
