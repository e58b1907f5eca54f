// Runs of the optimiser. A file is sent before the run, and its handle is reused until it expires. A run can be cancelled, and the last
// result remains until the next answer.
import { useCallback, useEffect, useRef, useState } from 'react';
import { toast } from '../../ui/toast';
import { FileRefused, optimise, uploadDemand, type DemandFile, type FileFault, type Optimised, type RunBody } from '../../wire/lowcarbon';
import { Failure, problemOf } from '../../wire/rest';
import { t } from '../../words';

export interface Wanted {
  readonly body: RunBody;
  /** Null uses the site's own demand. */
  readonly file: File | null;
  readonly place: { readonly lat: string; readonly lon: string };
}

interface State {
  readonly phase: 'idle' | 'uploading' | 'running';
  /** The share of the file that has been sent, from 0 to 1. */
  readonly progress: number;
  readonly data: Optimised | null;
  /** The request that `data` answers. */
  readonly of: Wanted | null;
  readonly problem: string;
  /** Faults of the rejected file. */
  readonly faults: readonly FileFault[];
  /** The accepted file and the server's answer. */
  readonly taken: { readonly file: File; readonly answer: DemandFile } | null;
}

const NOTHING: State = { phase: 'running', progress: 0, data: null, of: null, problem: '', faults: [], taken: null };

/** A file whose remaining time on the server is shorter than this is sent again, ms. */
const SPARE_MS = 60_000;

export function useOptimiser(token: string, device: number, now: () => number) {
  const [state, setState] = useState<State>(NOTHING);
  const stop = useRef<AbortController | null>(null);
  const latest = useRef({ token, now, taken: state.taken });
  useEffect(() => {
    latest.current = { token, now, taken: state.taken };
  });
  useEffect(() => () => stop.current?.abort(), []);
  const run = useCallback(
    async ({ body, file, place }: Wanted) => {
      stop.current?.abort();
      const own = new AbortController();
      stop.current = own;
      const put = (part: Partial<State>) => own.signal.aborted || setState((before) => ({ ...before, ...part }));
      const { token, now, taken } = latest.current;
      let handle: string | undefined;
      if (file) {
        try {
          const isHeld = taken?.file === file && Date.parse(taken.answer.expires) > now() + SPARE_MS;
          if (!isHeld) put({ phase: 'uploading', progress: 0, problem: '', faults: [] });
          const answer = isHeld ? taken.answer : await uploadDemand(token, device, file, place, { signal: own.signal, onProgress: (progress) => put({ progress }) });
          put({ taken: { file, answer } });
          handle = answer.handle;
        } catch (error) {
          if (own.signal.aborted) return;
          toast(problemOf(error), 'error');
          return put({ phase: 'idle', taken: null, problem: problemOf(error), faults: error instanceof FileRefused ? error.faults : [] });
        }
      }
      put({ phase: 'running', problem: '', faults: [] });
      try {
        const data = await optimise(token, device, handle === undefined ? body : { ...body, demandFile: handle }, own.signal);
        put({ phase: 'idle', data, of: { body, file, place } });
      } catch (error) {
        const isGone = handle !== undefined && error instanceof Failure && error.status === 404;
        put({ phase: 'idle', problem: problemOf(error), ...(isGone && { taken: null }) });
      }
    },
    [device],
  );
  const cancel = useCallback(() => {
    stop.current?.abort();
    setState((before) => ({ ...before, phase: 'idle', problem: before.data ? '' : t('lowcarbon.cancelled') }));
  }, []);
  /** Removes errors after their cause has been removed. */
  const clear = useCallback(
    () => setState((before) => ({ ...before, faults: [], problem: before.problem === '' || before.data ? '' : t('lowcarbon.noPlanYet') })),
    [],
  );
  return { ...state, run, cancel, clear };
}
