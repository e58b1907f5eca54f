// Quality check of an asset: completeness and plausibility of each point in a span, with the faulty stretches (specification 3, section 2.1;
// the definitions are ours, docs/reference/history.md).
import { useEffect, useMemo, useState } from 'react';
import { Column } from '../../charts/Column';
import { useGroup } from '../../charts/group';
import { historySource } from '../../charts/history';
import { Panel } from '../../charts/Panel';
import type { Preset } from '../../charts/range';
import type { TableColumn } from '../../table/columns';
import { age, eventTime, number } from '../../ui/format';
import { getQualityCheck, type CheckRow, type QualityCheck as Checked, type Stretch } from '../../wire/analysis-check';
import type { OfPeriod } from '../../wire/history';
import { kindWords, measureOf, remarkOf, spansOf, worstFirst } from './check';
import { Doubts, Term } from './Doubts';
import { Facts } from './Facts';
import { useSpanned } from './useSpanned';
import type { ViewProps } from './view';
import { t } from '../../words';
import '../../ui/analysis.css';

/** The spans are at most a month, because every raw sample is checked. */
const RANGES: readonly Preset[] = ['1d', '1w', '1m'];

export function QualityCheck(props: ViewProps) {
  return (
    <div className="analysis">
      <Column zone={props.zone} presets={RANGES} initial="1d" now={props.now}>
        <Points {...props} />
      </Column>
    </div>
  );
}

const count = (
  key: keyof CheckRow & ('values' | 'gaps' | 'flatLines' | 'outliers' | 'badQuality' | 'clockErrors' | 'late' | 'outOfLimits'),
  name: string,
): TableColumn<CheckRow> => ({
  key,
  name,
  isNumber: true,
  text: (row) => number(row[key], 0),
  value: (row) => row[key],
});

const COLUMNS: readonly TableColumn<CheckRow>[] = [
  { key: 'name', name: t('analytics.point'), text: ({ name, code }) => (name === code ? name : `${name} (${code})`) },
  { key: 'score', name: t('analytics.score'), isNumber: true, text: ({ score }) => number(score, 0), value: ({ score }) => score },
  {
    key: 'completeness',
    name: t('analytics.completeness'),
    isNumber: true,
    text: ({ completeness }) => number(completeness, 1),
    value: ({ completeness }) => completeness,
  },
  count('values', t('analytics.values')),
  count('gaps', t('analytics.gaps')),
  {
    key: 'longest',
    name: t('analytics.longestGap'),
    isNumber: true,
    text: ({ longestGapMs }) => (longestGapMs === null ? '–' : age(longestGapMs)),
    value: ({ longestGapMs }) => longestGapMs,
  },
  count('flatLines', t('analytics.flatLines')),
  count('outliers', t('analytics.outliers')),
  count('badQuality', t('analytics.badQuality')),
  count('clockErrors', t('analytics.clockErrors')),
  count('late', t('analytics.late')),
  count('outOfLimits', t('analytics.outOfLimits')),
];

function Points({ token, node, zone, now }: ViewProps) {
  const { range, isBackground } = useGroup();
  const asked = useSpanned<OfPeriod<Checked>>(`${node.id} check`, range, isBackground, (span, asking) =>
    getQualityCheck(token, node.id, span, asking),
  );
  const rows = useMemo(() => asked.data && worstFirst(asked.data.rows), [asked.data]);
  const [chosen, setChosen] = useState<number | null>(null);
  const row = rows?.find(({ pointId }) => pointId === chosen) ?? null;
  useEffect(() => {
    // Selects the worst of the points that have a chart.
    if (!rows || rows.some(({ pointId }) => pointId === chosen)) return;
    setChosen((rows.find(({ code }) => measureOf(code)) ?? rows[0])?.pointId ?? null);
  }, [rows, chosen]);
  return (
    <>
      <Facts
        title={<Term name={t('analytics.qualityCheck')} definition={t('analytics.scoreMeans')} />}
        name={`${node.name}-${t('analytics.qualityCheck')}`}
        asked={asked}
        rows={rows}
        keptSince={asked.data?.keptSince}
        columns={COLUMNS}
        keyOf={({ pointId }) => pointId}
        doubt={remarkOf}
        zone={zone}
        now={now}
        testId="check"
        selected={chosen}
        onSelect={({ pointId }) => setChosen(pointId)}
      />
      {asked.data && <Doubts {...asked.data} />}
      {row && <OnePoint key={row.pointId} row={row} token={token} assetId={node.id} subject={node.name} zone={zone} now={now} />}
    </>
  );
}

interface OneProps extends Pick<ViewProps, 'token' | 'zone' | 'now'> {
  readonly row: CheckRow;
  readonly assetId: number;
  readonly subject: string;
}

/** The series of a point with its faulty stretches marked, and the list of stretches. */
function OnePoint({ row, token, assetId, subject, zone, now }: OneProps) {
  const measure = measureOf(row.code);
  const source = useMemo(
    () =>
      measure &&
      historySource({ token, assetId }, measure, { codes: [row.code], ...(measure === 'register' ? { kind: 'last' as const } : {}) }),
    [token, assetId, measure, row.code],
  );
  const look = useMemo(() => ({ spans: spansOf(row), ...(measure === 'register' ? { kind: 'last' as const } : {}) }), [row, measure]);
  const columns = useMemo<readonly TableColumn<Stretch>[]>(() => {
    const time = (at: number, moment: { now: number }) => eventTime(at, moment.now, zone);
    return [
      { key: 'kind', name: t('analytics.kind'), text: ({ kind }) => kindWords(kind) },
      {
        key: 'from',
        name: t('analytics.from'),
        text: ({ fromMs }, moment) => time(fromMs, moment),
        value: ({ fromMs }) => new Date(fromMs).toISOString(),
      },
      {
        key: 'to',
        name: t('analytics.to'),
        text: ({ toMs }, moment) => time(toMs, moment),
        value: ({ toMs }) => new Date(toMs).toISOString(),
      },
      {
        key: 'for',
        name: t('analytics.lasted'),
        isNumber: true,
        text: ({ fromMs, toMs }) => age(toMs - fromMs),
        value: ({ fromMs, toMs }) => (toMs - fromMs) / 1_000,
      },
      { key: 'note', name: t('analytics.note'), text: ({ note }) => note },
    ];
  }, [zone]);
  return (
    <div className="analysis-halves">
      {source ? (
        <Panel
          title={row.name}
          detail={t('analytics.stretchesMarked')}
          subject={subject}
          source={source}
          look={look}
          height={260}
          empty={t('charts.noDataFoundToDisplay')}
        />
      ) : (
        <p className="quiet">{t('analytics.noHistoryOf', { name: row.name })}</p>
      )}
      <Facts
        title={
          row.cut > 0 ? t('analytics.stretchesCut', { name: row.name, more: row.cut }) : t('analytics.stretchesOf', { name: row.name })
        }
        name={`${subject}-${row.name}-${t('analytics.stretches')}`}
        asked={{ problem: '', retry: () => undefined }}
        rows={row.stretches}
        columns={columns}
        keyOf={({ kind, fromMs, toMs }) => `${kind} ${fromMs} ${toMs}`}
        zone={zone}
        now={now}
        testId="stretches"
        empty={t('analytics.noStretches')}
      />
    </div>
  );
}
