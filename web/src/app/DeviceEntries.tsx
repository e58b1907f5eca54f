// What a user can enter and place at the selected device of a diagram: positions, values, and temporary changes.
import { PositionEntry } from '../features/operate/PositionEntry';
import { TemporaryChanges } from '../features/operate/TemporaryChanges';
import { ValueEntry } from '../features/operate/ValueEntry';
import type { Device } from '../features/station/Detail';
import type { Login } from '../wire/rest';
import type { Marked } from './marks';

interface Props {
  readonly login: Login;
  readonly marked: Pick<Marked, 'entries' | 'temporary'>;
  readonly devices: readonly Device[];
  readonly selected: Device | null;
  /** The substation of the diagram; null for the diagram of a feeder, which names its equipment. */
  readonly location: number | null;
  readonly readOnly: boolean;
  /** Why the own desk may not operate the device; empty if it may. */
  readonly outside: string;
}

export function DeviceEntries({ login, marked: { entries, temporary }, devices, selected, location, readOnly, outside }: Props) {
  const mayEnter = login.canOperate && !readOnly;
  const common = { token: login.token, device: selected, outside };
  const key = selected?.id ?? '';
  return (
    <>
      <PositionEntry key={`position ${key}`} {...common} mayEnter={mayEnter} onChanged={entries.retry} />
      <ValueEntry key={`value ${key}`} {...common} zone={login.timeZone} entries={entries.data} mayEnter={mayEnter} onChanged={entries.retry} />
      <TemporaryChanges key={`temporary ${key}`} {...common} zone={login.timeZone} devices={devices} location={location} mayPlace={mayEnter} onChanged={temporary.retry} />
    </>
  );
}
