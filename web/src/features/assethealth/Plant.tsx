// The health of the substation's plant: transformers, switchgear and other modelled plant.
import { useMemo, useState } from 'react';
import { nextSorting, sorted, type Sorting, type TableColumn } from '../../table/columns';
import { csv } from '../../ui/csv';
import { useExports } from '../../ui/exports';
import { number } from '../../ui/format';
import { Answered, useAsk } from '../../ui/useAsk';
import { getPlantHealth, type Plant as PlantRow } from '../../wire/cable-health';
import { HEALTH_BANDS, HEALTH_WORDS, moneyIn, whyNot } from './sections';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly substation: number;
  readonly year: number;
  readonly subject: string;
  readonly currency: string;
}

const NOW = { now: 0, zone: 'UTC' } as const;
const figure = (key: 'HealthScore' | 'POF' | 'COF' | 'Risk' | 'RemainingLife' | 'AgeOfPlant', name: string, decimals: number): TableColumn<PlantRow> => ({
  key,
  name,
  isNumber: true,
  text: (row) => number(row[key], decimals),
  value: (row) => row[key],
});

const PARTS: Readonly<Record<string, string>> = { main: t('assethealth.partMain'), tap_changer: t('assethealth.partTapChanger') };

/** The kind of plant, with the part that decides its health if it has several. */
const kindOf = ({ Kind, Part }: PlantRow) => (Part === null ? (Kind ?? '–') : t('assethealth.plantKind', { kind: Kind ?? '–', part: PARTS[Part] ?? Part }));

const columnsIn = (currency: string): readonly TableColumn<PlantRow>[] => [
  { key: 'name', name: t('assethealth.plantName'), text: ({ AssetName }) => AssetName },
  { key: 'kind', name: t('assethealth.kind'), text: kindOf },
  {
    key: 'hi',
    name: t('assethealth.hi'),
    text: (row) => (row.HealthIndexBand ? `${row.HealthIndexBand} ${HEALTH_WORDS[row.HealthIndexBand]}` : whyNot(row)),
    value: ({ HealthIndexBand }) => HealthIndexBand,
  },
  figure('HealthScore', t('assethealth.healthScore'), 2),
  figure('AgeOfPlant', t('assethealth.ageYears'), 0),
  figure('RemainingLife', t('assethealth.remainingLife'), 0),
  figure('POF', t('assethealth.pofRate'), 4),
  figure('COF', t('assethealth.inCurrency', { what: t('assethealth.costOfFailure'), currency }), 0),
  figure('Risk', t('assethealth.inCurrency', { what: t('assethealth.riskYear'), currency }), 0),
];

export function Plant({ token, substation, year, subject, currency }: Props) {
  const asked = useAsk(`plant-${substation}-${year}`, async (asking) => ({ result: await getPlantHealth(token, substation, year, asking) }));
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const unit = asked.data?.currency ? moneyIn(asked.data) : currency;
  const columns = useMemo(() => columnsIn(unit), [unit]);
  const rows = sorted(asked.data?.plant ?? [], columns, sorting, NOW);
  const title = t('assethealth.plant');
  useExports([
    {
      name: t('charts.asCsv', { title }),
      file: `${subject}-${title}`,
      extension: 'csv',
      make: () => (rows.length === 0 ? null : new Blob([csv(columns.map(({ name }) => name), rows.map((row) => columns.map(({ value, text }) => (value ? value(row) : text(row, NOW)))))], { type: 'text/csv' })),
    },
  ]);
  return (
    <div className="analysis">
      <section className="facts" aria-label={title}>
        <h3>{title}</h3>
        <Answered asked={asked}>
          {({ plant }) =>
            plant.length === 0 ? (
              <p className="quiet">{t('charts.noDataFoundToDisplay')}</p>
            ) : (
              <div className="facts-scroll" tabIndex={0} role="region" aria-label={title}>
                <table data-testid="plant-table" aria-label={title}>
                  <thead>
                    <tr>
                      {columns.map(({ key, name, isNumber }) => {
                        const own = sorting?.key === key ? sorting : null;
                        return (
                          <th key={key} scope="col" className={isNumber ? 'number' : undefined} aria-sort={own ? (own.descending ? 'descending' : 'ascending') : undefined}>
                            <button type="button" onClick={() => setSorting(nextSorting(sorting, key))}>
                              {name}
                              <i aria-hidden="true">{own ? (own.descending ? ' ▾' : ' ▴') : ''}</i>
                            </button>
                          </th>
                        );
                      })}
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => {
                      const step = row.HealthIndexBand ? HEALTH_BANDS.indexOf(row.HealthIndexBand) + 1 : null;
                      return (
                        <tr key={row.AssetId} data-testid="plant-row">
                          {columns.map(({ key, isNumber, text }) => (
                            <td key={key} className={isNumber ? 'number' : undefined}>
                              {key === 'hi' && <i className="swatch" data-none={step === null} style={step === null ? undefined : { background: `var(--band-${step})` }} aria-hidden="true" />}
                              {text(row, NOW)}
                            </td>
                          ))}
                        </tr>
                      );
                    })}
                  </tbody>
                </table>
              </div>
            )
          }
        </Answered>
      </section>
    </div>
  );
}
