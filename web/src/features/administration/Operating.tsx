// Rights and times of operating: whether devices are operated from here, who confirms their credentials, and how long each step lasts. A change needs the
// administrator's password.
import { useState, type FormEvent } from 'react';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import { get, post, type MemberRow, type UtilityConfiguration } from '../../wire/rest';
import { t } from '../../words';
import { useConfirmedSave } from './useConfirmedSave';

type Control = NonNullable<UtilityConfiguration['control']>;

/** The times with their limits, which the server checks as well. */
const TIMES = [
  ['selectSeconds', t('administration.selectionLasts'), 5, 120],
  ['feedbackSeconds', t('administration.feedbackOfABreaker'), 1, 120],
  ['isolatorFeedbackSeconds', t('administration.feedbackOfAnIsolator'), 1, 120],
  ['minIntervalSeconds', t('administration.restBetweenOperations'), 0, 600],
  ['burstOperations', t('administration.operationsWithin'), 1, 100],
  ['burstSeconds', t('administration.withinThisTime'), 1, 3600],
] as const;

interface Props {
  readonly token: string;
  readonly username: string;
  /** Opens the list of users, where the right to operate is given. */
  readonly onMembers: () => void;
}

export function Operating({ token, username, onMembers }: Props) {
  const configuration = useAsk('configuration', (asking) => get<UtilityConfiguration>(token, 'admin/configuration', asking));
  const members = useAsk('members', (asking) => get<MemberRow[]>(token, 'admin/members', asking));
  const operators = members.data?.filter(({ canOperate }) => canOperate) ?? [];
  return (
    <>
      <Answered asked={configuration}>{(stored) => <Form token={token} username={username} configuration={stored} />}</Answered>
      <h2>{t('administration.operators')}</h2>
      <p data-testid="operating-members">{members.data === null ? '' : operators.length === 0 ? t('administration.nobody') : operators.map(({ firstName, lastName, username }) => `${firstName} ${lastName}`.trim() || username).join(', ')}</p>
      <button type="button" onClick={onMembers}>
        {t('administration.changeOperators')}
      </button>
    </>
  );
}

function Form({ token, username, configuration }: { token: string; username: string; configuration: UtilityConfiguration }) {
  const [stored, setStored] = useState(configuration);
  const [now, setNow] = useState<Control | null>(configuration.control ?? null);
  const listed = now?.synchronismChecked ?? [];
  const { confirm, problem, dialog } = useConfirmedSave({ token, username, operation: { path: stored.name, words: t('administration.changeOfOperating') } }, async () => {
    // Other settings may have been changed in the meantime, so they are read again.
    const { result: current } = await get<UtilityConfiguration>(token, 'admin/configuration');
    const { result } = await post<UtilityConfiguration>(token, 'admin/configuration', { ...current, control: { ...now, synchronismChecked: listed.map((line) => line.trim()).filter(Boolean) } }, 'PUT');
    setStored(result);
    setNow(result.control ?? null);
    toast(t('administration.operatingIsChanged'));
  });
  if (now === null) return null;
  const put = (part: Partial<Control>) => setNow({ ...now, ...part });
  const isChanged = JSON.stringify(now) !== JSON.stringify(stored.control);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) confirm();
  };
  return (
    <>
      <form className="fields columns" onSubmit={ask}>
        <fieldset>
          <legend>{t('administration.rights')}</legend>
          <label className="check">
            <input type="checkbox" data-testid="operating-enabled" checked={now.enabled} onChange={(event) => put({ enabled: event.target.checked })} /> {t('administration.operatingIsEnabled')}
          </label>
          <label className="check">
            <input type="checkbox" data-testid="operating-stepup" checked={now.stepupAll} onChange={(event) => put({ stepupAll: event.target.checked })} /> {t('administration.everybodyConfirms')}
          </label>
        </fieldset>
        <fieldset>
          <legend>{t('administration.times')}</legend>
          {TIMES.map(([key, name, min, max]) => (
            <label key={key} className="field">
              {name}
              <input type="number" required step={1} min={min} max={max} data-testid={`operating-${key}`} value={now[key]} onChange={(event) => put({ [key]: Number(event.target.value) })} />
            </label>
          ))}
        </fieldset>
        <fieldset>
          <legend>{t('administration.synchronismChecked')}</legend>
          <label className="field">
            {t('administration.synchronismCheckedAbout')}
            <textarea rows={3} data-testid="operating-synchronismChecked" value={listed.join('\n')} onChange={(event) => put({ synchronismChecked: event.target.value === '' ? [] : event.target.value.split('\n') })} />
          </label>
        </fieldset>
        <p className="problem" role="alert">
          {problem}
        </p>
        <div className="actions">
          <button type="submit" className="primary" data-testid="operating-save" disabled={!isChanged}>
            {t('administration.save')}
          </button>
        </div>
      </form>
      {dialog}
    </>
  );
}
