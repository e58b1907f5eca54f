//! The values of a line meter, by phase. They are computed from power and voltage of the load flow, and from two unbalances.
//!
//! The direction of the unbalance of the currents is perpendicular to the direction of the unbalance of the voltages. So the sums of the phases are equal to
//! the load flow: the powers add up to the total exactly, and the mean of the currents is S/(√3·U).

use grid::Micros;
use grid::power_quality::unbalance::{between_lines, wrapped};
use grid::power_quality::{Phasor, Sequence};
use num_complex::Complex64;
use rand::RngExt;
use rand::rngs::StdRng;

use super::distortion::Flicker;
use super::load::Noise;

/// The directions of the unbalance of a substation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lean {
    volts: [f64; 3],
    amperes: [f64; 3],
}

impl Lean {
    pub(super) fn new(rng: &mut StdRng) -> Self {
        let turn = rng.random_range(0.0..std::f64::consts::TAU);
        let third = std::f64::consts::TAU / 3.0;
        let phases = [0.0, third, -third];
        Self { volts: phases.map(|phase| (turn + phase).cos()), amperes: phases.map(|phase| (turn + phase).sin()) }
    }

    /// Returns the share of each phase in a power (their sum is three), for a line with an unbalance of `lean`.
    pub(super) fn shares(&self, lean: f64) -> [f64; 3] {
        self.amperes.map(|amperes| 1.0 + lean * amperes)
    }
}

/// The voltages of a bus, phase to earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Volts {
    lean: Lean,
    /// For each phase, the difference between the mean and its voltage, per unit.
    below: [f64; 3],
    kv: [f64; 3],
    degrees: [f64; 3],
    hertz: f64,
    /// Distortion of the voltage, percent.
    pub(super) thd: f64,
}

impl Volts {
    /// Computes the voltages of a bus from the voltage between lines, kV, and its unbalance, per unit.
    pub(super) fn new(line_kv: f64, unbalance: f64, lean: Lean, hertz: f64, thd: f64) -> Self {
        let below = lean.volts.map(|volts| unbalance * volts);
        // The angles have the same unbalance as the magnitudes; all are relative to phase R.
        let turned = |phase: usize| (unbalance * (lean.amperes[phase] - lean.amperes[0])).to_degrees();
        Self {
            lean,
            below,
            kv: below.map(|below| line_kv / 3f64.sqrt() / (1.0 + below)),
            degrees: [0.0, -120.0 + turned(1), 120.0 + turned(2)],
            hertz,
            thd,
        }
    }

    fn phasors(&self) -> [Phasor; 3] {
        [0, 1, 2].map(|phase| Phasor::polar(self.kv[phase], self.degrees[phase]))
    }
}

/// The power flow of a line.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Flow {
    /// Power into the line, MVA. For an incoming line, it is the power out of the line, into the substation.
    pub(super) power: Complex64,
    /// Mean current of the phases, A.
    pub(super) amperes: f64,
    /// Unbalance of its phases, per unit.
    pub(super) lean: f64,
    /// Distortion of its current, percent.
    pub(super) thd: f64,
}

/// The registers and counters of a meter.
#[derive(Debug, Clone)]
pub(super) struct Meter {
    imported_mwh: [f64; 3],
    exported_mwh: f64,
    imported_mvarh: f64,
    exported_mvarh: f64,
    flicker: Flicker,
    /// The local day of the counters.
    day: i64,
    dips: f64,
    swells: f64,
    /// Noise of the distortion.
    noise: Noise,
}

const PHASES: [char; 3] = ['r', 'y', 'b'];

impl Meter {
    /// Creates a meter with the given register reading, MWh.
    pub(super) fn new(total_mwh: f64, shares: [f64; 3], flicker: Flicker) -> Self {
        Self {
            imported_mwh: shares.map(|share| total_mwh * share / 3.0),
            exported_mwh: 0.0,
            imported_mvarh: (total_mwh * 0.4).round(),
            exported_mvarh: 0.0,
            flicker,
            day: i64::MIN,
            dips: 0.0,
            swells: 0.0,
            noise: Noise::default(),
        }
    }

    /// Records a fault nearby: the voltage of the faulted phases dips. With `swell`, for a fault from one phase to earth, that of the other phases
    /// rises.
    pub(super) fn shaken(&mut self, swell: bool) {
        self.dips += 1.0;
        self.swells += f64::from(u8::from(swell));
        self.flicker.shaken();
    }

    /// Advances registers, daily counters and flicker to an instant. Then sets all values by code; `None` for a value that cannot be measured.
    pub(super) fn read(
        &mut self,
        set: &mut impl FnMut(&str, Option<f64>),
        rng: &mut StdRng,
        now: Micros,
        hours: f64,
        volts: Option<&Volts>,
        flow: Flow,
    ) {
        let day = super::load::day(now);
        if day != self.day {
            (self.day, self.dips, self.swells) = (day, 0.0, 0.0);
        }
        self.flicker.step(rng, now, volts.is_some());
        let wobble = 1.0 + self.noise.step(rng, (hours * 60.0).max(1e-6));
        let shares = volts.map_or([1.0; 3], |volts| volts.lean.shares(flow.lean));
        self.count(flow.power, shares, hours);
        set("Dips", Some(self.dips));
        set("Swells", Some(self.swells));
        set("Pst", self.flicker.pst());
        set("Plt", self.flicker.plt());
        voltages(set, volts, wobble);
        self.powers(set, volts, flow, shares);
        currents(set, volts, flow, shares, wobble);
    }

    fn count(&mut self, power: Complex64, shares: [f64; 3], hours: f64) {
        for (register, share) in self.imported_mwh.iter_mut().zip(shares) {
            *register += power.re.max(0.0) * share / 3.0 * hours;
        }
        self.exported_mwh += (-power.re).max(0.0) * hours;
        self.imported_mvarh += power.im.max(0.0) * hours;
        self.exported_mvarh += (-power.im).max(0.0) * hours;
    }

    fn powers(&self, set: &mut impl FnMut(&str, Option<f64>), volts: Option<&Volts>, flow: Flow, shares: [f64; 3]) {
        let (power, apparent) = (flow.power, flow.power.norm());
        let flows = apparent > 1e-9;
        for (quantity, total) in [("P", power.re), ("Q", power.im), ("S", apparent)] {
            set(quantity, Some(total));
            for (phase, share) in PHASES.iter().zip(shares) {
                set(&format!("{quantity}{phase}"), Some(total * share / 3.0));
            }
        }
        set("Pf", flows.then(|| power.re / apparent));
        let lag = power.arg().to_degrees();
        for (index, phase) in PHASES.iter().enumerate() {
            set(&format!("AI{phase}"), volts.filter(|_| flows).map(|volts| wrapped(volts.degrees[index] - lag)));
        }
        set("EImp", Some(self.imported_mwh.iter().sum()));
        for (phase, register) in ["R", "Y", "B"].iter().zip(self.imported_mwh) {
            set(&format!("EImp{phase}"), Some(register));
        }
        set("EExp", Some(self.exported_mwh));
        set("RImp", Some(self.imported_mvarh));
        set("RExp", Some(self.exported_mvarh));
    }
}

fn voltages(set: &mut impl FnMut(&str, Option<f64>), volts: Option<&Volts>, wobble: f64) {
    let lines = volts.map(|volts| between_lines(volts.phasors()).map(Phasor::magnitude));
    for (index, (phase, line)) in PHASES.iter().zip(["Vry", "Vyb", "Vbr"]).enumerate() {
        // The voltage of a dead line is measured as 0 kV. It has no angle.
        set(&format!("V{phase}"), Some(volts.map_or(0.0, |volts| volts.kv[index])));
        set(line, Some(lines.map_or(0.0, |lines| lines[index])));
        set(&format!("AV{phase}"), volts.map(|volts| volts.degrees[index]));
        set(&format!("ThdV{phase}"), volts.map(|volts| volts.thd * wobble * (1.0 + 3.0 * volts.below[index])));
    }
    set("Vuf", volts.and_then(|volts| Sequence::of(volts.phasors()).vuf_percent()));
    set("Hz", volts.map(|volts| volts.hertz));
}

fn currents(set: &mut impl FnMut(&str, Option<f64>), volts: Option<&Volts>, flow: Flow, shares: [f64; 3], wobble: f64) {
    let below = volts.map_or([0.0; 3], |volts| volts.below);
    for (index, phase) in PHASES.iter().enumerate() {
        // Current of a phase: its power divided by its voltage.
        set(&format!("I{phase}"), Some(flow.amperes * shares[index] * (1.0 + below[index])));
        set(&format!("ThdI{phase}"), (flow.amperes > 1e-9).then(|| flow.thd * wobble * (2.0 - shares[index])));
    }
}
