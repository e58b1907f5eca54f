//! The parameters of the optimiser, with the names, defaults and input rules of the specification (specification 3, sections 3 and 5).

use grid::enum_text;

use crate::SLOTS;
use crate::fault::{Fault, Faults};

/// Largest battery capacity, kWh; larger values are probably in the wrong unit.
const CAPACITY_MAX_KWH: f64 = 1_000_000.0;
/// Largest power, kW; larger values are probably in the wrong unit.
pub(crate) const POWER_MAX_KW: f64 = 1_000_000.0;

/// A range of half hours: from `start` (included) to `end` (excluded), both 0 to 48. If `end` is smaller, it extends over midnight.
///
/// The specification calls them hours, but its defaults include 26 and 46, which are only possible as half hours
/// (docs/reference/low-carbon.md, Parameters).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First half hour.
    pub start: u32,
    /// The end: the number of the half hour after the last one of the range.
    pub end: u32,
}

impl Window {
    /// The whole day.
    pub const DAY: Self = Self { start: 0, end: SLOTS as u32 };

    /// Whether a half hour is in the range.
    pub fn holds(self, slot: usize) -> bool {
        let slot = slot as u32;
        if self.end < self.start { slot >= self.start || slot < self.end } else { (self.start..self.end).contains(&slot) }
    }

    fn is_empty(self) -> bool {
        !(0..SLOTS).any(|slot| self.holds(slot))
    }

    fn check(self, start: &str, end: &str, faults: &mut Faults) {
        for (field, value) in [(start, self.start), (end, self.end)] {
            if value as usize > SLOTS {
                faults.add(field, format!("is {value}; half hours of a day, from 0 to {SLOTS}"));
            }
        }
        if self.start as usize <= SLOTS && self.end as usize <= SLOTS && self.is_empty() {
            faults.add(end, format!("from {} to {} there is no half hour; {start} 0 and {end} {SLOTS} are all day", self.start, self.end));
        }
    }
}

/// The quantity that is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// Cost of the day with the solar panels.
    CostWithSolar,
    /// Cost of the day without the solar panels.
    CostWithoutSolar,
}

enum_text! {
    /// As the specification names it.
    Objective {
        CostWithSolar = "cost_with_solar",
        CostWithoutSolar = "cost_without_solar",
    }
}

/// The parameters of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// `BatteryCapacityMaxKwh`: largest stored energy, kWh.
    pub capacity_max_kwh: f64,
    /// `BatteryCapacityMinKwh`: smallest stored energy, kWh.
    pub capacity_min_kwh: f64,
    /// `BatteryChargeRateKw`: charging power before losses, kW.
    pub charge_rate_kw: f64,
    /// `BatteryDischargeRateKw`: discharging power after losses, kW.
    pub discharge_rate_kw: f64,
    /// `ChargingStartTimeHours` and `ChargingEndTimeHours`.
    pub charging: Window,
    /// `DischargingStartTimeHours` and `DischargingEndTimeHours`.
    pub discharging: Window,
    /// `SolarCapacityKwp`: peak power of the panels, kWp.
    pub solar_kwp: f64,
    /// lat, degrees north.
    pub lat: f64,
    /// lon, degrees east. 0 for lat and lon means "not set".
    pub lon: f64,
    /// Objective.
    pub objective: Objective,
    /// deviceId.
    pub device_id: i64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            capacity_max_kwh: 100.0,
            capacity_min_kwh: 0.0,
            charge_rate_kw: 50.0,
            discharge_rate_kw: 25.0,
            charging: Window { start: 0, end: 24 },
            discharging: Window { start: 26, end: 46 },
            solar_kwp: 100.0,
            lat: 0.0,
            lon: 0.0,
            objective: Objective::CostWithSolar,
            device_id: 12_193,
        }
    }
}

/// The names of the fields.
pub(crate) const NAMES: [&str; 13] = [
    "BatteryCapacityMaxKwh",
    "BatteryCapacityMinKwh",
    "BatteryChargeRateKw",
    "BatteryDischargeRateKw",
    "ChargingStartTimeHours",
    "ChargingEndTimeHours",
    "DischargingStartTimeHours",
    "DischargingEndTimeHours",
    "SolarCapacityKwp",
    "lat",
    "lon",
    "Objective",
    "deviceId",
];

impl Parameters {
    /// Reads fields by name, as in a form or a request body. Missing or empty fields keep their defaults. Returns all faults.
    pub fn read<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Vec<Fault>> {
        let mut read = Self::default();
        let mut faults = Faults::default();
        for (name, text) in fields {
            if let Err(what) = read.set(name, text.trim()) {
                faults.add(shown(name), what);
            }
        }
        read.check(&mut faults);
        if faults.0.is_empty() { Ok(read) } else { Err(faults.0) }
    }

    /// Returns the fields by name, as [`Parameters::read`] accepts them, to fill a form or to store them.
    pub fn fields(&self) -> [(&'static str, String); NAMES.len()] {
        let texts = [
            self.capacity_max_kwh.to_string(),
            self.capacity_min_kwh.to_string(),
            self.charge_rate_kw.to_string(),
            self.discharge_rate_kw.to_string(),
            self.charging.start.to_string(),
            self.charging.end.to_string(),
            self.discharging.start.to_string(),
            self.discharging.end.to_string(),
            self.solar_kwp.to_string(),
            self.lat.to_string(),
            self.lon.to_string(),
            self.objective.as_str().to_owned(),
            self.device_id.to_string(),
        ];
        let mut fields = texts.map(|text| ("", text));
        fields.iter_mut().zip(NAMES).for_each(|(field, name)| field.0 = name);
        fields
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        if !NAMES.contains(&name) {
            return Err(format!("is not known; allowed are {}", NAMES.join(", ")));
        }
        if text.is_empty() {
            return Ok(());
        }
        match name {
            "BatteryCapacityMaxKwh" => self.capacity_max_kwh = number(text)?,
            "BatteryCapacityMinKwh" => self.capacity_min_kwh = number(text)?,
            "BatteryChargeRateKw" => self.charge_rate_kw = number(text)?,
            "BatteryDischargeRateKw" => self.discharge_rate_kw = number(text)?,
            "ChargingStartTimeHours" => self.charging.start = half_hour(text)?,
            "ChargingEndTimeHours" => self.charging.end = half_hour(text)?,
            "DischargingStartTimeHours" => self.discharging.start = half_hour(text)?,
            "DischargingEndTimeHours" => self.discharging.end = half_hour(text)?,
            "SolarCapacityKwp" => self.solar_kwp = number(text)?,
            "lat" => self.lat = number(text)?,
            "lon" => self.lon = number(text)?,
            "Objective" => {
                let allowed = Objective::ALL.map(Objective::as_str).join(" or ");
                self.objective = Objective::parse(text).ok_or_else(|| format!("is {}; {allowed}", shown(text)))?;
            }
            _ => self.device_id = text.parse().map_err(|_| format!("is {}; a whole number", shown(text)))?,
        }
        Ok(())
    }

    /// Adds the faults of the parameters, alone and in combination.
    pub(crate) fn check(&self, faults: &mut Faults) {
        faults.within("BatteryCapacityMaxKwh", self.capacity_max_kwh, 0.0, CAPACITY_MAX_KWH);
        faults.within("BatteryCapacityMinKwh", self.capacity_min_kwh, 0.0, CAPACITY_MAX_KWH);
        if self.capacity_min_kwh > self.capacity_max_kwh {
            let (min, max) = (self.capacity_min_kwh, self.capacity_max_kwh);
            faults.add("BatteryCapacityMinKwh", format!("is {min}, above BatteryCapacityMaxKwh, which is {max}"));
        }
        faults.within("BatteryChargeRateKw", self.charge_rate_kw, 0.0, POWER_MAX_KW);
        faults.within("BatteryDischargeRateKw", self.discharge_rate_kw, 0.0, POWER_MAX_KW);
        self.charging.check("ChargingStartTimeHours", "ChargingEndTimeHours", faults);
        self.discharging.check("DischargingStartTimeHours", "DischargingEndTimeHours", faults);
        faults.within("SolarCapacityKwp", self.solar_kwp, 0.0, POWER_MAX_KW);
        faults.within("lat", self.lat, -90.0, 90.0);
        faults.within("lon", self.lon, -180.0, 180.0);
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| format!("is {}; a number", shown(text)))
}

/// Parses a whole number, not below 0, without leading zeros (specification 3, section 5).
fn half_hour(text: &str) -> Result<u32, String> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    let wrong = || format!("is {}; a whole number of half hours from 0 to {SLOTS}, without leading zeros", shown(text));
    if digits { text.parse().map_err(|_| wrong()) } else { Err(wrong()) }
}

/// Quotes a text for a message: at most 40 characters, with control characters escaped. Known names are returned unchanged.
pub(crate) fn shown(text: &str) -> String {
    if NAMES.contains(&text) {
        return text.to_owned();
    }
    let short: String = text.chars().take(40).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("\"{}{more}\"", short.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(fields: &[(&str, &str)]) -> Vec<String> {
        Parameters::read(fields.iter().copied()).map_or_else(|faults| faults.iter().map(Fault::to_string).collect(), |_| Vec::new())
    }

    #[test]
    fn what_is_left_out_keeps_its_default() {
        assert_eq!(Parameters::read([]), Ok(Parameters::default()));
        assert_eq!(Parameters::read([("BatteryCapacityMaxKwh", " "), ("ChargingStartTimeHours", "")]), Ok(Parameters::default()));
        let read =
            Parameters::read([("BatteryCapacityMaxKwh", "250.5"), ("DischargingEndTimeHours", "4"), ("Objective", "cost_without_solar")]);
        let read = read.unwrap();
        assert!((read.capacity_max_kwh - 250.5).abs() < 1e-12 && read.discharging == Window { start: 26, end: 4 });
        assert_eq!((read.objective, read.device_id), (Objective::CostWithoutSolar, 12_193));
        let odd = Parameters { lat: 17.686_8, lon: -0.1, device_id: -3, objective: Objective::CostWithoutSolar, ..read };
        for parameters in [Parameters::default(), read, odd] {
            let fields = parameters.fields();
            assert_eq!(Parameters::read(fields.iter().map(|(name, text)| (*name, text.as_str()))), Ok(parameters), "{fields:?}");
        }
        assert!(NAMES.into_iter().all(|name| Parameters::read([(name, "")]).is_ok()));
    }

    #[test]
    fn each_fault_names_its_field_and_what_is_allowed() {
        for (fields, expected) in [
            (("BatteryCapacityMinKwh", "101"), "BatteryCapacityMinKwh: is 101, above BatteryCapacityMaxKwh, which is 100"),
            (("BatteryChargeRateKw", "-1"), "BatteryChargeRateKw: is -1; from 0 to 1000000"),
            (("BatteryDischargeRateKw", "NaN"), "BatteryDischargeRateKw: is \"NaN\"; a number"),
            (("BatteryDischargeRateKw", "1e999"), "BatteryDischargeRateKw: is \"1e999\"; a number"),
            (
                ("ChargingStartTimeHours", "05"),
                "ChargingStartTimeHours: is \"05\"; a whole number of half hours from 0 to 48, without leading zeros",
            ),
            (
                ("ChargingStartTimeHours", "-5"),
                "ChargingStartTimeHours: is \"-5\"; a whole number of half hours from 0 to 48, without leading zeros",
            ),
            (("DischargingEndTimeHours", "49"), "DischargingEndTimeHours: is 49; half hours of a day, from 0 to 48"),
            (
                ("DischargingEndTimeHours", "26"),
                "DischargingEndTimeHours: from 26 to 26 there is no half hour; \
                 DischargingStartTimeHours 0 and DischargingEndTimeHours 48 are all day",
            ),
            (("lat", "90.5"), "lat: is 90.5; from -90 to 90"),
            (("Objective", "cheap"), "Objective: is \"cheap\"; cost_with_solar or cost_without_solar"),
            (("deviceId", "x\u{1b}"), "deviceId: is \"x\\u{1b}\"; a whole number"),
        ] {
            assert_eq!(faults_of(&[fields]), [expected]);
        }
        assert_eq!(faults_of(&[("BatteryCapacityMaxKwh", "x"), ("lon", "y"), ("SolarCapacityKwp", "-1")]).len(), 3, "all of them at once");
        assert!(faults_of(&[("Capacity", "1")])[0].starts_with("\"Capacity\": is not known; allowed are BatteryCapacityMaxKwh, "));
    }

    #[test]
    fn a_window_may_go_over_midnight() {
        let count = |start, end| (0..SLOTS).filter(|slot| Window { start, end }.holds(*slot)).count();
        assert_eq!([count(0, 24), count(26, 46), count(44, 4), count(0, 48), count(48, 2)], [24, 20, 8, 48, 2]);
        assert!(Window { start: 5, end: 5 }.is_empty() && Window { start: 48, end: 0 }.is_empty() && !Window::DAY.is_empty());
        assert!(Window { start: 44, end: 4 }.holds(44) && Window { start: 44, end: 4 }.holds(3) && !Window { start: 44, end: 4 }.holds(4));
    }
}
