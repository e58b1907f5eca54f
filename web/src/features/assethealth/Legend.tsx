// The legend: the bands from good to bad, sections without a model, and the selection.
import { NOT_MODELLED } from './sections';
import { t } from '../../words';

export function Legend({ words }: { words: readonly string[] }) {
  return (
    <ul className="chart-legend">
      {words.map((word, at) => (
        <li key={word}>
          <i data-mark="column" style={{ color: `var(--band-${at + 1})` }} />
          {word}
        </li>
      ))}
      <li>
        <i data-mark="dashed" style={{ color: 'var(--text-3)' }} />
        {NOT_MODELLED}
      </li>
      <li>
        <i data-mark="column" style={{ color: 'var(--chosen)' }} />
        {t('assethealth.chosen')}
      </li>
    </ul>
  );
}
