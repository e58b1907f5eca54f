// A tariff as time bands with prices that cover the whole day, and the resulting 48 half hours.
import { useId, useMemo } from 'react';
import { bars } from '../../charts/bars';
import { Plot } from '../../charts/Plot';
import { ALL_SLOTS, clockOf, halfHour } from '../../ui/halfhours';
import { endOf, pricesOf, split, without, type Band, type SiteFaults } from './lowcarbon';
import { t } from '../../words';

interface Props {
  readonly name: string;
  readonly bands: readonly Band[];
  readonly mayExport: boolean;
  readonly currency: string;
  readonly zone: string;
  readonly faults: SiteFaults;
  readonly onChange: (bands: readonly Band[]) => void;
}

export function TariffBands({ name, bands, mayExport, currency, zone, faults, onChange }: Props) {
  const id = useId();
  const unit = `${currency}/kWh`;
  const change = (at: number, part: Partial<Band>) => onChange(bands.map((band, index) => (index === at ? { ...band, ...part } : band)));
  const figure = useMemo(
    () =>
      bars({
        head: t('lowcarbon.halfHour'),
        categories: ALL_SLOTS.map(clockOf),
        titles: ALL_SLOTS.map(halfHour),
        steps: [2, 4, 6, 8, 12, 24],
        hasNoDots: true,
        left: { name: unit },
        series: [
          { name: t('lowcarbonsites.importPrice'), unit, colour: 0, values: pricesOf(bands, 'importPrice') },
          ...(mayExport ? [{ name: t('lowcarbonsites.exportPrice'), unit, colour: 3, as: 'line' as const, values: pricesOf(bands, 'exportPrice') }] : []),
        ],
      }),
    [bands, mayExport, unit],
  );
  const price = (at: number, key: 'importPrice' | 'exportPrice', label: string) => {
    const fault = faults[`${key}-${at}`];
    return (
      <>
        <input
          inputMode="decimal"
          maxLength={20}
          name={`${key}-${at}`}
          aria-label={t('lowcarbonsites.priceFrom', { label, time: clockOf(bands[at]?.from ?? 0) })}
          aria-invalid={Boolean(fault)}
          aria-describedby={fault ? `${id}-${key}-${at}` : undefined}
          data-testid={`${key}-${at}`}
          value={bands[at]?.[key] ?? ''}
          onChange={(event) => change(at, { [key]: event.target.value })}
        />
        {fault && (
          <small className="fault" id={`${id}-${key}-${at}`}>
            {fault}
          </small>
        )}
      </>
    );
  };
  return (
    <div className="tariff">
      <div>
        <div className="scroll">
          <table data-testid="bands">
            <thead>
              <tr>
                <th>{t('lowcarbonsites.from')}</th>
                <th>{t('lowcarbonsites.to')}</th>
                <th>
                  {t('lowcarbonsites.importPrice')} ({unit})
                </th>
                {mayExport && (
                  <th>
                    {t('lowcarbonsites.exportPrice')} ({unit})
                  </th>
                )}
                <th aria-label={t('lowcarbonsites.remove')} />
              </tr>
            </thead>
            <tbody>
              {bands.map(({ from }, at) => (
                <tr key={at}>
                  <td>
                    {at === 0 ? (
                      clockOf(0)
                    ) : (
                      <select
                        aria-label={t('lowcarbonsites.bandBegins', { number: at + 1 })}
                        data-testid={`band-from-${at}`}
                        value={from}
                        onChange={(event) => change(at, { from: Number(event.target.value) })}
                      >
                        {ALL_SLOTS.filter((slot) => slot > (bands[at - 1]?.from ?? 0) && slot < endOf(bands, at)).map((slot) => (
                          <option key={slot} value={slot}>
                            {clockOf(slot)}
                          </option>
                        ))}
                      </select>
                    )}
                  </td>
                  <td>{clockOf(endOf(bands, at))}</td>
                  <td>{price(at, 'importPrice', t('lowcarbonsites.importPrice'))}</td>
                  {mayExport && <td>{price(at, 'exportPrice', t('lowcarbonsites.exportPrice'))}</td>}
                  <td className="row-actions">
                    {bands.length > 1 && (
                      <button type="button" className="plain" aria-label={t('lowcarbonsites.removeBand', { time: clockOf(from) })} onClick={() => onChange(without(bands, at))}>
                        ✕
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <div className="actions start">
          <button type="button" data-testid="band-add" disabled={split(bands) === bands} onClick={() => onChange(split(bands))}>
            {t('lowcarbonsites.addBand')}
          </button>
        </div>
      </div>
      <Plot title={t('lowcarbonsites.steps')} detail={unit} subject={name} figure={figure} zone={zone} height={200} empty={t('lowcarbonsites.noPrices')} />
    </div>
  );
}
