// Which pages a role has in this utility, where it may only read, and back to the default (specification 1, section 6).
import { useState } from 'react';
import { toast } from '../../ui/toast';
import { Answered, problemOf, useAsk } from '../../ui/useAsk';
import { get, post, remove, type PageChoice, type RoleAccess } from '../../wire/rest';
import { ROLES } from './roles';

export function Pages({ token, ownRole }: { token: string; ownRole: number }) {
  const [role, setRole] = useState(3);
  const asked = useAsk(`pages-${role}`, () => get<RoleAccess>(token, `admin/pageaccess/${role}`));
  return (
    <>
      <label className="field narrow">
        Role
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
    return send(() => post<RoleAccess>(token, `admin/pageaccess/${access.roleId}`, grants, 'PUT'), 'Changed. It holds from the next screen that these people open.');
  };
  const apps = [...new Set(pages.map(({ appName }) => appName))];
  return (
    <>
      <p>{access.isDefault ? 'This role has the pages that come with the product.' : 'This role has pages of its own in this utility.'}</p>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Page</th>
              <th>Has it</th>
              <th>Only reads</th>
              <th>Shown as a tab</th>
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
                      <input type="checkbox" aria-label={`Has ${page.tabName}`} checked={page.granted} onChange={(event) => change(page.pageId, { granted: event.target.checked })} />
                    </td>
                    <td>
                      <input type="checkbox" aria-label={`Only reads ${page.tabName}`} disabled={!page.granted} checked={page.isReadonly} onChange={(event) => change(page.pageId, { isReadonly: event.target.checked })} />
                    </td>
                    <td>
                      <input type="checkbox" aria-label={`${page.tabName} is shown as a tab`} disabled={!page.granted} checked={page.showInTab} onChange={(event) => change(page.pageId, { showInTab: event.target.checked })} />
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
          {busy && <span className="spinner" aria-hidden="true" />} Save
        </button>
        <button type="button" data-testid="pages-reset" disabled={busy || access.isDefault} onClick={() => void send(() => remove<RoleAccess>(token, `admin/pageaccess/${access.roleId}`), 'The role has the pages of the product again.')}>
          Back to the default
        </button>
      </div>
    </>
  );
}
