// Downloads a file: progress, saving, the specification's messages, and cancelling.
import { useCallback, useEffect, useRef, useState } from 'react';
import { hand } from '../../ui/exports';
import { notice } from '../../ui/notice';
import { toast } from '../../ui/toast';
import type { Format } from '../../wire/reports';
import type { ReportFile } from '../../wire/reports-sent';
import { Failure, problemOf } from '../../wire/rest';
import { t } from '../../words';

/** A running download. */
export interface Loading {
  readonly format: Format;
  readonly bytes: number;
}

/** Requests the file. */
export type Ask = (stop: AbortSignal, onBytes: (bytes: number) => void) => Promise<ReportFile>;

/** Interval at which progress is reported, ms. A fast line delivers a thousand parts in a second. */
const TOLD_EVERY_MS = 200;

/** The server's code for a file without rows. */
const NO_DATA = 'no-data';

/** Shows the message of an empty file: the specification's message for CSV, the message about missing data for other formats. */
function tellOfNothing(format: Format): void {
  if (format === 'csv') notice(t('ui.invalidData'));
  else toast(t('reports.noData'), 'error');
}

export function useTaking(zone: string) {
  const [loading, setLoading] = useState<Loading | null>(null);
  const [problem, setProblem] = useState('');
  const [said, setSaid] = useState('');
  const taking = useRef<AbortController | null>(null);
  useEffect(() => () => taking.current?.abort(), []);

  const take = useCallback(
    async (ask: Ask, format: Format, name: string) => {
      taking.current?.abort();
      const own = new AbortController();
      taking.current = own;
      setProblem('');
      setSaid('');
      setLoading({ format, bytes: 0 });
      let told = 0;
      const tell = (bytes: number) => {
        if (own.signal.aborted || performance.now() - told < TOLD_EVERY_MS) return;
        told = performance.now();
        setLoading({ format, bytes });
      };
      try {
        const file = await ask(own.signal, tell);
        if (own.signal.aborted) return;
        if (file.rows === 0) tellOfNothing(format);
        else {
          hand(file.blob, { name: file.name, file: name, extension: format }, zone);
          toast(t('reports.downloaded'));
          setSaid(t('reports.downloaded'));
        }
      } catch (error) {
        if (own.signal.aborted) return;
        if (error instanceof Failure && error.code === NO_DATA) tellOfNothing(format);
        else {
          setProblem(problemOf(error));
          toast(t('wire.somethingWentWrong'), 'error');
        }
      }
      setLoading(null);
    },
    [zone],
  );

  const cancel = useCallback(() => {
    taking.current?.abort();
    setLoading(null);
    setSaid(t('reports.downloadCancelled'));
  }, []);

  /** Removes messages. A running download continues. */
  const hush = useCallback(() => {
    setProblem('');
    setSaid('');
  }, []);

  return { loading, problem, said, take, cancel, hush };
}
