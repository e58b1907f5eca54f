// Do-not-operate tags of a device: who holds them and why, placing one, taking one's own away.
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { eventTime } from '../../ui/format';
import { toast } from '../../ui/toast';
import { problemOf } from '../../ui/useAsk';
import type { TagRow } from '../../wire/control';
import { post } from '../../wire/rest';

interface Props {
  readonly token: string;
  readonly asset: number;
  readonly name: string;
  readonly tags: readonly TagRow[];
  readonly zone: string;
  readonly onClose: () => void;
}

const EXPIRIES = [
  ['', 'until it is taken away'],
  ['1', 'for one hour'],
  ['8', 'for eight hours'],
  ['24', 'for a day'],
  ['168', 'for a week'],
] as const;

export function Tags({ token, asset, name, tags, zone, onClose }: Props) {
  const [kind, setKind] = useState<TagRow['kind']>('inhibit');
  const [reason, setReason] = useState('');
  const [hours, setHours] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (call: () => Promise<unknown>, words: string) => {
    setBusy(true);
    setProblem('');
    try {
      await call();
      toast(words);
      setReason('');
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  const place = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() === '') return setProblem('Say why: everybody who wants to operate it will read this');
    const expiresAt = hours === '' ? null : Date.now() + Number(hours) * 3_600_000;
    void send(() => post(token, 'tags', { assetId: asset, kind, reason: reason.trim(), expiresAt }), 'The tag is on the diagram.');
  };
  const take = (tag: TagRow) => {
    const why = prompt(`Why is the tag of ${tag.holder} taken away?`)?.trim();
    if (why) void send(() => post(token, `tags/${tag.id}/remove`, { reason: why }), 'The tag is gone.');
  };
  return (
    <Dialog title={`Tags of ${name}`} onClose={onClose}>
      {tags.length === 0 && <p>There are none.</p>}
      <ul className="tags">
        {tags.map((tag) => (
          <li key={tag.id} data-kind={tag.kind} data-testid="tag">
            <b>{tag.kind === 'inhibit' ? 'X' : 'C'}</b>
            <span>
              {tag.reason}
              <small>
                {tag.holder}, since {eventTime(tag.placedAt, Date.now(), zone)}
                {tag.expiresAt ? `, until ${eventTime(tag.expiresAt, Date.now(), zone)}` : ''}
              </small>
            </span>
            <button type="button" className="plain" disabled={busy} onClick={() => take(tag)}>
              Take away
            </button>
          </li>
        ))}
      </ul>
      <form className="fields" onSubmit={place}>
        <label className="field">
          Kind
          <select data-testid="tag-kind" value={kind} onChange={(event) => setKind(event.target.value === 'caution' ? 'caution' : 'inhibit')}>
            <option value="inhibit">Control inhibit: nobody can operate it</option>
            <option value="caution">Caution: shown to whoever operates it</option>
          </select>
        </label>
        <label className="field">
          Reason
          <input data-testid="tag-reason" maxLength={200} value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
        <label className="field">
          It holds
          <select value={hours} onChange={(event) => setHours(event.target.value)}>
            {EXPIRIES.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <p className="problem" role="alert">
          {problem}
        </p>
        <div className="actions">
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button type="submit" className="primary" data-testid="tag-place" disabled={busy}>
            {busy && <span className="spinner" aria-hidden="true" />} Place
          </button>
        </div>
      </form>
    </Dialog>
  );
}
