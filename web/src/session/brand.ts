// The brand of the site, by host name (specification 1, section 3). Requested once. Default: the product's own brand.
import { useSyncExternalStore } from 'react';
import { get, type SiteBrand } from '../wire/rest';

const OWN: SiteBrand = { logo: '', faviIcon: '/favicon.svg', faviIconText: 'Switchyard', footerText: '', mapUrl: '', title: 'Switchyard', loginVariant: 'plain', servers: [] };

let brand = OWN;
const listeners = new Set<() => void>();

/** Fetches the brand and puts its name and icon on the browser's tab. */
export async function loadBrand(): Promise<void> {
  try {
    brand = (await get<SiteBrand>(null, `app/SiteBrand/${encodeURIComponent(location.hostname)}`)).result;
  } catch {
    return;
  }
  document.title = brand.faviIconText || OWN.faviIconText;
  document.querySelector('link[rel=icon]')?.setAttribute('href', brand.faviIcon || OWN.faviIcon);
  for (const listener of listeners) listener();
}

export function useBrand(): SiteBrand {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => brand,
  );
}
