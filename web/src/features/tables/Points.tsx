// Points with their present values, for places without a table of their own: all points of a substation, its health, or the points of an asset.
import { useEffect, useMemo, useState } from 'react';
import { Feed } from '../../live/feed';
import { qualityWord, shownQuality, type Point } from '../../live/freshness';
import { useLink, useLive } from '../../live/live';
import { statusCode } from '../../live/status';
import type { LiveStore } from '../../live/store';
import { LiveTable } from '../../table/LiveTable';
import type { TableColumn } from '../../table/columns';
import { eventTime, number } from '../../ui/format';
import type { GenericRow } from '../../wire/rest';
import { t } from '../../words';

/** A point and its value at present. */
interface PointRow {
  readonly of: GenericRow;
  readonly point: Point | undefined;
}

const keyOf = ({ of }: PointRow) => of.pointId;
const order = (a: PointRow, b: PointRow) => a.of.assetName.localeCompare(b.of.assetName) || a.of.pointName.localeCompare(b.of.pointName);
const reported = ({ of, point }: PointRow) => ({ at: point && point.t > 0 ? point.t : null, quality: point?.q ?? 0, ageLimitMs: of.ageLimitMs });

/** Keeps the rows of a table up to date with the store. */
export function usePointFeed(rows: readonly GenericRow[] | null, points: LiveStore, problem = ''): Feed<PointRow> {
  const [feed] = useState(() => new Feed<PointRow>({ key: keyOf }));
  useEffect(() => {
    if (problem) feed.fail(problem);
  }, [feed, problem]);
  useEffect(() => {
    if (rows === null) return;
    const byId = new Map(rows.map((of) => [of.pointId, of]));
    const rowOf = (of: GenericRow): PointRow => ({ of, point: points.get(of.pointId) });
    feed.replace(rows.map(rowOf));
    return points.onBatch((ids) => {
      const changed = [...ids].flatMap((id) => byId.get(id) ?? []);
      if (changed.length > 0) feed.add(changed.map(rowOf));
    });
  }, [feed, rows, points]);
  return feed;
}

function columnsWith(linkUp: boolean): readonly TableColumn<PointRow>[] {
  return [
    { key: 'asset', name: t('tables.asset'), text: ({ of }) => of.assetName },
    { key: 'point', name: t('tables.point'), text: ({ of }) => of.pointName },
    {
      key: 'value',
      name: t('tables.value'),
      isNumber: true,
      text: ({ of, point }) => (point?.v != null && of.encoding ? statusCode(of.encoding, point.v) : number(point?.v, of.decimals)),
      value: ({ point }) => point?.v ?? null,
    },
    { key: 'unit', name: t('tables.unit'), text: ({ of }) => of.unit },
    {
      key: 'time',
      name: t('tables.time'),
      text: ({ point }, { now, zone }) => (point && point.t > 0 ? eventTime(point.t, now, zone, true) : '–'),
      value: ({ point }) => (point && point.t > 0 ? new Date(point.t).toISOString() : null),
    },
    { key: 'quality', name: t('tables.quality'), text: ({ of, point }, { now }) => qualityWord(shownQuality(point, of.ageLimitMs, now, linkUp)) },
  ];
}

interface Props {
  readonly title: string;
  /** Name of exported files. */
  readonly name: string;
  /** The same array as long as the points are the same; null while they are requested. */
  readonly rows: readonly GenericRow[] | null;
  /** Why the request for the points failed; empty if it did not. */
  readonly problem?: string;
  readonly onRetry?: () => void;
  readonly zone: string;
}

export function Points({ title, name, rows, problem = '', onRetry, zone }: Props) {
  const { points } = useLive();
  const link = useLink();
  const feed = usePointFeed(rows, points, problem);
  const columns = useMemo(() => columnsWith(link.up), [link.up]);
  return (
    <>
      <LiveTable title={title} name={name} feed={feed} keyOf={keyOf} columns={columns} order={order} reported={reported} zone={zone} testId="point" />
      {problem && onRetry && (
        <button type="button" onClick={onRetry} data-testid="points-retry">
          {t('ui.tryAgain')}
        </button>
      )}
    </>
  );
}
