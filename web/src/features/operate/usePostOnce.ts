// Sends the request of a dialog with an idempotency key: a request that is sent again after a lost answer does nothing twice.
import { useRef } from 'react';
import { Failure, isUncertain, postCommand, problemOf } from '../../wire/rest';
import { t } from '../../words';
import { uuid } from './calls';

/**
 * Returns the function that sends. Its key belongs to the path and the content: the same request has the same key until it succeeds, and another content has
 * another key. If the answer is lost, the error says that the request may have been executed, and `onUncertain` is called.
 */
export function usePostOnce(token: string, onUncertain: () => void) {
  const keys = useRef(new Map<string, string>());
  return async (path: string, body: object): Promise<unknown> => {
    const content = JSON.stringify([path, body]);
    const key = keys.current.get(content) ?? uuid();
    keys.current.set(content, key);
    try {
      const answer = await postCommand(token, path, body, { 'Idempotency-Key': key });
      keys.current.clear();
      return answer;
    } catch (error) {
      if (!isUncertain(error)) throw error;
      onUncertain();
      throw new Failure(0, `${problemOf(error)} ${t('operate.mayBeDone')}`);
    }
  };
}
