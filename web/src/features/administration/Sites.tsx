// How the sites of the utility present themselves, by host (specification 1, section 3, "Brand config").
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { Html } from '../../ui/Html';
import { toast } from '../../ui/toast';
import { Answered, problemOf, useAsk } from '../../ui/useAsk';
import { get, post, remove, type BrandChange, type HostBrand } from '../../wire/rest';

const NEW: HostBrand = { host: '', logo: '', faviIcon: '/favicon.svg', faviIconText: 'Switchyard', footerText: '', mapUrl: '', title: 'Switchyard', loginVariant: 'plain', servers: [] };

export function Sites({ token }: { token: string }) {
  const asked = useAsk('brands', () => get<HostBrand[]>(token, 'admin/brands'));
  const [open, setOpen] = useState<HostBrand | null>(null);
  const drop = async (host: string) => {
    if (!confirm(`Remove the brand of ${host}? The site then looks as the product does.`)) return;
    try {
      await remove(token, `admin/brands/${encodeURIComponent(host)}`);
      toast('Removed');
      asked.retry();
    } catch (error) {
      toast(problemOf(error), 'error');
    }
  };
  return (
    <Answered asked={asked}>
      {(brands) => (
        <>
          <div className="actions start">
            <button type="button" className="primary" data-testid="site-new" onClick={() => setOpen(NEW)}>
              Add a site
            </button>
          </div>
          {brands.length === 0 && <p>No site has a brand of its own; all look as the product does.</p>}
          {brands.length > 0 && (
            <div className="scroll">
              <table>
                <thead>
                  <tr>
                    <th>Host</th>
                    <th>Title</th>
                    <th>Footer</th>
                    <th>Sign-in form</th>
                    <th />
                  </tr>
                </thead>
                <tbody>
                  {brands.map((brand) => (
                    <tr key={brand.host} data-testid={`site-${brand.host}`}>
                      <td>{brand.host}</td>
                      <td>{brand.title}</td>
                      <td>
                        <Html html={brand.footerText} />
                      </td>
                      <td>{brand.loginVariant === 'grey' ? 'grey box' : 'plain'}</td>
                      <td className="row-actions">
                        <button type="button" className="plain" aria-label={`Edit ${brand.host}`} onClick={() => setOpen(brand)}>
                          Edit
                        </button>
                        <button type="button" className="plain" aria-label={`Remove ${brand.host}`} onClick={() => void drop(brand.host)}>
                          Remove
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {open && (
            <Site
              token={token}
              brand={open}
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

const LINES = [
  ['title', 'Title of the top bar'],
  ['faviIconText', "Title of the browser's tab"],
  ['logo', 'Logo: a path on this site, empty for the product’s'],
  ['faviIcon', "Icon of the browser's tab: a path on this site"],
  ['mapUrl', 'Map tiles: a path on this site or an allowed https address, empty for none'],
] as const;

function Site({ token, brand, onClose }: { token: string; brand: HostBrand; onClose: (changed: boolean) => void }) {
  const [{ host, ...change }, setBrand] = useState(brand);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const put = (part: Partial<HostBrand>) => setBrand((before) => ({ ...before, ...part }));
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      await post(token, `admin/brands/${encodeURIComponent(host.trim().toLowerCase())}`, change satisfies BrandChange, 'PUT');
      toast('Changed. Who opens the site from now on sees it.');
      onClose(true);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={brand.host === '' ? 'Add a site' : `The site ${brand.host}`} onClose={() => onClose(false)}>
      <form className="fields" onSubmit={(event) => void save(event)}>
        <label className="field">
          Host, as people type it, without a port
          <input data-testid="site-host" required maxLength={253} disabled={brand.host !== ''} value={host} onChange={(event) => put({ host: event.target.value })} />
        </label>
        {LINES.map(([key, words]) => (
          <label key={key} className="field">
            {words}
            <input data-testid={`site-${key}`} maxLength={200} value={change[key]} onChange={(event) => put({ [key]: event.target.value })} />
          </label>
        ))}
        <label className="field">
          Footer: text with a, b, i, p, br and span
          <textarea data-testid="site-footer" rows={3} maxLength={4_000} value={change.footerText} onChange={(event) => put({ footerText: event.target.value })} />
        </label>
        <label className="field">
          Sign-in form
          <select value={change.loginVariant} onChange={(event) => put({ loginVariant: event.target.value === 'grey' ? 'grey' : 'plain' })}>
            <option value="plain">plain</option>
            <option value="grey">grey box</option>
          </select>
        </label>
        <fieldset className="field">
          <legend>Servers to choose from at sign-in, up to three; the proxy in front routes by the key</legend>
          {change.servers.map((server, index) => (
            <div key={index} className="pair">
              <input aria-label={`Key of server ${index + 1}`} placeholder="key" required value={server.key} onChange={(event) => put({ servers: change.servers.map((held, at) => (at === index ? { ...held, key: event.target.value } : held)) })} />
              <input aria-label={`Name of server ${index + 1}`} placeholder="name" required value={server.name} onChange={(event) => put({ servers: change.servers.map((held, at) => (at === index ? { ...held, name: event.target.value } : held)) })} />
              <button type="button" className="plain" aria-label={`Remove server ${index + 1}`} onClick={() => put({ servers: change.servers.filter((_, at) => at !== index) })}>
                ✕
              </button>
            </div>
          ))}
          {change.servers.length < 3 && (
            <button type="button" onClick={() => put({ servers: [...change.servers, { key: '', name: '' }] })}>
              Add a server
            </button>
          )}
        </fieldset>
        <p className="problem" role="alert">
          {problem}
        </p>
        <div className="actions">
          <button type="button" onClick={() => onClose(false)}>
            Cancel
          </button>
          <button type="submit" className="primary" data-testid="site-save" disabled={busy}>
            {busy && <span className="spinner" aria-hidden="true" />} Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
