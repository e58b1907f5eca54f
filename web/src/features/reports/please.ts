// Messages about missing parts of a selection.
import { NODES_MAX, type Missing } from './rules';
import { KEEP_MAX, MAIL_MAX, MONTHLY_NODES_MAX, type ScheduleMissing } from './schedule';
import { t } from '../../words';

export const PLEASE: Readonly<Record<Missing, string>> = {
  level: t('reports.pleaseLevel'),
  node: t('reports.pleaseNode'),
  oneNode: t('reports.pleaseOneNode'),
  fewerNodes: t('reports.pleaseFewerNodes', { most: NODES_MAX }),
  report: t('reports.pleaseReport'),
  type: t('reports.pleaseType'),
  frequency: t('reports.pleaseFrequency'),
  day: t('reports.pleaseDay'),
  month: t('reports.pleaseMonth'),
  year: t('reports.pleaseYear'),
  quarter: t('reports.pleaseQuarter'),
  week: t('reports.pleaseWeek'),
  financialYear: t('reports.pleaseFinancialYear'),
  from: t('reports.pleaseFrom'),
  to: t('reports.pleaseTo'),
  date: t('reports.pleaseDate'),
  wrong: t('reports.pleaseCorrect'),
};

export const PLEASE_SCHEDULE: Readonly<Record<ScheduleMissing, string>> = {
  name: t('reportskept.pleaseName'),
  level: PLEASE.level,
  node: PLEASE.node,
  oneNode: PLEASE.oneNode,
  fewerNodes: PLEASE.fewerNodes,
  fewerOfMonthly: t('reports.pleaseFewerNodes', { most: MONTHLY_NODES_MAX }),
  report: PLEASE.report,
  type: PLEASE.type,
  wrong: PLEASE.wrong,
  time: t('reportskept.pleaseTime'),
  keepDays: t('reportskept.pleaseKeepDays', { most: KEEP_MAX }),
  mailTo: t('reportskept.pleaseMailTo', { most: MAIL_MAX }),
};
