// The entry point. The sign-in from before a reload is renewed while the code of the screens loads.
import { loadBrand } from '../session/brand';
import { session } from '../session/session';

const resumed = session.resume().catch(() => undefined);
void loadBrand();
void Promise.all([import('./main'), resumed]).then(([{ show }]) => show());
