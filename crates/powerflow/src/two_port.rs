//! Chain parameters of two-ports: lines, and transformers as chains of ideal ratios, series impedances and shunt admittances.

use num_complex::Complex64;

/// A two-port with `v1 = a v2 + b i2` and `i1 = c v2 + d i2`, where `i1` flows in at the first end and `i2` out at the second.
///
/// In this form, impedances near 0 lose no digits, while admittances would.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TwoPort {
    pub(crate) a: Complex64,
    pub(crate) b: Complex64,
    pub(crate) c: Complex64,
    pub(crate) d: Complex64,
}

/// Admittances of a two-port: currents that flow in at both ends, from the voltages of both ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Admittances {
    pub(crate) first: Complex64,
    pub(crate) first_second: Complex64,
    pub(crate) second_first: Complex64,
    pub(crate) second: Complex64,
}

const ZERO: Complex64 = Complex64::new(0.0, 0.0);
const ONE: Complex64 = Complex64::new(1.0, 0.0);

impl TwoPort {
    pub(crate) fn series(impedance: Complex64) -> Self {
        Self { a: ONE, b: impedance, c: ZERO, d: ONE }
    }

    pub(crate) fn shunt(admittance: Complex64) -> Self {
        Self { a: ONE, b: ZERO, c: admittance, d: ONE }
    }

    /// Returns the ideal transformer with `v1 = ratio v2`.
    pub(crate) fn ideal(ratio: Complex64) -> Self {
        Self { a: ratio, b: ZERO, c: ZERO, d: ratio.conj().inv() }
    }

    /// Returns the pi circuit of a line, with half of the admittance at each end.
    pub(crate) fn pi(impedance: Complex64, admittance: Complex64) -> Self {
        Self::shunt(admittance / 2.0).then(Self::series(impedance)).then(Self::shunt(admittance / 2.0))
    }

    /// Returns the T circuit of a winding, with the admittance in the middle of the impedance.
    pub(crate) fn tee(impedance: Complex64, admittance: Complex64) -> Self {
        Self::series(impedance / 2.0).then(Self::shunt(admittance)).then(Self::series(impedance / 2.0))
    }

    /// Connects the second end of this two-port with the first end of the other one.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            a: self.a * next.a + self.b * next.c,
            b: self.a * next.b + self.b * next.d,
            c: self.c * next.a + self.d * next.c,
            d: self.c * next.b + self.d * next.d,
        }
    }

    /// The same with its ends exchanged.
    pub(crate) fn reversed(self) -> Self {
        let determinant = self.a * self.d - self.b * self.c;
        Self { a: self.d / determinant, b: self.b / determinant, c: self.c / determinant, d: self.a / determinant }
    }

    /// Converts from kV, and kA times the square root of 3, to per unit of 1 MVA and of the voltages of both ends.
    pub(crate) fn per_unit(self, first_kv: f64, second_kv: f64) -> Self {
        let ratio = second_kv / first_kv;
        let product = first_kv * second_kv;
        Self { a: self.a * ratio, b: self.b / product, c: self.c * product, d: self.d / ratio }
    }

    /// Returns the admittances; not finite if the impedance is 0.
    pub(crate) fn admittances(self) -> Admittances {
        let inverse = self.b.inv();
        Admittances {
            first: self.d * inverse,
            first_second: self.c - self.d * self.a * inverse,
            second_first: -inverse,
            second: self.a * inverse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: Complex64, right: Complex64) -> bool {
        (left - right).norm() < 1e-12 * right.norm().max(1.0)
    }

    #[test]
    fn pi_circuit_has_the_admittances_of_its_parts() {
        let (impedance, admittance) = (Complex64::new(0.2, 0.5), Complex64::new(0.01, 0.3));
        let found = TwoPort::pi(impedance, admittance).admittances();
        let own = impedance.inv() + admittance / 2.0;
        assert!(near(found.first, own) && near(found.second, own));
        assert!(near(found.first_second, -impedance.inv()) && near(found.second_first, -impedance.inv()));
    }

    #[test]
    fn reversed_two_port_exchanges_its_ends() {
        let ratio = Complex64::from_polar(1.05, 0.5);
        let port = TwoPort::ideal(ratio).then(TwoPort::tee(Complex64::new(0.1, 0.7), Complex64::new(0.001, -0.02)));
        let (one, other) = (port.admittances(), port.reversed().admittances());
        assert!(near(one.first, other.second) && near(one.second, other.first));
        assert!(near(one.first_second, other.second_first) && near(one.second_first, other.first_second));
        let back = port.then(port.reversed().reversed().reversed());
        assert!(near(back.a, port.then(port.reversed()).a));
    }

    #[test]
    fn ideal_ratio_shifts_without_loss() {
        let ratio = Complex64::from_polar(2.0, 0.3);
        let port = TwoPort::ideal(ratio);
        let (voltage, current) = (Complex64::new(1.0, 0.1), Complex64::new(0.4, -0.2));
        let (first, into) = (port.a * voltage, port.d * current);
        assert!(near(first * into.conj(), voltage * current.conj()));
    }
}
