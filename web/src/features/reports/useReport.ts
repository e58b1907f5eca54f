// Requests the rows or the file of a report. Both can be cancelled. A change of the form cancels a request for rows, but not a download.
import { useCallback, useEffect, useRef, useState } from 'react';
import { keptSinceText } from '../../ui/KeptSince';
import { toast } from '../../ui/toast';
import { downloadReport, showReport, type Format, type ReportBody, type Shown } from '../../wire/reports';
import { problemOf } from '../../wire/rest';
import { useTaking } from './useTaking';
import { t } from '../../words';

export function useReport(token: string, zone: string) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState('');
  const [said, setSaid] = useState('');
  const asking = useRef<AbortController | null>(null);
  useEffect(() => () => asking.current?.abort(), []);
  const { take, hush, cancel: cancelDownload, ...taking } = useTaking(zone);

  const hushed = useCallback(() => {
    setProblem('');
    setSaid('');
    hush();
  }, [hush]);

  const clear = useCallback(() => {
    asking.current?.abort();
    asking.current = null;
    setAsking(false);
    setShown(null);
    hushed();
  }, [hushed]);

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
        if (answer.rows.length === 0) toast(answer.keptSince == null ? t('reports.noData') : keptSinceText(answer.keptSince, zone), 'error');
      } catch (error) {
        if (own.signal.aborted) return;
        setProblem(problemOf(error));
        toast(t('wire.somethingWentWrong'), 'error');
      }
      setAsking(false);
    },
    [token, zone, clear],
  );

  const cancelShow = useCallback(() => {
    clear();
    setSaid(t('reports.cancelled'));
  }, [clear]);

  const download = useCallback(
    (body: ReportBody, format: Format, name: string) => {
      hushed();
      return take((stop, onBytes) => downloadReport(token, body, format, stop, onBytes), format, name);
    },
    [token, take, hushed],
  );

  return { shown, isAsking, loading: taking.loading, problem: problem || taking.problem, said: said || taking.said, show, cancelShow, clear, download, cancelDownload };
}
