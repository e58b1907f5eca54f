// The pages of a role in this utility, with read-only access where set, and a reset to the default (specification 1, section 6).
import { useState } from 'react';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import { get, post, remove, type PageChoice, type RoleAccess, problemOf } from '../../wire/rest';
import { ROLES } from './roles';
import { t } from '../../words';

export function Pages({ token, ownRole }: { token: string; ownRole: number }) {
  const [role, setRole] = useState(3);
  const asked = useAsk(`pages-${role}`, (asking) => get<RoleAccess>(token, `admin/pageaccess/${role}`, asking));
  return (
    <>
      <label className="field narrow">
        {t('administration.role')}
        <select data-testid="pages-role" value={role} onChange={(event) => setRole(Number(event.target.value))}>
          {ROLES.filter(({ id }) => id >= ownRole).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Answered asked={asked}>{(access) => <Grants key={`${role}-${access.isDefault}`} token={token} access={access} onChanged={asked.put} />}</Answered>
    </>
  );
}

function Grants({ token, access, onChanged }: { token: string; access: RoleAccess; onChanged: (access: RoleAccess) => void }) {
  const [pages, setPages] = useState<readonly PageChoice[]>(access.pages);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const change = (id: number, part: Partial<PageChoice>) => setPages((before) => before.map((page) => (page.pageId === id ? { ...page, ...part } : page)));
  const send = async (call: () => Promise<{ result: RoleAccess }>, words: string) => {
    setBusy(true);
    setProblem('');
    try {
      const { result } = await call();
      toast(words);
      setPages(result.pages);
      onChanged(result);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  const save = () => {
    const grants = pages.filter(({ granted }) => granted).map(({ pageId, isReadonly, showInTab }) => ({ pageId, isReadonly, showInTab }));
    return send(() => post<RoleAccess>(token, `admin/pageaccess/${access.roleId}`, grants, 'PUT'), t('administration.changedItHoldsFromThe'));
  };
  const apps = [...new Set(pages.map(({ appName }) => appName))];
  return (
    <>
      <p>{access.isDefault ? t('administration.thisRoleHasThePages') : t('administration.thisRoleHasPagesOf')}</p>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>{t('administration.page')}</th>
              <th>{t('administration.hasIt')}</th>
              <th>{t('administration.onlyReads')}</th>
              <th>{t('administration.shownAsATab')}</th>
            </tr>
          </thead>
          {apps.map((app) => (
            <tbody key={app}>
              <tr>
                <th colSpan={4} scope="rowgroup" className="group">
                  {app.replaceAll('_', ' ')}
                </th>
              </tr>
              {pages
                .filter(({ appName }) => appName === app)
                .map((page) => (
                  <tr key={page.pageId} data-testid={`page-${page.tabKey}`} data-dim={!page.granted}>
                    <td>{page.tabName}</td>
                    <td>
                      <input type="checkbox" aria-label={t('administration.has', { tabname: page.tabName })} checked={page.granted} onChange={(event) => change(page.pageId, { granted: event.target.checked })} />
                    </td>
                    <td>
                      <input type="checkbox" aria-label={t('administration.onlyReads2', { tabname: page.tabName })} disabled={!page.granted} checked={page.isReadonly} onChange={(event) => change(page.pageId, { isReadonly: event.target.checked })} />
                    </td>
                    <td>
                      <input type="checkbox" aria-label={t('administration.isShownAsATab', { tabname: page.tabName })} disabled={!page.granted} checked={page.showInTab} onChange={(event) => change(page.pageId, { showInTab: event.target.checked })} />
                    </td>
                  </tr>
                ))}
            </tbody>
          ))}
        </table>
      </div>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="actions start">
        <button type="button" className="primary" data-testid="pages-save" disabled={busy} onClick={() => void save()}>
          {busy && <span className="spinner" aria-hidden="true" />} {t('administration.save')}
        </button>
        <button type="button" data-testid="pages-reset" disabled={busy || access.isDefault} onClick={() => void send(() => remove<RoleAccess>(token, `admin/pageaccess/${access.roleId}`), t('administration.theRoleHasThePages'))}>
          {t('administration.backToTheDefault')}
        </button>
      </div>
    </>
  );
}
