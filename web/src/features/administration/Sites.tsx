// The brand of the utility's web sites, by host name (specification 1, section 3, "Brand config").
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../ui/Dialog';
import { Html } from '../../ui/Html';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import { get, post, remove, type BrandChange, type HostBrand, problemOf } from '../../wire/rest';
import { t } from '../../words';
import { FormFoot } from '../../ui/FormFoot';

const NEW: HostBrand = { host: '', logo: '', faviIcon: '/favicon.svg', faviIconText: t('administration.switchyard'), footerText: '', mapUrl: '', title: t('administration.switchyard'), loginVariant: 'plain', servers: [] };

export function Sites({ token }: { token: string }) {
  const asked = useAsk('brands', (asking) => get<HostBrand[]>(token, 'admin/brands', asking));
  const [open, setOpen] = useState<HostBrand | null>(null);
  const [leaving, setLeaving] = useState<string | null>(null);
  const drop = async (host: string) => {
    setLeaving(null);
    try {
      await remove(token, `admin/brands/${encodeURIComponent(host)}`);
      toast(t('administration.removed'));
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
              {t('administration.addASite')}
            </button>
          </div>
          {brands.length === 0 && <p>{t('administration.noSiteHasABrand')}</p>}
          {brands.length > 0 && (
            <div className="scroll">
              <table>
                <thead>
                  <tr>
                    <th>{t('administration.host')}</th>
                    <th>{t('administration.title')}</th>
                    <th>{t('administration.footer')}</th>
                    <th>{t('administration.signInForm')}</th>
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
                      <td>{brand.loginVariant === 'grey' ? t('administration.greyBox') : 'plain'}</td>
                      <td className="row-actions">
                        <button type="button" className="plain" aria-label={t('administration.edit3', { host: brand.host })} onClick={() => setOpen(brand)}>
                          {t('administration.edit2')}
                        </button>
                        <button type="button" className="plain" aria-label={t('administration.remove', { host: brand.host })} onClick={() => setLeaving(brand.host)}>
                          {t('administration.remove2')}
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {leaving !== null && (
            <Dialog title={t('administration.removeTheBrandOfThe', { host: leaving })} onClose={() => setLeaving(null)}>
              <div className="actions">
                <button type="button" data-first="" autoFocus onClick={() => setLeaving(null)}>
                  {t('administration.cancel')}
                </button>
                <button type="button" className="danger" data-testid="site-remove" onClick={() => void drop(leaving)}>
                  {t('administration.remove2')}
                </button>
              </div>
            </Dialog>
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
  ['title', t('administration.titleOfTheTopBar')],
  ['faviIconText', t('administration.titleOfTheBrowsersTab')],
  ['logo', t('administration.logoAPathOnThis')],
  ['faviIcon', t('administration.iconOfTheBrowsersTab')],
  ['mapUrl', t('administration.mapTilesAPathOn')],
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
      toast(t('administration.changedWhoOpensTheSite'));
      onClose(true);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={brand.host === '' ? t('administration.addASite') : t('administration.theSite', { host: brand.host })} onClose={() => onClose(false)}>
      <form className="fields" onSubmit={(event) => void save(event)}>
        <label className="field">
          {t('administration.hostAsPeopleTypeIt')}
          <input data-testid="site-host" required maxLength={253} disabled={brand.host !== ''} value={host} onChange={(event) => put({ host: event.target.value })} />
        </label>
        {LINES.map(([key, words]) => (
          <label key={key} className="field">
            {words}
            <input data-testid={`site-${key}`} maxLength={200} value={change[key]} onChange={(event) => put({ [key]: event.target.value })} />
          </label>
        ))}
        <label className="field">
          {t('administration.footerTextWithAB')}
          <textarea data-testid="site-footer" rows={3} maxLength={4_000} value={change.footerText} onChange={(event) => put({ footerText: event.target.value })} />
        </label>
        <label className="field">
          {t('administration.signInForm')}
          <select value={change.loginVariant} onChange={(event) => put({ loginVariant: event.target.value === 'grey' ? 'grey' : 'plain' })}>
            <option value="plain">{t('administration.plain')}</option>
            <option value="grey">{t('administration.greyBox')}</option>
          </select>
        </label>
        <fieldset className="field">
          <legend>{t('administration.serversToChooseFromAt')}</legend>
          {change.servers.map((server, index) => (
            <div key={index} className="pair">
              <input aria-label={t('administration.keyOfServer', { value: index + 1 })} placeholder={t('administration.key')} required value={server.key} onChange={(event) => put({ servers: change.servers.map((held, at) => (at === index ? { ...held, key: event.target.value } : held)) })} />
              <input aria-label={t('administration.nameOfServer', { value: index + 1 })} placeholder={t('administration.name2')} required value={server.name} onChange={(event) => put({ servers: change.servers.map((held, at) => (at === index ? { ...held, name: event.target.value } : held)) })} />
              <button type="button" className="plain" aria-label={t('administration.removeServer', { value: index + 1 })} onClick={() => put({ servers: change.servers.filter((_, at) => at !== index) })}>
                ✕
              </button>
            </div>
          ))}
          {change.servers.length < 3 && (
            <button type="button" onClick={() => put({ servers: [...change.servers, { key: '', name: '' }] })}>
              {t('administration.addAServer')}
            </button>
          )}
        </fieldset>
        <FormFoot problem={problem} busy={busy} back={t('administration.cancel')} onBack={() => onClose(false)} submit={t('administration.save')} testId="site-save" />
      </form>
    </Dialog>
  );
}
