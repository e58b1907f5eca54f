//! Converts impedances and admittances of equipment to complex numbers, and checks them.

use network::description::{Line, SequenceImpedance, Shunt, Tap, Transformer, TransformerEnd};
use num_complex::Complex64;

use crate::CaseError;
use crate::number;
use crate::two_port::TwoPort;

/// A line or a series compensator below this impedance, ohms, is treated like a closed switch. Its admittance would be so large that all other values lose
/// their precision.
const JOINS_BELOW_OHM: f64 = 1e-6;
/// The reactance that is used for a winding of a three-winding transformer without reactance, per unit of 1 MVA.
const LEAST_WINDING: f64 = 1e-8;
/// The greatest change of voltage of a tap changer, percent.
const GREATEST_TAP: f64 = 90.0;

/// Returns the impedance of the positive sequence, ohms.
pub(crate) fn positive(id: &str, series: &SequenceImpedance) -> Result<Complex64, CaseError> {
    Ok(Complex64::new(number::finite(id, "r_ohm", series.r_ohm)?, number::finite(id, "x_ohm", series.x_ohm)?))
}

/// Whether the impedance joins both ends.
pub(crate) fn joins(impedance: Complex64) -> bool {
    impedance.norm() < JOINS_BELOW_OHM
}

/// Returns the admittance of both ends of a line together, siemens.
pub(crate) fn charging(id: &str, line: &Line) -> Result<Complex64, CaseError> {
    Ok(Complex64::new(number::finite(id, "g_s", line.g_s)?, number::finite(id, "b_s", line.b_s)?))
}

/// Returns the admittance of a shunt, siemens.
pub(crate) fn shunt(id: &str, shunt: &Shunt) -> Result<Complex64, CaseError> {
    Ok(Complex64::new(number::finite(id, "g_s", shunt.g_s)?, number::finite(id, "b_s", shunt.b_s)?))
}

/// Returns the ratio of a tap changer: the voltage at the terminal divided by the voltage at the winding.
pub(crate) fn tap_ratio(id: &str, tap: Option<&Tap>) -> Result<Complex64, CaseError> {
    let Some(tap) = tap else { return Ok(Complex64::new(1.0, 0.0)) };
    let steps = f64::from(tap.step) - f64::from(tap.neutral);
    let percent =
        number::in_range(id, "the change of voltage at this tap, percent,", steps * tap.step_percent, -GREATEST_TAP, GREATEST_TAP)?;
    let degrees = number::in_range(id, "the change of angle at this tap, degrees,", steps * tap.step_degrees, -360.0, 360.0)?;
    Ok(Complex64::from_polar(1.0 + percent / 100.0, degrees.to_radians()))
}

/// Returns the two-port of one end from its terminal to the star point: the tap changer, then the T circuit of impedance and core.
fn winding(id: &str, end: &TransformerEnd, impedance: Complex64) -> Result<TwoPort, CaseError> {
    let core = Complex64::new(number::finite(id, "g_s", end.g_s)?, number::finite(id, "b_s", end.b_s)?);
    Ok(TwoPort::ideal(tap_ratio(id, end.tap.as_ref())?).then(TwoPort::tee(impedance, core)))
}

/// Returns the ratio of the rated voltages of the first end and another end, with the angle of the clock number.
fn rated_ratio(id: &str, transformer: &Transformer, end: usize) -> Result<Complex64, CaseError> {
    let (first, other) = (&transformer.ends[0], &transformer.ends[end]);
    let ratio = number::voltage(id, "rated_kv", first.rated_kv)? / number::voltage(id, "rated_kv", other.rated_kv)?;
    let lag = (f64::from(other.clock) - f64::from(first.clock)) * 30.0;
    Ok(Complex64::from_polar(ratio, lag.to_radians()))
}

/// Returns the two-port of a transformer with two ends, in ohms and siemens.
pub(crate) fn two_windings(id: &str, transformer: &Transformer) -> Result<TwoPort, CaseError> {
    let [first, second] = &transformer.ends[..] else { unreachable!("the caller has counted the ends") };
    let impedances = [positive(id, &first.series)?, positive(id, &second.series)?];
    if joins(impedances[0] + impedances[1]) {
        return Err(CaseError::NoImpedance(id.to_owned()));
    }
    let ratio = TwoPort::ideal(rated_ratio(id, transformer, 1)?);
    Ok(winding(id, first, impedances[0])?.then(ratio).then(winding(id, second, impedances[1])?.reversed()))
}

/// Returns the two-ports of a transformer with three ends from each terminal to the star point, which has the rated voltage of the first end.
pub(crate) fn three_windings(id: &str, transformer: &Transformer) -> Result<[TwoPort; 3], CaseError> {
    let mut ports = [TwoPort::series(Complex64::ZERO); 3];
    let mut is_any_given = false;
    for (number, (end, port)) in transformer.ends.iter().zip(&mut ports).enumerate() {
        let ratio = rated_ratio(id, transformer, number)?;
        let given = positive(id, &end.series)?;
        is_any_given |= !joins(given);
        let impedance = if joins(given) { Complex64::new(0.0, LEAST_WINDING * end.rated_kv * end.rated_kv) } else { given };
        *port = winding(id, end, impedance)?.then(TwoPort::ideal(ratio.inv()));
    }
    if is_any_given { Ok(ports) } else { Err(CaseError::NoImpedance(id.to_owned())) }
}
