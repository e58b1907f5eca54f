// Asking for a report: its rows, or its file with how much of it has come. Both can be given up; rows go when the form says something else, a file goes on.
import { useCallback, useEffect, useRef, useState } from 'react';
import { hand } from '../../ui/exports';
import { notice } from '../../ui/notice';
import { toast } from '../../ui/toast';
import { downloadReport, showReport, type Format, type ReportBody, type Shown } from '../../wire/reports';
import { Failure, problemOf } from '../../wire/rest';
import { t } from '../../words';

/** A file under way. */
export interface Loading {
  readonly format: Format;
  readonly bytes: number;
}

/** The progress is told of this often, ms: a fast line brings a thousand parts a second. */
const TOLD_EVERY_MS = 200;

/** The server's word for a file without rows. */
const NO_DATA = 'no-data';

/** An empty CSV is told of in the specification's words, the others by its no-data message. */
function tellOfNothing(format: Format): void {
  if (format === 'csv') notice(t('ui.invalidData'));
  else toast(t('reports.noData'), 'error');
}

export function useReport(token: string, zone: string) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [loading, setLoading] = useState<Loading | null>(null);
  const [problem, setProblem] = useState('');
  const [said, setSaid] = useState('');
  const asking = useRef<AbortController | null>(null);
  const taking = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      asking.current?.abort();
      taking.current?.abort();
    },
    [],
  );
  const fails = useCallback((error: unknown) => {
    setProblem(problemOf(error));
    toast(t('wire.somethingWentWrong'), 'error');
  }, []);

  const clear = useCallback(() => {
    asking.current?.abort();
    asking.current = null;
    setAsking(false);
    setShown(null);
    setProblem('');
    setSaid('');
  }, []);

  const show = useCallback(
    async (body: ReportBody) => {
      clear();
      const own = new AbortController();
      asking.current = own;
      setAsking(true);
      try {
        const answer = await showReport(token, body, own.signal);
        if (own.signal.aborted) return;
        setShown(answer);
        if (answer.rows.length === 0) toast(t('reports.noData'), 'error');
      } catch (error) {
        if (own.signal.aborted) return;
        fails(error);
      }
      setAsking(false);
    },
    [token, clear, fails],
  );

  const cancelShow = useCallback(() => {
    clear();
    setSaid(t('reports.cancelled'));
  }, [clear]);

  const download = useCallback(
    async (body: ReportBody, format: Format, name: string) => {
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
        const file = await downloadReport(token, body, format, own.signal, tell);
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
        else fails(error);
      }
      setLoading(null);
    },
    [token, zone, fails],
  );

  const cancelDownload = useCallback(() => {
    taking.current?.abort();
    setLoading(null);
    setSaid(t('reports.downloadCancelled'));
  }, []);

  return { shown, isAsking, loading, problem, said, show, cancelShow, clear, download, cancelDownload };
}
