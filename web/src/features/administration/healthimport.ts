// Checks of a file before it is sent, and limits of the list of faults. Pure.
import { t } from '../../words';

/** The server's largest file, bytes. */
export const FILE_MOST = 5 * 1_048_576;
/** Largest number of faults listed. Further faults are counted and are in the file of faults. */
export const SHOWN_MOST = 200;

/** Why a file cannot be imported; empty if it may be. */
export function refusalOf({ size, name }: { readonly size: number; readonly name: string }): string {
  if (size === 0) return t('administration.healthEmptyFile', { name });
  if (size > FILE_MOST) return t('administration.healthFileTooLarge', { name, mib: (size / 1_048_576).toFixed(1), most: FILE_MOST / 1_048_576 });
  if (/\.(xlsx?|ods|numbers)$/i.test(name)) return t('administration.healthNotCsv', { name });
  return '';
}
