// Texts of the screens from one catalogue. Another language is a catalogue with the same keys. Changing the language needs a reload.
import i18next from 'i18next';
import { en } from './en';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

// Synchronous, because modules read texts while they load. Escaping is off, because React escapes inserted values.
void i18next.init({ lng: 'en', fallbackLng: 'en', initAsync: false, interpolation: { escapeValue: false }, resources: { en: { translation: en } } });

export const t = i18next.t.bind(i18next);
