// The two files of the screen: the table as shown, with alerts, and all data of the visible sections.
import type { Cell } from '../../charts/table';
import { csv } from '../../ui/csv';
import type { Export } from '../../ui/exports';
import type { CableSection } from '../../wire/cable-health';
import { alertOf, COLUMNS, whyNot } from './sections';
import { t } from '../../words';

interface Sheet {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export function alertsSheet(rows: readonly CableSection[]): Sheet {
  return {
    head: [...COLUMNS.map(({ name }) => name), t('assethealth.alert')],
    rows: rows.map((row) => [...COLUMNS.map(({ value, text }) => (value ? value(row) : text(row, { now: 0, zone: 'UTC' }))), alertOf(row)]),
  };
}

/** Fields with the specification's names (3, section 3); a unit is part of the heading. */
const FIELDS = [
  'AssetName',
  'CableAssetName',
  'CableObjectId',
  'Section',
  'VoltageKv',
  'CriticalityIndex',
  'HealthIndexBand',
  'HealthScore',
  'SectionLengthKM',
  'SectionLength',
  'AgeOfCable',
  'RemainingLife',
  'POF',
  'POFPercent',
  'COF',
  'CoFFinancial',
  'CoFSafety',
  'CoFEnvironment',
  'CoFNetwork',
  'Risk',
  'ConsumersPerCS',
  'ConsumersPerCable',
  'ConsumerPerFeeder',
  'NoOfFaults',
  'Model',
  'Colcolor',
  'CIColor',
  'HIColor',
  'AgeDisplayColor',
] as const satisfies readonly (keyof CableSection)[];
const MONEY: readonly string[] = ['COF', 'CoFFinancial', 'CoFSafety', 'CoFEnvironment', 'CoFNetwork', 'Risk'];

export function dataSheet(rows: readonly CableSection[], currency: string): Sheet {
  return {
    head: [...FIELDS.map((name) => (currency && MONEY.includes(name) ? `${name} (${currency})` : name)), 'ModelNote'],
    rows: rows.map((row) => [...FIELDS.map((name) => row[name]), row.HealthIndexBand === null ? whyNot(row) : null]),
  };
}

/** Exports each sheet as CSV and XLSX. An empty sheet creates no file. */
export function healthExports(subject: string, sheets: () => { readonly alerts: Sheet; readonly data: Sheet }): readonly Export[] {
  return (['alerts', 'data'] as const).flatMap((key) => {
    const title = key === 'alerts' ? t('assethealth.alertsTable') : t('assethealth.assetData');
    const made = (file: (sheet: Sheet) => Promise<Blob> | Blob) => () => {
      const sheet = sheets()[key];
      return sheet.rows.length === 0 ? null : file(sheet);
    };
    const file = `${subject}-${title}`;
    return [
      { name: t('assethealth.asCsv', { title }), file, extension: 'csv', make: made(({ head, rows }) => new Blob([csv(head, rows)], { type: 'text/csv' })) },
      {
        name: t('assethealth.asXlsx', { title }),
        file,
        extension: 'xlsx',
        make: made(async ({ head, rows }) => (await import('../../ui/xlsx')).xlsx(title, head, rows)),
      },
    ];
  });
}
