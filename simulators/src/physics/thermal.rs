//! Top-oil and winding temperature by the difference equations of IEC 60076-7:2018 with the ONAN defaults of domain.md section 2.1.

/// Loss ratio at rated load.
const R: f64 = 6.0;
const OIL_RISE_K: f64 = 60.0;
const OIL_TAU_MIN: f64 = 210.0;
const WINDING_TAU_MIN: f64 = 10.0;
const K11: f64 = 0.5;
const K21: f64 = 2.0;
const K22: f64 = 2.0;
const X: f64 = 0.8;
const Y: f64 = 1.3;
const GRADIENT_K: f64 = 1.3 * 17.0;

/// The thermal state of a transformer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thermal {
    top_oil: f64,
    d1: f64,
    d2: f64,
}

fn oil_ultimate(load: f64, ambient: f64) -> f64 {
    ambient + OIL_RISE_K * ((1.0 + R * load * load) / (1.0 + R)).powf(X)
}

impl Thermal {
    /// In balance with a load, per unit of rated, at an ambient temperature, °C.
    pub fn steady(load: f64, ambient: f64) -> Self {
        let gradient = GRADIENT_K * load.powf(Y);
        Self { top_oil: oil_ultimate(load, ambient), d1: K21 * gradient, d2: (K21 - 1.0) * gradient }
    }

    /// Goes on by some minutes at a constant load.
    pub fn step(&mut self, load: f64, ambient: f64, minutes: f64) {
        let gradient = GRADIENT_K * load.powf(Y);
        let toward = |now: f64, ultimate: f64, tau: f64| ultimate + (now - ultimate) * (-minutes / tau).exp();
        self.top_oil = toward(self.top_oil, oil_ultimate(load, ambient), K11 * OIL_TAU_MIN);
        self.d1 = toward(self.d1, K21 * gradient, K22 * WINDING_TAU_MIN);
        self.d2 = toward(self.d2, (K21 - 1.0) * gradient, OIL_TAU_MIN / K22);
    }

    /// Oil temperature indicator, °C.
    pub fn oti(&self) -> f64 {
        self.top_oil
    }

    /// Winding temperature indicator, °C: a thermal image of the hot spot.
    pub fn wti(&self) -> f64 {
        self.top_oil + self.d1 - self.d2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_settles_where_it_started() {
        let mut thermal = Thermal::steady(0.7, 30.0);
        let (oil, winding) = (thermal.oti(), thermal.wti());
        thermal.step(0.7, 30.0, 500.0);
        assert!((thermal.oti() - oil).abs() < 1e-9 && (thermal.wti() - winding).abs() < 1e-9);
        thermal.step(1.2, 30.0, 30.0);
        assert!(thermal.wti() > winding + 5.0 && thermal.oti() > oil);
        assert!((Thermal::steady(1.0, 20.0).wti() - 102.1).abs() < 1e-9, "60 K + 22.1 K over 20 °C");
    }
}
