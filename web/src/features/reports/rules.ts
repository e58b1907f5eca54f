// The rules of the export screen: choices, completeness, and the request (specification 3, sections 4, 5 and 6). Pure.
import type { ReportBody, ReportDetails, ReportInput, ReportRow } from '../../wire/reports';
import type { LevelKey } from '../../ui/levels';
import { faultOf, NO_PERIOD, partsAtFirst, partsOf, periodBody, RANGE, SINGLE_DATE, type Day, type Part, type Parts } from './period';
import { t } from '../../words';

export type ReportType = ReportBody['type'];

/** The selection of the user. A report is kept by its id, because the list of another level may not contain it. */
export interface Selection {
  readonly level: LevelKey | null;
  readonly nodes: readonly number[];
  readonly report: number | null;
  readonly type: ReportType | null;
  readonly frequency: number | null;
  readonly parts: Parts;
  /** The entered inputs. An absent input has its default. */
  readonly inputs: Readonly<Record<string, string | boolean>>;
}

export const NOTHING: Selection = { level: null, nodes: [], report: null, type: null, frequency: null, parts: {}, inputs: {} };

export const withLevel = (before: Selection, level: LevelKey | null): Selection => ({ ...before, level, nodes: [] });

/** Selects another report and resets type, frequency and inputs. */
export const withReport = (before: Selection, report: number | null): Selection => ({ ...before, report, type: null, frequency: null, parts: {}, inputs: {} });

export const withFrequency = (before: Selection, frequency: number | null, today: Day): Selection => ({ ...before, frequency, parts: frequency === null ? {} : partsAtFirst(frequency, today) });

export const withPart = (before: Selection, part: Part, value: string): Selection => ({ ...before, parts: { ...before.parts, [part]: value } });

export const withInput = (before: Selection, name: string, value: string | boolean): Selection => ({ ...before, inputs: { ...before.inputs, [name]: value } });

/** The name of a level in API calls. */
export function levelName(level: LevelKey): string {
  return level === 'substation' ? 'location' : level;
}

/** The selected asset; null at other levels. */
export const assetOf = ({ level, nodes }: Pick<Selection, 'level' | 'nodes'>): number | null => (level === 'asset' ? (nodes[0] ?? null) : null);

/** The reports by purpose, in the order of the first report of each. */
export function groupsOf(reports: readonly ReportRow[]): readonly (readonly [purpose: string, reports: readonly ReportRow[]])[] {
  const groups = new Map<string, ReportRow[]>();
  for (const report of reports) groups.set(report.purpose, [...(groups.get(report.purpose) ?? []), report]);
  return [...groups];
}

/** The lists that a level needs, from the top down. A division needs no location or feeder, a location no feeder. */
export function placesOf(level: LevelKey | null): readonly ('area' | 'location' | 'feeder')[] {
  switch (level) {
    case null:
    case 'client':
      return [];
    case 'asset':
      return ['area', 'location', 'feeder'];
    case 'substation':
      return ['area', 'location'];
    default:
      return ['area'];
  }
}

/** Whether several places can be selected: not for assets, and not for a report about one place. */
export function takesMany(level: LevelKey | null, report: Pick<ReportRow, 'Multiple'> | null): boolean {
  return level !== null && level !== 'asset' && report?.Multiple !== false;
}

export function typesOf(report: Pick<ReportRow, 'Historic' | 'RealTime'>): readonly ReportType[] {
  return [...(report.Historic ? (['Historic'] as const) : []), ...(report.RealTime ? (['RealTime'] as const) : [])];
}

/** The frequencies of a report in its order, without those that this screen does not know. */
export function frequenciesOf(report: Pick<ReportRow, 'ReportFrequencyListIds'>): readonly number[] {
  const ids = report.ReportFrequencyListIds.split(',').map((id) => id.trim());
  return [...new Set(ids.filter((id) => /^\d{1,9}$/.test(id)).map(Number))].filter((id) => partsOf(id) !== null);
}

/** The report whose sample minutes require access to GDS data. */
const GDS_SAMPLES = 37;

/** The inputs to show. Real-time reports have none, and sample minutes require dates. */
export function inputsOf(details: Pick<ReportDetails, 'ReportId' | 'inputs'>, type: ReportType | null, frequency: number | null, showsGds: boolean): readonly ReportInput[] {
  return details.inputs.filter(({ name }) => {
    if (type === 'RealTime') return false;
    if (name === 'quantity') return type === 'Historic';
    if (name !== 'sampleMinutes') return true;
    return type === 'Historic' && (frequency === RANGE || frequency === SINGLE_DATE) && (details.ReportId !== GDS_SAMPLES || showsGds);
  });
}

/** The entered value of an input, or its default. A choice must be in its list. */
export function valueOf(input: ReportInput, entered: Selection['inputs']): string | boolean {
  const own = entered[input.name];
  if (input.kind === 'switch') return typeof own === 'boolean' ? own : input.default === true;
  const isTaken = typeof own === 'string' && (input.kind === 'number' || input.choices.some((choice) => String(choice) === own));
  return isTaken ? own : input.default === null ? '' : String(input.default);
}

/** Largest value of a number. */
export const NUMBER_MAX = 1_000_000;

/** The error of an input; empty if there is none. */
export function inputFault(input: ReportInput, entered: Selection['inputs']): string {
  const value = valueOf(input, entered);
  if (input.kind !== 'number') return '';
  return typeof value === 'string' && /^[1-9]\d{0,6}$/.test(value) && Number(value) <= NUMBER_MAX ? '' : t('reports.wholeNumber', { most: NUMBER_MAX });
}

/** Largest number of places of one report. */
export const NODES_MAX = 200;

/** The state of the form. */
export interface Form {
  readonly selection: Selection;
  /** Details of the selected report, if the level has it; null while they are loading. */
  readonly details: ReportDetails | null;
  readonly showsGds: boolean;
}

/** The type and frequency that apply. A single type is selected automatically; a choice that the report does not have is dropped. */
export function settled({ selection, details }: Pick<Form, 'selection' | 'details'>): { readonly type: ReportType | null; readonly frequency: number | null } {
  if (!details) return { type: null, frequency: null };
  const types = typesOf(details);
  const type = types.length === 1 ? (types[0] ?? null) : types.find((one) => one === selection.type) ?? null;
  const frequency = type === 'Historic' && selection.frequency !== null && frequenciesOf(details).includes(selection.frequency) ? selection.frequency : null;
  return { type, frequency };
}

export type Missing = 'level' | 'node' | 'oneNode' | 'fewerNodes' | 'report' | 'type' | 'frequency' | Part | 'wrong';

/** The first missing part; null if the selection is complete. */
export function missingIn(form: Form): Missing | null {
  const { selection, details } = form;
  if (selection.level === null) return 'level';
  if (selection.nodes.length === 0) return 'node';
  if (!details) return 'report';
  if (selection.nodes.length > 1 && !takesMany(selection.level, details)) return 'oneNode';
  if (selection.nodes.length > NODES_MAX) return 'fewerNodes';
  const { type, frequency } = settled(form);
  if (type === null) return 'type';
  if (type === 'Historic') {
    if (frequency === null) return 'frequency';
    const fault = faultOf(frequency, selection.parts);
    if (fault) return 'missing' in fault ? fault.missing : 'wrong';
  }
  const inputs = inputsOf(details, type, frequency, form.showsGds);
  return inputs.some((input) => inputFault(input, selection.inputs)) ? 'wrong' : null;
}

/** The inputs as they are sent, numbers as numbers. An input without a choice is left out. */
export function inputValues(inputs: readonly ReportInput[], entered: Selection['inputs']): ReportBody['inputs'] {
  return Object.fromEntries(
    inputs.flatMap((input) => {
      const value = valueOf(input, entered);
      if (value === '') return [];
      const isNumber = input.kind === 'number' || input.choices.some((choice) => typeof choice === 'number' && String(choice) === value);
      return [[input.name, isNumber ? Number(value) : value] as const];
    }),
  );
}

/** The request; null while the selection is incomplete. */
export function bodyOf(form: Form): ReportBody | null {
  const { selection, details, showsGds } = form;
  if (!details || selection.level === null || missingIn(form) !== null) return null;
  const { type, frequency } = settled(form);
  if (type === null) return null;
  return {
    reportId: details.ReportId,
    reportKey: details.ReportKey,
    type,
    level: levelName(selection.level),
    levelId: selection.nodes,
    frequency,
    frequencyValue: periodBody(frequency ?? NO_PERIOD, selection.parts),
    inputs: inputValues(inputsOf(details, type, frequency, showsGds), selection.inputs),
  };
}
