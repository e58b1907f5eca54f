// What is doubtful about the figures above or below it, and the definition of a word one hover or one key away.
import { useId } from 'react';
import { doubtsOf, type Doubtful } from './doubts';

export function Doubts(doubtful: Doubtful) {
  const words = doubtsOf(doubtful);
  if (words.length === 0) return null;
  return (
    <ul className="doubts" data-testid="doubts">
      {words.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

/** A word with its definition: shown while it is pointed at or has the focus, and read with it. */
export function Term({ name, definition }: { readonly name: string; readonly definition: string }) {
  const id = useId();
  return (
    <span className="term">
      <button type="button" aria-describedby={id}>
        {name}
      </button>
      <span role="tooltip" id={id}>
        {definition}
      </span>
    </span>
  );
}
