// The e-mail recipients of a report: a list of addresses that grows by typing. It offers the addresses of the utility's users.
import { useId, useState, type KeyboardEvent } from 'react';
import { useAsk } from '../../ui/useAsk';
import { get, type Login, type MemberRow } from '../../wire/rest';
import { isAddress, MAIL_MAX, withTyped } from './schedule';
import { t } from '../../words';

interface Props {
  readonly login: Login;
  readonly addresses: readonly string[];
  readonly onChange: (addresses: readonly string[]) => void;
  /** The text of the field, which is not added to the addresses yet. */
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
}

/** Roles up to this id may list the users of the utility. Other users type addresses. */
const ADMINISTRATORS = 2;

export function MailTo({ login, addresses, onChange, typed, onTyped }: Props) {
  const id = useId();
  const [fault, setFault] = useState('');
  const members = useAsk(login.roleId <= ADMINISTRATORS ? `members-${login.clientId}` : null, (asking) => get<MemberRow[]>(login.token, 'admin/members', asking));
  const offered = new Map([[login.email, `${login.fName} ${login.lName}`], ...(members.data ?? []).filter(({ disabled }) => !disabled).map(({ email, firstName, lastName }) => [email, `${firstName} ${lastName}`] as const)]);
  const isFull = addresses.length >= MAIL_MAX;
  const add = () => {
    const address = typed.trim();
    if (address === '') return setFault('');
    if (!isAddress(address)) return setFault(t('reportskept.notAnAddress'));
    setFault('');
    onTyped('');
    onChange(withTyped(addresses, address));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  return (
    <div className="mail-to">
      <label className="field">
        <span>{t('reportskept.mailTo')}</span>
        <input
          type="email"
          list={`${id}-offered`}
          data-testid="mail-to"
          autoComplete="off"
          disabled={isFull}
          value={typed}
          aria-invalid={fault !== ''}
          aria-describedby={`${id}-help`}
          onChange={(event) => {
            onTyped(event.target.value);
            setFault('');
          }}
          onKeyDown={onKeyDown}
          onBlur={add}
        />
        <datalist id={`${id}-offered`}>
          {[...offered].filter(([email]) => email && !addresses.includes(email)).map(([email, name]) => (
            <option key={email} value={email}>
              {name}
            </option>
          ))}
        </datalist>
        <small id={`${id}-help`} className={fault ? 'fault' : undefined} role={fault ? 'alert' : undefined}>
          {fault || (isFull ? t('reportskept.mailFull', { most: MAIL_MAX }) : t('reportskept.mailHelp'))}
        </small>
      </label>
      {addresses.length > 0 && (
        <ul className="addresses" aria-label={t('reportskept.mailTo')}>
          {addresses.map((address) => (
            <li key={address}>
              {address}
              <button type="button" className="plain" aria-label={t('reportskept.removeAddress', { address })} onClick={() => onChange(addresses.filter((one) => one !== address))}>
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
