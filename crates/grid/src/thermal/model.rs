//! Top oil and hot spot by the difference equations of IEC 60076-7:2018. They are exact for steps of any length at constant load.

use crate::enum_text;

/// Cooling and construction of a transformer; it determines the default parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cooling {
    /// Natural circulation of oil and air.
    Onan,
    /// Natural circulation of oil, with fans on the radiators.
    Onaf,
    /// A distribution transformer, ONAN with small radiators.
    Distribution,
}

enum_text! {
    /// The text in the database.
    Cooling {
        Onan = "onan",
        Onaf = "onaf",
        Distribution = "distribution",
    }
}

/// The parameters of the thermal model. The symbols in brackets are those of the standard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Load loss over no-load loss at rated load (R).
    pub loss_ratio: f64,
    /// Steady-state rise of the top oil over ambient at rated load, K (Δθor).
    pub oil_rise_k: f64,
    /// Rise of the hot spot over the top oil at rated load, K: hot-spot factor times the winding-to-oil gradient (H·gr).
    pub gradient_k: f64,
    /// Oil exponent (x).
    pub oil_exponent: f64,
    /// Winding exponent (y).
    pub winding_exponent: f64,
    /// Time constant of the oil, min (τo).
    pub oil_minutes: f64,
    /// Time constant of the winding, min (τw).
    pub winding_minutes: f64,
    /// Constant k11.
    pub k11: f64,
    /// Constant k21.
    pub k21: f64,
    /// Constant k22.
    pub k22: f64,
}

impl Parameters {
    /// Default ratio of losses; IEC 60076-7 has 6 for its typical transformers.
    pub const LOSS_RATIO: f64 = 6.0;

    /// Returns the default parameters for a transformer without a heat-run test, as documented by Alliander for IEC 60076-7. They are conservative:
    /// 60 + 22.1 K is more than the 78 K that the standard permits at rated load, so the permissible continuous load at 20 °C is 0.963.
    pub fn typical(cooling: Cooling) -> Self {
        let onan = Self {
            loss_ratio: Self::LOSS_RATIO,
            oil_rise_k: 60.0,
            gradient_k: 1.3 * 17.0,
            oil_exponent: 0.8,
            winding_exponent: 1.3,
            oil_minutes: 210.0,
            winding_minutes: 10.0,
            k11: 0.5,
            k21: 2.0,
            k22: 2.0,
        };
        match cooling {
            Cooling::Onan => onan,
            Cooling::Onaf => Self { oil_minutes: 150.0, winding_minutes: 7.0, ..onan },
            Cooling::Distribution => {
                Self { gradient_k: 1.2 * 23.0, winding_exponent: 1.6, oil_minutes: 180.0, winding_minutes: 4.0, k11: 1.0, k21: 1.0, ..onan }
            }
        }
    }

    /// Returns the top oil in steady state, °C (θou).
    pub fn oil_at(&self, load: f64, ambient: f64) -> f64 {
        let losses = (1.0 + self.loss_ratio * load * load) / (1.0 + self.loss_ratio);
        ambient + self.oil_rise_k * losses.powf(self.oil_exponent)
    }

    /// Returns the rise of the hot spot over the top oil in steady state, K.
    pub fn gradient_at(&self, load: f64) -> f64 {
        self.gradient_k * load.abs().powf(self.winding_exponent)
    }
}

/// The target values of a time step and the remaining share of the distance to them. It is the same for every step of equal length, load and ambient
/// temperature.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course {
    oil: f64,
    d1: f64,
    d2: f64,
    left: [f64; 3],
}

impl Course {
    pub(super) fn new(parameters: &Parameters, load: f64, ambient: f64, minutes: f64) -> Self {
        let gradient = parameters.gradient_at(load);
        let left = |constant: f64| (-minutes / constant).exp();
        Self {
            oil: parameters.oil_at(load, ambient),
            d1: parameters.k21 * gradient,
            d2: (parameters.k21 - 1.0) * gradient,
            left: [
                left(parameters.k11 * parameters.oil_minutes),
                left(parameters.k22 * parameters.winding_minutes),
                left(parameters.oil_minutes / parameters.k22),
            ],
        }
    }
}

/// The thermal state of a transformer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    top_oil: f64,
    /// Winding component of the gradient, K (Δθh1).
    d1: f64,
    /// Oil component, which reduces the gradient more slowly, K (Δθh2).
    d2: f64,
}

impl State {
    /// Returns the steady state at a load and an ambient temperature.
    pub fn steady(parameters: &Parameters, load: f64, ambient: f64) -> Self {
        Self::measured(parameters, parameters.oil_at(load, ambient), parameters.gradient_at(load))
    }

    /// Returns the state from measurements: the oil temperature, and the rise of the winding over it. The gradient is taken as a steady one.
    pub fn measured(parameters: &Parameters, top_oil: f64, gradient: f64) -> Self {
        Self { top_oil, d1: parameters.k21 * gradient, d2: (parameters.k21 - 1.0) * gradient }
    }

    /// Advances the state by some minutes at a constant load.
    pub fn step(&mut self, parameters: &Parameters, load: f64, ambient: f64, minutes: f64) {
        self.follow(&Course::new(parameters, load, ambient, minutes));
    }

    pub(super) fn follow(&mut self, course: &Course) {
        let [oil, d1, d2] = course.left;
        self.top_oil = course.oil + (self.top_oil - course.oil) * oil;
        self.d1 = course.d1 + (self.d1 - course.d1) * d1;
        self.d2 = course.d2 + (self.d2 - course.d2) * d2;
    }

    /// Returns the top oil, °C, as an oil temperature indicator shows it.
    pub fn top_oil(&self) -> f64 {
        self.top_oil
    }

    /// Returns the hot spot, °C, as a winding temperature indicator shows it.
    pub fn hot_spot(&self) -> f64 {
        self.top_oil + self.d1 - self.d2
    }
}
