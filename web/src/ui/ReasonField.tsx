// The reason of a change, which all users see.
interface Props {
  readonly label: string;
  readonly testId: string;
  readonly reason: string;
  readonly onChange: (reason: string) => void;
  readonly isFirst?: boolean;
}

/** Longest reason that the server accepts. */
const LONGEST = 200;

export function ReasonField({ label, testId, reason, onChange, isFirst = false }: Props) {
  return (
    <label className="field">
      {label}
      <input data-testid={testId} autoFocus={isFirst} maxLength={LONGEST} value={reason} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}
