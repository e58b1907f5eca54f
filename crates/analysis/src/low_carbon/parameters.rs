//! The parameters of a plan: those of the site, replaced by fields of the request. Fields have the names of the specification; values are numbers or texts.

use dispatch::{Objective, Parameters, Window};
use serde_json::{Map, Value};
use store::site::SiteRecord;

use crate::low_carbon::PlanError;

/// Maximum number of fields; more than the known ones, so that unknown fields can be reported by name.
const FIELDS_MAX: usize = 32;

/// Returns the parameters of the site.
pub fn site_parameters(site: &SiteRecord) -> Parameters {
    let (lat, lon) = site.place.unwrap_or_default();
    Parameters {
        capacity_max_kwh: site.capacity_max_kwh,
        capacity_min_kwh: site.capacity_min_kwh,
        charge_rate_kw: site.charge_rate_kw,
        discharge_rate_kw: site.discharge_rate_kw,
        charging: Window { start: site.charging.0, end: site.charging.1 },
        discharging: Window { start: site.discharging.0, end: site.discharging.1 },
        solar_kwp: site.solar_kwp,
        lat,
        lon,
        objective: Objective::parse(&site.objective).unwrap_or(Objective::CostWithSolar),
        device_id: site.device_id,
    }
}

/// Applies fields of a request to parameters. Null and empty fields are ignored. The error lists all faults.
pub fn changed_parameters(under: &Parameters, given: &Map<String, Value>) -> Result<Parameters, PlanError> {
    if given.len() > FIELDS_MAX {
        return Err(PlanError::Invalid(format!("there are {} fields; up to {FIELDS_MAX}", given.len())));
    }
    let mut texts: Vec<(&str, String)> = under.fields().into();
    let mut faults = Vec::new();
    for (name, value) in given {
        match value {
            Value::Null => {}
            Value::Number(number) => texts.push((name, number.to_string())),
            Value::String(text) => texts.push((name, text.clone())),
            // The name comes from the caller; the message below escapes it.
            _ => faults.push(if under.fields().iter().any(|(known, _)| known == name) {
                format!("{name}: is neither a number nor a text")
            } else {
                "a field that is not known is neither a number nor a text".to_owned()
            }),
        }
    }
    match Parameters::read(texts.iter().map(|(name, text)| (*name, text.as_str()))) {
        Ok(read) if faults.is_empty() && read.device_id != under.device_id => {
            let (given, own) = (read.device_id, under.device_id);
            Err(PlanError::Invalid(format!("deviceId: is {given}; this is the site {own}")))
        }
        Ok(read) if faults.is_empty() => Ok(read),
        Ok(_) => Err(PlanError::Invalid(faults.join("; "))),
        Err(found) => {
            faults.extend(found.iter().map(ToString::to_string));
            Err(PlanError::Invalid(faults.join("; ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(given: &Value) -> Result<Parameters, String> {
        changed_parameters(&Parameters::default(), given.as_object().expect("an object")).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_and_texts_are_the_same_and_what_is_left_out_is_kept() {
        let expected = Parameters { capacity_max_kwh: 250.5, charging: Window { start: 4, end: 24 }, ..Parameters::default() };
        for given in [
            json!({ "BatteryCapacityMaxKwh": 250.5, "ChargingStartTimeHours": 4, "deviceId": 12193 }),
            json!({ "BatteryCapacityMaxKwh": "250.5", "ChargingStartTimeHours": "4", "deviceId": "12193", "lat": "", "lon": null }),
        ] {
            assert_eq!(read(&given), Ok(expected), "{given}");
        }
        assert_eq!(read(&json!({})), Ok(Parameters::default()));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (given, message) in [
            (json!({ "ChargingStartTimeHours": "05" }), "ChargingStartTimeHours: is \"05\"; a whole number of half hours"),
            (json!({ "ChargingStartTimeHours": 4.5 }), "ChargingStartTimeHours: is \"4.5\"; a whole number of half hours"),
            (json!({ "ChargingStartTimeHours": -1 }), "ChargingStartTimeHours: is \"-1\"; a whole number of half hours"),
            (json!({ "BatteryCapacityMaxKwh": true }), "BatteryCapacityMaxKwh: is neither a number nor a text"),
            (json!({ "BatteryCapacityMaxKwh": [1] }), "BatteryCapacityMaxKwh: is neither a number nor a text"),
            (json!({ "x\u{1b}": {} }), "a field that is not known is neither"),
            (json!({ "Capacity": 1 }), "\"Capacity\": is not known; allowed are BatteryCapacityMaxKwh, "),
            (json!({ "deviceId": 5 }), "deviceId: is 5; this is the site 12193"),
            (json!({ "Objective": "cheap" }), "Objective: is \"cheap\"; cost_with_solar or cost_without_solar"),
        ] {
            let found = read(&given).expect_err("refused");
            assert!(found.starts_with(message), "{given}: {found}");
        }
        let many: Map<String, Value> = (0..33).map(|number| (number.to_string(), json!(1))).collect();
        assert_eq!(read(&Value::Object(many)), Err("there are 33 fields; up to 32".to_owned()));
        assert_eq!(read(&json!({ "lat": "x", "lon": "y" })).expect_err("refused").matches("; a number").count(), 2, "all at once");
    }
}
