// The live readings of an asset: one row for each parameter, streamed, and polled while the socket is down.
import * as v from 'valibot';
import type { Source } from '../../live/useFeed';
import { Reading } from '../../wire/history';

export function readingSource(token: string, asset: number): Source<Reading> {
  return {
    stream: `readings/${asset}`,
    path: `report/feederinstantaneousdata/${asset}`,
    token,
    key: ({ parameter }) => parameter,
    fits: (row) => v.is(Reading, row),
  };
}
