//! The settings of a utility for the health of its assets, in its configuration document.

use grid::cable_health::{Bands, Voltage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::YEARS;

/// Settings of a utility for the health of its assets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HealthConfiguration {
    /// Version of the methodology for the health index bands: `v2.1` or `v1.1`.
    pub health_bands: String,
    /// Id of the substation that the screen selects first; null for the first by name.
    #[serde(default)]
    pub health_substation: Option<i64>,
    /// The year that the screen selects first; null for the latest.
    #[serde(default)]
    pub health_year: Option<i32>,
    /// Prices per km of new cable, including laying; null if not known.
    #[serde(default)]
    pub replacement_per_km: ReplacementPerKm,
}

/// Prices per km of new cable with solid insulation, including laying, for each voltage. They are in the currency of the failure costs, so that they can be
/// compared with the risk that a replacement avoids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ReplacementPerKm {
    /// Price per km at 33 kV.
    #[serde(rename = "33")]
    pub kv33: Option<i64>,
    /// Price per km at 66 kV.
    #[serde(rename = "66")]
    pub kv66: Option<i64>,
    /// Price per km at 132 kV.
    #[serde(rename = "132")]
    pub kv132: Option<i64>,
}

impl ReplacementPerKm {
    /// Largest accepted price. A larger one is probably a typing error.
    const MOST: i64 = 1_000_000_000;

    /// Returns the price for a voltage.
    pub fn of(&self, voltage: Voltage) -> Option<i64> {
        match voltage {
            Voltage::Kv33 => self.kv33,
            Voltage::Kv66 => self.kv66,
            Voltage::Kv132 => self.kv132,
        }
    }

    fn is_good(&self) -> bool {
        Voltage::ALL.iter().filter_map(|voltage| self.of(*voltage)).all(|cost| (0..=Self::MOST).contains(&cost))
    }
}

impl HealthConfiguration {
    /// Reads the settings from a utility's configuration document. A setting that is absent or invalid has its default.
    pub fn of(config: &Value) -> Self {
        let bands = config.get("healthBands").and_then(Value::as_str).filter(|word| bands(word).is_some());
        let year = config.get("healthYear").and_then(Value::as_i64).and_then(|year| i32::try_from(year).ok());
        Self {
            health_bands: bands.unwrap_or("v2.1").to_owned(),
            health_substation: config.get("healthSubstation").and_then(Value::as_i64),
            health_year: year.filter(|year| YEARS.contains(year)),
            replacement_per_km: config
                .get("replacementPerKm")
                .and_then(|costs| serde_json::from_value(costs.clone()).ok())
                .filter(ReplacementPerKm::is_good)
                .unwrap_or_default(),
        }
    }

    /// Returns the health index bands of the configured version.
    pub fn bands(&self) -> Bands {
        bands(&self.health_bands).unwrap_or_default()
    }

    /// Checks all settings. The error names the setting and the accepted values.
    pub fn check(&self) -> Result<(), String> {
        if bands(&self.health_bands).is_none() {
            return Err("health.healthBands must be v2.1 or v1.1".to_owned());
        }
        if self.health_year.is_some_and(|year| !YEARS.contains(&year)) {
            return Err(format!("health.healthYear must be from {} to {}", YEARS.start(), YEARS.end()));
        }
        if !self.replacement_per_km.is_good() {
            return Err(format!("health.replacementPerKm: each must be from 0 to {}, or null", ReplacementPerKm::MOST));
        }
        Ok(())
    }
}

fn bands(word: &str) -> Option<Bands> {
    match word {
        "v2.1" => Some(Bands::V2_1),
        "v1.1" => Some(Bands::V1_1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_configuration_that_cannot_be_read_is_as_usual_and_one_that_cannot_be_taken_says_why() {
        let none = ReplacementPerKm::default();
        let usual =
            HealthConfiguration { health_bands: "v2.1".into(), health_substation: None, health_year: None, replacement_per_km: none };
        for config in [json!(null), json!({"healthBands": 2.1, "healthSubstation": "x", "healthYear": 1}), json!({"healthBands": "v3"})] {
            assert_eq!(HealthConfiguration::of(&config), usual);
        }
        let configuration = HealthConfiguration::of(&json!({"healthBands": "v1.1", "healthSubstation": 7, "healthYear": 2018}));
        assert_eq!((configuration.bands(), configuration.health_substation, configuration.health_year), (Bands::V1_1, Some(7), Some(2018)));
        assert_eq!(configuration.check(), Ok(()));
        assert!(HealthConfiguration { health_bands: "v3".into(), ..usual.clone() }.check().is_err());
        assert!(HealthConfiguration { health_year: Some(1), ..usual.clone() }.check().is_err());
        let priced = HealthConfiguration::of(&json!({ "replacementPerKm": { "33": 400_000, "132": null } })).replacement_per_km;
        assert_eq!(Voltage::ALL.map(|voltage| priced.of(voltage)), [Some(400_000), None, None]);
        for wrong in [json!({ "33": -1 }), json!({ "33": 2_000_000_000 }), json!({ "11": 5 }), json!({ "33": "much" })] {
            assert_eq!(HealthConfiguration::of(&json!({ "replacementPerKm": wrong })).replacement_per_km, none, "{wrong}");
        }
        let slip = ReplacementPerKm { kv33: Some(-1), ..none };
        assert!(HealthConfiguration { replacement_per_km: slip, ..usual }.check().is_err());
    }
}
