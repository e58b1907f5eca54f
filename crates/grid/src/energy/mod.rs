//! Energy into and out of a part of the network, from registers, over complete intervals, and its losses.
//!
//! The specification names the figures; the rules are our definition (docs/reference/energy.md, Energy balance). An interval is used if all its registers are
//! known for the whole interval. Other intervals are left out on both sides and reduce the coverage. Energies are in kWh.

mod counted;
pub mod losses;
mod refused;

use crate::downsample::MINUTE_MS;
use crate::register::Bound;

pub use counted::{Counted, counted};
pub use refused::{RefusedStep, refused_steps};

/// Energy into and out of a part of the network over a time, kWh, and the known part of that time. A side without meters is `None`, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Total {
    /// Incoming energy.
    pub energy_in: Option<f64>,
    /// Outgoing energy.
    pub energy_out: Option<f64>,
    /// Known time, ms; for several parts of the network the sum of their times.
    pub known_ms: i64,
    /// Requested time, ms; for several parts of the network the sum of their times.
    pub span_ms: i64,
    /// Whether a register was reset in the time, so that its amount is not known.
    pub has_reset: bool,
    /// Whether a reading of a register was refused in the time, because its rating does not allow the step.
    pub has_refused: bool,
}

impl Total {
    /// Adds another time, or another part of the network.
    pub fn add(&mut self, other: &Self) {
        fn both(a: Option<f64>, b: Option<f64>) -> Option<f64> {
            match (a, b) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            }
        }
        self.energy_in = both(self.energy_in, other.energy_in);
        self.energy_out = both(self.energy_out, other.energy_out);
        self.known_ms += other.known_ms;
        self.span_ms += other.span_ms;
        self.has_reset |= other.has_reset;
        self.has_refused |= other.has_refused;
    }

    /// Subtracts the energy that one part of the network delivered to another from both sides, because it did not cross the outer border. The loss
    /// does not change.
    pub fn stay_within(&mut self, kwh: f64) {
        if let (Some(energy_in), Some(energy_out)) = (&mut self.energy_in, &mut self.energy_out) {
            *energy_in -= kwh;
            *energy_out -= kwh;
        }
    }

    /// Returns incoming minus outgoing energy, kWh. It can be negative if meters or their clocks differ; it is reported as it is.
    pub fn loss(&self) -> Option<f64> {
        Some(self.energy_in? - self.energy_out?)
    }

    /// Returns outgoing over incoming energy, percent; `None` if no energy or negative energy came in.
    pub fn efficiency(&self) -> Option<f64> {
        let (energy_in, energy_out) = (self.energy_in?, self.energy_out?);
        (energy_in > 0.0).then(|| 100.0 * energy_out / energy_in)
    }

    /// Returns the known share of the time, percent.
    pub fn coverage(&self) -> f64 {
        if self.span_ms > 0 { 100.0 * self.known_ms as f64 / self.span_ms as f64 } else { 0.0 }
    }
}

/// A part of the network between meters: the amounts of each meter in consecutive units of time, kWh, positive from incoming to outgoing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Amounts of the incoming meters, by meter, then by unit.
    pub ins: Vec<Vec<Counted>>,
    /// Amounts of the outgoing meters, by meter, then by unit.
    pub outs: Vec<Vec<Counted>>,
}

impl Section {
    /// Returns the total of one unit of `ms`. If one meter is not known, the energies are `None`.
    pub fn total(&self, unit: usize, ms: i64) -> Total {
        let of =
            |meters: &[Vec<Counted>]| meters.iter().map(|meter| meter.get(unit).copied().unwrap_or(Counted::Unknown)).collect::<Vec<_>>();
        let (ins, outs) = (of(&self.ins), of(&self.outs));
        let has_reset = ins.iter().chain(&outs).any(|counted| *counted == Counted::Reset);
        let has_refused = ins.iter().chain(&outs).any(|counted| counted.has_refused());
        let sum = |meters: &[Counted]| meters.iter().map(|counted| counted.known()).sum::<Option<f64>>();
        let none = Total { span_ms: ms, has_reset, has_refused, ..Total::default() };
        let (Some(energy_in), Some(energy_out)) = (sum(&ins), sum(&outs)) else { return none };
        if ins.is_empty() && outs.is_empty() {
            return none;
        }
        let side = |is_metered: bool, energy: f64| is_metered.then_some(energy);
        Total { energy_in: side(!ins.is_empty(), energy_in), energy_out: side(!outs.is_empty(), energy_out), known_ms: ms, ..none }
    }
}

/// Returns the net amount of a meter, kWh: imported minus exported, if it has a register for export. Each register comes with the kWh of one of its
/// units.
pub fn net((imported, kwh): (&[Counted], f64), exported: Option<(&[Counted], f64)>) -> Vec<Counted> {
    let less = |(unit, imported): (usize, &Counted)| {
        let exported = exported.map(|(exported, kwh_back)| (exported.get(unit).copied().unwrap_or(Counted::Unknown), kwh_back));
        let other = exported.map_or(Counted::Known(0.0), |(exported, _)| exported);
        match imported.known().zip(other.known()) {
            Some((in_units, back)) => {
                let net = in_units * kwh - exported.map_or(0.0, |(_, kwh_back)| back * kwh_back);
                if imported.has_refused() || other.has_refused() { Counted::Corrected(net) } else { Counted::Known(net) }
            }
            None if [*imported, other].contains(&Counted::Refused) => Counted::Refused,
            None if [*imported, other].contains(&Counted::Reset) => Counted::Reset,
            None => Counted::Unknown,
        }
    };
    imported.iter().enumerate().map(less).collect()
}

/// Returns the bound of a meter's registers, kWh: what the switchgear of its line can carry at nominal voltage. `kv` is the nominal voltage; without it there is
/// no bound. `expected_ms` is the interval of the readings.
///
/// The rated current is the largest usual one of IEC 62271-1 for such a panel: 1,250 A of a feeder, 3,150 A of an incomer or a transformer. The bound only
/// detects misreads; it is not a limit of loading.
pub fn bound(kv: Option<f64>, is_feeder: bool, expected_ms: i64) -> Bound<'static> {
    let Some(kv) = kv.filter(|kv| kv.is_finite() && *kv > 0.0) else { return Bound::NONE };
    let amperes = if is_feeder { 1_250.0 } else { 3_150.0 };
    Bound::new(3.0_f64.sqrt() * kv * amperes, expected_ms.clamp(0, 3_600_000) + MINUTE_MS)
}

/// Returns the difference of two efficiencies, in percentage points.
pub fn change(now: Option<f64>, then: Option<f64>) -> Option<f64> {
    Some(now? - then?)
}

/// Returns the kWh of one unit of a register, or the kW of one unit of power; `None` if the unit is neither of energy nor of power.
pub fn kilo(unit: &str) -> Option<f64> {
    match unit {
        "Wh" | "W" => Some(0.001),
        "kWh" | "kW" => Some(1.0),
        "MWh" | "MW" => Some(1_000.0),
        "GWh" | "GW" => Some(1_000_000.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Counted::{Known, Reset, Unknown};

    #[test]
    fn a_section_counts_where_all_its_meters_do() {
        let section = Section {
            ins: vec![vec![Known(60.0), Known(60.0), Known(0.0), Known(60.0)], vec![Known(40.0), Known(40.0), Known(0.0), Known(40.0)]],
            outs: vec![vec![Known(97.0), Unknown, Known(0.0), Reset]],
        };
        let totals: Vec<Total> = (0..5).map(|unit| section.total(unit, 1_000)).collect();
        assert_eq!((totals[0].loss(), totals[0].efficiency(), totals[0].coverage()), (Some(3.0), Some(97.0), 100.0));
        assert_eq!((totals[1].energy_in, totals[1].coverage()), (None, 0.0), "what went in alone would look like a loss");
        assert_eq!((totals[2].loss(), totals[2].efficiency()), (Some(0.0), None), "nothing went in");
        assert!(totals[3].has_reset && totals[3].loss().is_none());
        assert_eq!(totals[4].known_ms, 0);
        let mut all = Total::default();
        for total in &totals {
            all.add(total);
        }
        assert_eq!((all.loss(), all.known_ms, all.span_ms, all.coverage(), all.has_reset), (Some(3.0), 2_000, 5_000, 40.0, true));
    }

    #[test]
    fn a_side_without_a_meter_is_absent() {
        let feeder = Section { ins: Vec::new(), outs: vec![vec![Known(5.0)]] };
        let total = feeder.total(0, 1_000);
        assert_eq!((total.energy_in, total.energy_out, total.loss(), total.efficiency()), (None, Some(5.0), None, None));
        assert_eq!(Section::default().total(0, 1_000), Total { span_ms: 1_000, ..Total::default() });
    }

    #[test]
    fn a_loss_below_zero_is_told() {
        let total = Total { energy_in: Some(100.0), energy_out: Some(101.0), ..Total::default() };
        assert_eq!((total.loss(), total.efficiency()), (Some(-1.0), Some(101.0)));
        let mut within = Total { energy_in: Some(150.0), energy_out: Some(145.0), ..Total::default() };
        within.stay_within(50.0);
        assert_eq!((within.loss(), within.efficiency()), (Some(5.0), Some(95.0)), "what goes round inside makes nothing more efficient");
        within.stay_within(120.0);
        assert_eq!((within.loss(), within.efficiency()), (Some(5.0), None));
        assert_eq!((change(Some(97.0), Some(98.5)), change(None, Some(1.0))), (Some(-1.5), None));
    }

    #[test]
    fn the_net_of_a_meter_needs_both_its_registers() {
        let imported = [Known(5.0), Known(5.0), Known(5.0), Unknown, Reset];
        let exported = [Known(2.0), Unknown, Reset, Known(1.0), Known(1.0)];
        assert_eq!(net((&imported, 1_000.0), Some((&exported, 1.0))), [Known(4_998.0), Unknown, Reset, Unknown, Reset]);
        assert_eq!(net((&imported, 1.0), None), imported);
        assert_eq!(["kWh", "MW", "MVAr"].map(kilo), [Some(1.0), Some(1_000.0), None]);
    }
}
