// The start: the sign-in of before a reload is renewed while the screens are still on their way.
import { loadBrand } from '../session/brand';
import { session } from '../session/session';

const resumed = session.resume().catch(() => undefined);
void loadBrand();
void Promise.all([import('./main'), resumed]).then(([{ show }]) => show());
