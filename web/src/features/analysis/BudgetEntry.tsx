// The entered energy budgets of a place: a form for one month, the list, and the import of a file with budgets of any places.
import { useState, type FormEvent } from 'react';
import { number } from '../../ui/format';
import { toast } from '../../ui/toast';
import { Answered, useAsk } from '../../ui/useAsk';
import { getEnteredBudgets, postBudgets, putBudget, type BudgetDay } from '../../wire/analysis-forecast';
import { faultsIn } from '../../wire/cable-health';
import { Failure, problemOf } from '../../wire/rest';
import { budgetIn, budgetMonths, monthName } from './budget';
import { t } from '../../words';

interface Props {
  readonly token: string;
  readonly scope: string;
  readonly placeName: string;
  /** A day of the present month. */
  readonly today: Pick<BudgetDay, 'year' | 'month'>;
  readonly onChanged: () => void;
}

export function BudgetEntry({ token, scope, placeName, today, onChanged }: Props) {
  const entered = useAsk(`entered ${scope}`, async (asking) => ({ result: await getEnteredBudgets(token, scope, asking) }));
  const months = budgetMonths(today);
  const [month, setMonth] = useState(`${today.year}-${String(today.month).padStart(2, '0')}`);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const send = async (change: () => Promise<void>) => {
    setBusy(true);
    setProblem('');
    setFaults([]);
    try {
      await change();
      onChanged();
    } catch (error) {
      setProblem(problemOf(error));
      if (error instanceof Failure) setFaults(faultsIn(error.result).faults.map(({ line, column, what }) => t('analytics.budgetFault', { line: line ?? '–', column: column ?? '', what })));
    } finally {
      setBusy(false);
    }
  };
  const put = (of: string, kwh: number | null) =>
    send(async () => {
      entered.put(await putBudget(token, scope, of, kwh));
      toast(kwh === null ? t('analytics.budgetRemoved', { month: monthName(of) }) : t('analytics.budgetSaved', { month: monthName(of) }));
      setText('');
    });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const kwh = budgetIn(text);
    if (kwh === null || Number.isNaN(kwh)) return setProblem(t('analytics.budgetAllowed'));
    void put(month, kwh);
  };
  const take = (file: File | undefined) =>
    file &&
    void send(async () => {
      const { added, changed, same } = await postBudgets(token, file);
      entered.retry();
      toast(t('analytics.budgetsImported', { added, changed, same }));
    });
  return (
    <section aria-label={t('analytics.enteredBudgets', { place: placeName })} data-testid="budget-entry">
      <h3>{t('analytics.enteredBudgets', { place: placeName })}</h3>
      <form className="fields narrow" onSubmit={onSubmit}>
        <label className="field">
          {t('analytics.budgetMonth')}
          <select value={month} data-testid="budget-month" onChange={(event) => setMonth(event.target.value)}>
            {months.map(({ value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          {t('analytics.budgetKwh')}
          <input inputMode="decimal" value={text} data-testid="budget-kwh" onChange={(event) => setText(event.target.value)} />
        </label>
        {problem && (
          <p className="problem" role="alert" data-testid="budget-problem">
            {problem}
          </p>
        )}
        <div className="actions start">
          <button type="submit" className="primary" disabled={isBusy} data-testid="budget-save">
            {t('analytics.budgetSave')}
          </button>
        </div>
        <label className="field">
          {t('analytics.budgetFile')}
          <input
            type="file"
            accept=".csv,text/csv"
            disabled={isBusy}
            data-testid="budget-file"
            // Clearing the value allows the user to choose the same file again after correcting it.
            onClick={(event) => void (event.currentTarget.value = '')}
            onChange={(event) => take(event.target.files?.[0])}
          />
          <small>{t('analytics.budgetFileMeans')}</small>
        </label>
      </form>
      {faults.length > 0 && (
        <ul data-testid="budget-faults">
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      <Answered asked={entered}>
        {(budgets) =>
          budgets.length === 0 ? (
            <p data-testid="budgets-none">{t('analytics.noBudgets')}</p>
          ) : (
            <table data-testid="budgets">
              <thead>
                <tr>
                  <th>{t('analytics.budgetMonth')}</th>
                  <th className="number">{t('analytics.budgetKwh')}</th>
                  <th />
                </tr>
              </thead>
              <tbody>
                {budgets.map((budget) => (
                  <tr key={budget.month}>
                    <td>{monthName(budget.month)}</td>
                    <td className="number">{number(budget.budgetKwh, 0)}</td>
                    <td>
                      <button type="button" className="plain" disabled={isBusy} data-testid={`budget-remove-${budget.month}`} onClick={() => void put(budget.month, null)}>
                        {t('analytics.budgetRemove')}
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Answered>
    </section>
  );
}
