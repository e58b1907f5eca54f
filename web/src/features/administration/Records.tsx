// Records of the utility: the audit, newest first, and feedback of users.
import { useState } from 'react';
import { eventTime } from '../../ui/format';
import { Answered, useAsk } from '../../ui/useAsk';
import { get, type AuditRow, type FeedbackRow, problemOf } from '../../wire/rest';
import { t } from '../../words';

/** Number of rows in each request. */
const PAGE = 100;

export function Audit({ token, zone }: { token: string; zone: string }) {
  const asked = useAsk('audit', (asking) => get<AuditRow[]>(token, `audit?limit=${PAGE}`, asking));
  const [open, setOpen] = useState<number | null>(null);
  const [end, setEnd] = useState(false);
  const [problem, setProblem] = useState('');
  const more = async (rows: readonly AuditRow[]) => {
    try {
      const { result } = await get<AuditRow[]>(token, `audit?limit=${PAGE}&before=${rows.at(-1)?.seq ?? 0}`);
      setEnd(result.length < PAGE);
      asked.put([...rows, ...result]);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <Answered asked={asked}>
      {(rows) => (
        <>
          <div className="actions start">
            <button type="button" onClick={asked.retry}>
              {t('administration.lookAgain')}
            </button>
          </div>
          <div className="scroll">
            <table aria-label={t('administration.auditNewestFirst')}>
              <thead>
                <tr>
                  <th>{t('administration.time')}</th>
                  <th>{t('administration.who')}</th>
                  <th>{t('administration.what')}</th>
                  <th>{t('administration.toWhat')}</th>
                  <th>{t('administration.from')}</th>
                  <th />
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <Entry key={row.seq} row={row} zone={zone} isOpen={open === row.seq} onToggle={() => setOpen(open === row.seq ? null : row.seq)} />
                ))}
              </tbody>
            </table>
          </div>
          <p className="problem" role="alert">
            {problem}
          </p>
          {!end && rows.length >= PAGE && (
            <button type="button" data-testid="audit-more" onClick={() => void more(rows)}>
              {t('administration.olderOnes')}
            </button>
          )}
        </>
      )}
    </Answered>
  );
}

function Entry({ row, zone, isOpen, onToggle }: { row: AuditRow; zone: string; isOpen: boolean; onToggle: () => void }) {
  return (
    <>
      <tr data-testid="audit-row" data-action={row.action}>
        <td>{eventTime(Date.parse(row.at), Date.now(), zone, true)}</td>
        <td>{row.actor ?? '–'}</td>
        <td>{row.action.replaceAll('_', ' ')}</td>
        <td>{row.subject}</td>
        <td>{row.from}</td>
        <td className="row-actions">
          <button type="button" className="plain" aria-expanded={isOpen} onClick={onToggle} aria-label={t('administration.ofEntry', { more: isOpen ? 'Less' : 'More', seq: row.seq })}>
            {isOpen ? t('administration.less') : t('administration.more')}
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={6}>
            <dl className="signs wide">
              <div>
                <dt>{t('administration.before')}</dt>
                <dd>{JSON.stringify(row.before ?? null)}</dd>
              </div>
              <div>
                <dt>{t('administration.after')}</dt>
                <dd>{JSON.stringify(row.after ?? null)}</dd>
              </div>
              <div>
                <dt>{t('administration.call')}</dt>
                <dd>
                  {t('administration.entry')} {row.seq}, {row.correlationId}
                </dd>
              </div>
            </dl>
          </td>
        </tr>
      )}
    </>
  );
}

export function Remarks({ token, zone }: { token: string; zone: string }) {
  const asked = useAsk('feedback', (asking) => get<FeedbackRow[]>(token, 'feedback', asking));
  return (
    <Answered asked={asked}>
      {(rows) =>
        rows.length === 0 ? (
          <p>{t('administration.noFeedbackYet')}</p>
        ) : (
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th>{t('administration.time')}</th>
                  <th>{t('administration.who')}</th>
                  <th>{t('administration.utility')}</th>
                  <th>{t('administration.page')}</th>
                  <th>{t('administration.message')}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id} data-testid="feedback-row">
                    <td>{eventTime(Date.parse(row.at), Date.now(), zone)}</td>
                    <td>{row.member}</td>
                    <td>{row.client}</td>
                    <td>{row.page}</td>
                    <td className="long">{row.text}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Answered>
  );
}
