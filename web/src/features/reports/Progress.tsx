// The progress of a report: elapsed time, received bytes, and a cancel button.
import { useEffect, useState } from 'react';
import type { Loading } from './useTaking';
import { t } from '../../words';

/** The time since mounting, mm:ss. */
export function Since() {
  const [began] = useState(() => performance.now());
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - began) / 1_000)), 500);
    return () => clearInterval(timer);
  }, [began]);
  const two = (value: number) => String(value).padStart(2, '0');
  return (
    <span aria-live="off" className="since">
      {two(Math.floor(seconds / 60))}:{two(seconds % 60)}
    </span>
  );
}

/** A size as text. 1 MB is a million bytes, as in file managers. */
export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(0)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function Progress({ loading, onCancel }: { loading: Loading; onCancel: () => void }) {
  return (
    <span className="progress" data-testid="download-progress">
      <progress aria-label={t('reports.downloading', { format: loading.format.toUpperCase() })} />
      <span aria-live="off">
        {loading.format.toUpperCase()} · {loading.bytes === 0 ? t('reports.isBeingMade') : sizeOf(loading.bytes)} · <Since />
      </span>
      <button type="button" data-testid="download-cancel" onClick={onCancel}>
        {t('reports.cancel')}
      </button>
    </span>
  );
}
