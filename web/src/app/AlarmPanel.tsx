// Alarms on every screen: the alarm bar, and the alarm list that it opens over the current screen.
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { AlarmBar } from '../features/alarms/AlarmBar';
import type { Feed } from '../live/feed';
import type { AlarmRow } from '../wire/monitoring';
import type { Login } from '../wire/rest';
import { useOutside } from './useAreas';
import { usePages } from './usePages';
import { t } from '../words';

const AlarmList = lazy(() => import('../features/alarms/AlarmList').then(({ AlarmList }) => ({ default: AlarmList })));

/** The address of an alarm: the diagram of its substation with the switch that alarmed selected, and its feeder selected in the tables. */
export function placeOf(row: AlarmRow): string {
  return `/dashboard?location=${row.locationId}&tab=sld${row.assetId === null ? '' : `&asset=${row.assetId}`}${row.pointId === null ? '' : `&point=${row.pointId}`}`;
}

/** Whether the user may acknowledge alarms: a user whose diagram page is not read-only. The server checks the permission as well. */
export function useMayAcknowledge(): boolean {
  const { tabs } = usePages();
  return tabs?.some(({ key, readonly }) => key === 'dashboard.sld' && !readonly) ?? false;
}

/** Returns why the own desk may not act on an alarm; empty if it may. */
export function useOutsideOf(): (row: AlarmRow) => string {
  const outside = useOutside();
  return useCallback((row: AlarmRow) => outside(row.locationId, row.assetId), [outside]);
}

export function AlarmPanel({ login, feed }: { login: Login; feed: Feed<AlarmRow> }) {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const readOnly = !useMayAcknowledge();
  const outside = useOutsideOf();
  useEffect(() => {
    if (!open) return;
    const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && !document.querySelector('dialog[open]') && setOpen(false);
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [open]);
  const show = (row: AlarmRow) => {
    setOpen(false);
    void navigate(placeOf(row));
  };
  return (
    <div>
      <AlarmBar feed={feed} token={login.token} zone={login.timeZone} readOnly={readOnly} outside={outside} onOpen={() => setOpen(!open)} onShow={show} />
      {open && (
        <section className="alarm-panel" aria-label={t('alarms.alarms')} data-testid="alarm-panel">
          <Suspense>
            <AlarmList feed={feed} token={login.token} zone={login.timeZone} readOnly={readOnly} outside={outside} onShow={show} />
          </Suspense>
          <button type="button" className="plain close" onClick={() => setOpen(false)}>
            {t('alarms.close')}
          </button>
        </section>
      )}
    </div>
  );
}
