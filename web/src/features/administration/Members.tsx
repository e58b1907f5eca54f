// The users of a utility with their role, place and permissions (specification 1, section 6). For roles 1 and 2.
import { useState } from 'react';
import { Answered, useAsk } from '../../ui/useAsk';
import { toast } from '../../ui/toast';
import { get, post, type MemberRow, problemOf } from '../../wire/rest';
import { MemberForm } from './MemberForm';
import { t } from '../../words';

export function Members({ token, own, client }: { token: string; own: number; client: number }) {
  const asked = useAsk('members', (asking) => get<MemberRow[]>(token, 'admin/members', asking));
  const [open, setOpen] = useState<MemberRow | 'new' | null>(null);
  const invite = async (member: MemberRow) => {
    try {
      const { message, result } = await post<unknown>(token, `admin/members/${member.id}/invite`, {});
      toast(message || (typeof result === 'string' ? result : t('administration.aLinkIsOnIts', { email: member.email })));
    } catch (error) {
      toast(problemOf(error), 'error');
    }
  };
  return (
    <Answered asked={asked}>
      {(members) => (
        <>
          <div className="actions start">
            <button type="button" className="primary" data-testid="member-new" onClick={() => setOpen('new')}>
              {t('administration.addAPerson')}
            </button>
          </div>
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th>{t('administration.name')}</th>
                  <th>{t('administration.signInName')}</th>
                  <th>{t('administration.email')}</th>
                  <th>{t('administration.role')}</th>
                  <th>{t('administration.mayOperate')}</th>
                  <th>{t('administration.state')}</th>
                  <th />
                </tr>
              </thead>
              <tbody>
                {members.map((member) => (
                  <tr key={member.id} data-testid={`member-${member.username}`}>
                    <td>
                      {member.firstName} {member.lastName}
                    </td>
                    <td>{member.username}</td>
                    <td>{member.email}</td>
                    <td>{member.role}</td>
                    <td>{member.canOperate ? 'yes' : 'no'}</td>
                    <td>{member.disabled ? 'disabled' : member.demo ? 'demo' : 'active'}</td>
                    <td className="row-actions">
                      <button type="button" className="plain" onClick={() => setOpen(member)} aria-label={t('administration.edit', { username: member.username })}>
                        {t('administration.edit2')}
                      </button>
                      {member.id !== own && (
                        <button type="button" className="plain" onClick={() => void invite(member)} aria-label={t('administration.sendLinkTo', { username: member.username })} data-tip={t('administration.aLinkToSetA')}>
                          {t('administration.sendLink')}
                        </button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {open && (
            <MemberForm
              token={token}
              client={client}
              member={open === 'new' ? null : open}
              isSelf={open !== 'new' && open.id === own}
              onClose={(changed) => {
                setOpen(null);
                if (changed) asked.retry();
              }}
            />
          )}
        </>
      )}
    </Answered>
  );
}
