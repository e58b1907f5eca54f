// The rows of an answer that is requested again and again, as a feed for a table.
import { useEffect, useState } from 'react';
import { Feed } from './feed';

/** `rows`: null until the first answer; give it the same array while nothing changes. `problem`: why the rows are not up to date; empty if they are. */
export function useAnswerFeed<T>(rows: readonly T[] | null, problem: string, key: (row: T) => string | number): Feed<T> {
  const [feed] = useState(() => new Feed<T>({ key }));
  useEffect(() => {
    if (rows) feed.replace(rows);
  }, [feed, rows]);
  // After each replacement, too: rows that change for another reason do not make the answer newer.
  useEffect(() => {
    if (problem) feed.fail(problem);
  }, [feed, rows, problem]);
  return feed;
}
