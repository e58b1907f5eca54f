// The symbol of a priority, which differs in shape, colour and number.
import { t } from '../../words';

const SHAPES: Readonly<Record<number, string>> = { 1: 'M8 1 15.5 15H.5Z', 2: 'M8 .5 15.5 8 8 15.5.5 8Z', 3: 'M1.5 1.5h13v13h-13Z' };

export function Priority({ of, steady = true }: { of: number; steady?: boolean }) {
  return (
    <svg className="priority" data-priority={of} data-blink={!steady} viewBox="0 0 16 16" width="16" height="16" role="img" aria-label={`${t('alarms.priority')} ${of}`}>
      <path d={SHAPES[of] ?? SHAPES[3]} />
      <text x="8" y={of === 1 ? 12.8 : 11.4} textAnchor="middle">
        {of}
      </text>
    </svg>
  );
}
