// The words of the screens, out of one catalogue. Another language is another catalogue with the same keys; the page is loaded anew to change it.
import i18next from 'i18next';
import { en } from './en';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

// At once, since screens ask while they are loaded. React keeps what is filled in from being markup.
void i18next.init({ lng: 'en', fallbackLng: 'en', initAsync: false, interpolation: { escapeValue: false }, resources: { en: { translation: en } } });

export const t = i18next.t.bind(i18next);
