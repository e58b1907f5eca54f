// Notes on doubtful figures, and terms whose definition appears on hover or focus.
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

/** A term with its definition, shown on hover or focus and read by screen readers. */
export function Term({ name, definition }: { readonly name: string; readonly definition: string }) {
  const id = useId();
  return (
    <span className="term">
      <button type="button" aria-describedby={id} data-tip={definition}>
        {name}
      </button>
      <span hidden id={id}>
        {definition}
      </span>
    </span>
  );
}
