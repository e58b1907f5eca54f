// The calls of an operation (specification 2, section 7). Each command has an idempotency key, so that a repeated request is executed once.
import { CommandRow } from '../../wire/control';
import { getForCommand, postCommand, type BreakerStatus, type DiRow } from '../../wire/rest';
import type { Consequences } from './consequences';
import * as v from 'valibot';

export const fetchStatus = async (token: string, di: DiRow): Promise<BreakerStatus> => (await getForCommand<BreakerStatus>(token, `digiops/cbstatus/${di.gatewayId}/${di.Asset2DiSettingId}`)).result;

/** The changes of the network that an operation would cause; null if the device belongs to no active network. */
export const fetchConsequences = async (token: string, { pointId, changeDIText }: BreakerStatus): Promise<Consequences | null> =>
  (await getForCommand<Consequences | null>(token, `network/consequences?point=${pointId}&to=${changeDIText === 'CLOSED' ? 'closed' : 'open'}`)).result;

export const prove = (token: string, username: string, password: string, otp: string, { assetId, changeDIStatus }: BreakerStatus) =>
  postCommand(token, 'sld/validatecredentialsfordocontrol', { Email: username, Password: password, assetId, toDIStatus: changeDIStatus, ...(otp && { otp }) });

type Order = 'select' | 'execute' | 'direct' | 'cancel';

/** Sends a command. The answer arrives within seconds and has its present state; later states arrive over the stream. */
export async function order(token: string, kind: Order, status: BreakerStatus, key: string, command: string | null = null): Promise<CommandRow> {
  const body = {
    assetId: status.assetId,
    productId: status.productId,
    fromDIStatus: status.currentDIStatus,
    fromDIText: status.currentDIText,
    toDIStatus: status.changeDIStatus,
    toDIText: status.changeDIText,
    asset2DiSettingId: status.pointId,
    directOperate: kind === 'direct' ? 1 : 0,
    isSelect: kind === 'select' ? 1 : 0,
    isExecute: kind === 'execute' ? 1 : 0,
    isCancel: kind === 'cancel' ? 1 : 0,
    commandId: command,
  };
  const { result } = await postCommand<unknown>(token, 'digiops', body, { 'Idempotency-Key': key });
  return v.parse(CommandRow, result);
}

/** A random UUID. `crypto.randomUUID` does not exist on a page without TLS. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
