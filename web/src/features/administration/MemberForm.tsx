// The form of a new or existing user. If the server rejects it, its message is shown and nothing changes.
import { useEffect, useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { toast } from '../../ui/toast';
import { get, post, type MemberChange, type MemberRow, problemOf } from '../../wire/rest';
import { ROLES, placesPath } from './roles';
import { t } from '../../words';
import { FormFoot } from '../../ui/FormFoot';

interface Place {
  readonly displayId: number;
  readonly breadCrumbName: string;
}

interface Props {
  readonly token: string;
  readonly client: number;
  readonly member: MemberRow | null;
  readonly isSelf: boolean;
  readonly onClose: (changed: boolean) => void;
}

export function MemberForm({ token, client, member, isSelf, onClose }: Props) {
  const [username, setUsername] = useState(member?.username ?? '');
  const [change, setChange] = useState<MemberChange>({
    firstName: member?.firstName ?? '',
    lastName: member?.lastName ?? '',
    email: member?.email ?? '',
    roleId: member?.roleId ?? 4,
    nodeId: member?.nodeId ?? null,
    canOperate: member?.canOperate ?? false,
    disabled: member?.disabled ?? false,
    flags: member?.flags ?? {},
    profilePicturePath: member?.profilePicturePath ?? '',
  });
  const [places, setPlaces] = useState<readonly Place[] | null>(null);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const path = placesPath(change.roleId, client);
  useEffect(() => {
    let gone = false;
    setPlaces(null);
    if (path === null) return;
    get<Place[]>(token, path).then(
      ({ result }) => gone || setPlaces(result),
      (error: unknown) => gone || setProblem(problemOf(error)),
    );
    return () => {
      gone = true;
    };
  }, [token, path]);
  const put = (part: Partial<MemberChange>) => setChange((before) => ({ ...before, ...part }));

  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      if (member) await post(token, `admin/members/${member.id}`, change, 'PUT');
      else await post(token, 'admin/members', { username, ...change });
      toast(member ? t('administration.changed') : t('administration.addedSendThemALink'));
      onClose(true);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };

  return (
    <Dialog title={member ? `${member.firstName} ${member.lastName}` : t('administration.aNewPerson')} onClose={() => onClose(false)}>
      <form className="fields" onSubmit={(event) => void save(event)} noValidate>
        {!member && (
          <label className="field">
            {t('administration.signInName')}
            <input data-testid="member-username" data-first="" autoFocus value={username} onChange={(event) => setUsername(event.target.value)} />
          </label>
        )}
        <label className="field">
          {t('administration.firstName')}
          <input data-testid="member-first" value={change.firstName} onChange={(event) => put({ firstName: event.target.value })} />
        </label>
        <label className="field">
          {t('administration.lastName')}
          <input data-testid="member-last" value={change.lastName} onChange={(event) => put({ lastName: event.target.value })} />
        </label>
        <label className="field">
          {t('administration.email')}
          <input data-testid="member-email" type="email" value={change.email} onChange={(event) => put({ email: event.target.value })} />
        </label>
        <label className="field">
          {t('administration.pictureAPathOnThisSite')}
          <input data-testid="member-picture" maxLength={200} value={change.profilePicturePath ?? ''} onChange={(event) => put({ profilePicturePath: event.target.value.trim() })} />
        </label>
        <label className="field">
          {t('administration.role')}
          <select data-testid="member-role" disabled={isSelf} value={change.roleId} onChange={(event) => put({ roleId: Number(event.target.value), nodeId: null })}>
            {ROLES.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {path !== null && (
          <label className="field">
            {t('administration.place')}
            <select data-testid="member-node" disabled={!places || isSelf} value={change.nodeId ?? ''} onChange={(event) => put({ nodeId: Number(event.target.value) || null })}>
              <option value="">{places ? t('administration.choose') : t('administration.loading')}</option>
              {places?.map(({ displayId, breadCrumbName }) => (
                <option key={displayId} value={displayId}>
                  {breadCrumbName}
                </option>
              ))}
            </select>
          </label>
        )}
        <label className="check">
          <input type="checkbox" checked={change.canOperate} disabled={isSelf} onChange={(event) => put({ canOperate: event.target.checked })} /> {t('administration.mayOperateBreakers')}
        </label>
        <label className="check">
          <input type="checkbox" checked={change.disabled} disabled={isSelf} onChange={(event) => put({ disabled: event.target.checked })} /> {t('administration.disabledMayNotSignIn')}
        </label>
        {isSelf && <p>{t('administration.nobodyChangesTheirOwnRights')}</p>}
        <FormFoot problem={problem} busy={busy} back={t('administration.cancel')} onBack={() => onClose(false)} submit={t('administration.save')} testId="member-save" />
      </form>
    </Dialog>
  );
}
