// Trackers: what was decided to be done, by whom and until when.
import type { Login } from '../wire/rest';

export function Trackers({ login }: { login: Login }) {
  return <div className="notice">{login.clientName}</div>;
}
