// Numbers of customers and equipment with their nouns.
import { number } from './format';
import { t } from '../words';

export const customersText = (count: number): string => t('ui.customers', { count, number: number(count, 0) });
export const transformersText = (count: number): string => t('ui.distributionTransformers', { count, number: number(count, 0) });
