// Which files are not even sent, and how many of their faults are listed. Pure.
import { t } from '../../words';

/** Bytes: what the server takes at most. */
export const FILE_MOST = 5 * 1_048_576;
/** More than these are counted, and stand in the file of the faults. */
export const SHOWN_MOST = 200;

/** Why a file cannot be one of ours; empty when it may. */
export function refusalOf({ size, name }: { readonly size: number; readonly name: string }): string {
  if (size === 0) return t('administration.healthEmptyFile', { name });
  if (size > FILE_MOST) return t('administration.healthFileTooLarge', { name, mib: (size / 1_048_576).toFixed(1), most: FILE_MOST / 1_048_576 });
  if (/\.(xlsx?|ods|numbers)$/i.test(name)) return t('administration.healthNotCsv', { name });
  return '';
}
