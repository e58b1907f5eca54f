// What has been written down: the audit, newest first, and what people have told us.
import { useState } from 'react';
import { eventTime } from '../../ui/format';
import { Answered, problemOf, useAsk } from '../../ui/useAsk';
import { get, type AuditRow, type FeedbackRow } from '../../wire/rest';

/** Rows asked for at a time. */
const PAGE = 100;

export function Audit({ token, zone }: { token: string; zone: string }) {
  const asked = useAsk('audit', () => get<AuditRow[]>(token, `audit?limit=${PAGE}`));
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
              Look again
            </button>
          </div>
          <div className="scroll">
            <table aria-label="Audit, newest first">
              <thead>
                <tr>
                  <th>Time</th>
                  <th>Who</th>
                  <th>What</th>
                  <th>To what</th>
                  <th>From</th>
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
              Older ones
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
          <button type="button" className="plain" aria-expanded={isOpen} onClick={onToggle} aria-label={`${isOpen ? 'Less' : 'More'} of entry ${row.seq}`}>
            {isOpen ? 'Less' : 'More'}
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={6}>
            <dl className="signs wide">
              <div>
                <dt>Before</dt>
                <dd>{JSON.stringify(row.before ?? null)}</dd>
              </div>
              <div>
                <dt>After</dt>
                <dd>{JSON.stringify(row.after ?? null)}</dd>
              </div>
              <div>
                <dt>Call</dt>
                <dd>
                  entry {row.seq}, {row.correlationId}
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
  const asked = useAsk('feedback', () => get<FeedbackRow[]>(token, 'feedback'));
  return (
    <Answered asked={asked}>
      {(rows) =>
        rows.length === 0 ? (
          <p>Nobody has told us anything yet.</p>
        ) : (
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th>Time</th>
                  <th>Who</th>
                  <th>Utility</th>
                  <th>Page</th>
                  <th>Message</th>
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
