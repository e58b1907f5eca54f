//! What a utility has decided about the health of its assets, as it stands in its document.

use grid::cable_health::Bands;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::YEARS;

/// What a utility has decided about the health of its assets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HealthConfiguration {
    /// Version of the methodology whose bands of health hold: `v2.1` or `v1.1`.
    pub health_bands: String,
    /// The substation that the screen begins with; null for the first.
    #[serde(default)]
    pub health_substation: Option<i64>,
    /// The year that it begins with; null for the newest.
    #[serde(default)]
    pub health_year: Option<i32>,
}

impl HealthConfiguration {
    /// From a utility's document; what cannot be read is as usual.
    pub fn of(config: &Value) -> Self {
        let bands = config.get("healthBands").and_then(Value::as_str).filter(|word| bands(word).is_some());
        let year = config.get("healthYear").and_then(Value::as_i64).and_then(|year| i32::try_from(year).ok());
        Self {
            health_bands: bands.unwrap_or("v2.1").to_owned(),
            health_substation: config.get("healthSubstation").and_then(Value::as_i64),
            health_year: year.filter(|year| YEARS.contains(year)),
        }
    }

    /// The bands that hold.
    pub fn bands(&self) -> Bands {
        bands(&self.health_bands).unwrap_or_default()
    }

    /// What of it cannot be taken.
    pub fn check(&self) -> Result<(), String> {
        if bands(&self.health_bands).is_none() {
            return Err("health.healthBands must be v2.1 or v1.1".to_owned());
        }
        if self.health_year.is_some_and(|year| !YEARS.contains(&year)) {
            return Err(format!("health.healthYear must be from {} to {}", YEARS.start(), YEARS.end()));
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
        let usual = HealthConfiguration { health_bands: "v2.1".into(), health_substation: None, health_year: None };
        for config in [json!(null), json!({"healthBands": 2.1, "healthSubstation": "x", "healthYear": 1}), json!({"healthBands": "v3"})] {
            assert_eq!(HealthConfiguration::of(&config), usual);
        }
        let told = HealthConfiguration::of(&json!({"healthBands": "v1.1", "healthSubstation": 7, "healthYear": 2018}));
        assert_eq!((told.bands(), told.health_substation, told.health_year), (Bands::V1_1, Some(7), Some(2018)));
        assert_eq!(told.check(), Ok(()));
        assert!(HealthConfiguration { health_bands: "v3".into(), ..usual.clone() }.check().is_err());
        assert!(HealthConfiguration { health_year: Some(1), ..usual }.check().is_err());
    }
}
