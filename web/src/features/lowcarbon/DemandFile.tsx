// The demand file of a site: selection, checks before sending, and the faults that the server found, by line.
import { useEffect, useId, useRef } from 'react';
import { FILE_MAX_BYTES, type DemandFile, type FileFault } from '../../wire/lowcarbon';
import { eventTime } from '../../ui/format';
import { fileProblem } from './form';
import { t } from '../../words';

interface Props {
  readonly isOn: boolean;
  readonly file: File | null;
  /** Whether a run was started without the required file. */
  readonly isMissing: boolean;
  /** The file that the server has accepted; null if none. */
  readonly taken: DemandFile | null;
  readonly faults: readonly FileFault[];
  readonly zone: string;
  readonly now: number;
  readonly onSwitch: (isOn: boolean) => void;
  readonly onChoose: (file: File | null) => void;
}

/** Largest number of faults that the server returns. */
const TOLD_MOST = 100;

export function DemandFileField({ isOn, file, isMissing, taken, faults, zone, now, onSwitch, onChoose }: Props) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // `void`, because newer browsers return a promise, and React would call the result of an effect as its cleanup.
    void list.current?.scrollIntoView({ block: 'nearest' });
  }, [faults]);
  const problem = file ? fileProblem(file, FILE_MAX_BYTES) : isMissing ? t('lowcarbon.chooseFile') : '';
  return (
    <fieldset>
      <legend>{t('lowcarbon.demand')}</legend>
      <label className="check">
        <input type="checkbox" data-testid="has-file" checked={isOn} onChange={(event) => onSwitch(event.target.checked)} /> {t('lowcarbon.doYouHaveFile')}
      </label>
      {isOn && (
        <>
          <label className="field">
            {t('lowcarbon.demandFile')}
            <input
              type="file"
              accept=".csv,.txt,text/csv"
              data-testid="demand-file"
              aria-describedby={`${id}-about ${id}-problem`}
              aria-invalid={problem !== '' || faults.length > 0}
              onChange={(event) => onChoose(event.target.files?.[0] ?? null)}
            />
          </label>
          <p className="hint" id={`${id}-about`}>
            {t('lowcarbon.fileAbout')}
          </p>
          <p className="fault" id={`${id}-problem`} role="alert" data-testid="file-problem">
            {problem}
          </p>
          {taken && (
            <p className="hint" data-testid="file-taken">
              {taken.days === null ? t('lowcarbon.takenDay') : t('lowcarbon.takenDays', { count: taken.days })} {t('lowcarbon.keptUntil', { time: eventTime(Date.parse(taken.expires), now, zone) })}
            </p>
          )}
          {faults.length > 0 && (
            <div ref={list} className="file-faults" tabIndex={0} role="region" aria-label={t('lowcarbon.faultsOfFile')}>
              <table data-testid="file-faults">
                <thead>
                  <tr>
                    <th className="number">{t('lowcarbon.line')}</th>
                    <th>{t('lowcarbon.column')}</th>
                    <th>{t('lowcarbon.reason')}</th>
                  </tr>
                </thead>
                <tbody>
                  {faults.slice(0, TOLD_MOST).map(({ line, column, what }, index) => (
                    <tr key={index}>
                      <td className="number">{line}</td>
                      <td>{column || '–'}</td>
                      <td>{what}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {faults.length >= TOLD_MOST && <p className="hint">{t('lowcarbon.perhapsMore', { n: TOLD_MOST })}</p>}
            </div>
          )}
        </>
      )}
    </fieldset>
  );
}
