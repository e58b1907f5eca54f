// The settings of the user's utility for its screens.
import { useAsk, type Asked } from '../ui/useAsk';
import { get, type ClientConfiguration, type Login } from '../wire/rest';

export function useConfiguration({ token, clientId }: Pick<Login, 'token' | 'clientId'>): Asked<ClientConfiguration> {
  return useAsk(`configuration-${clientId}`, (asking) => get<ClientConfiguration>(token, `client/clientconfiguration/${clientId}`, asking));
}
