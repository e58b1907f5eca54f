//! The momentary threshold of a utility, as its reliability indices use it.

use grid::reliability::Threshold;
use serde_json::Value;

/// Returns the duration of the longest momentary interruption by the configuration document of a utility, ms. A setting that is absent or invalid has its
/// default.
pub(super) fn longest_momentary_ms(config: &Value) -> i64 {
    let own = config.get("reliability");
    let usual = Threshold::default();
    let minutes = own.and_then(|own| own.get("momentaryThresholdMin")?.as_f64()).filter(|minutes| (0.0..=60.0).contains(minutes));
    let inclusive = own.and_then(|own| own.get("inclusive")?.as_bool());
    Threshold { minutes: minutes.unwrap_or(usual.minutes), inclusive: inclusive.unwrap_or(usual.inclusive) }.longest_momentary_ms()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn threshold_is_read_from_the_configuration() {
        let of = |reliability: Value| longest_momentary_ms(&json!({ "reliability": reliability }));
        assert_eq!(longest_momentary_ms(&json!({})), 300_000);
        assert_eq!(of(json!({ "momentaryThresholdMin": 1.0, "inclusive": true })), 60_000);
        assert_eq!(of(json!({ "momentaryThresholdMin": 3, "inclusive": false })), 179_999);
        assert_eq!((of(json!({ "momentaryThresholdMin": 61 })), of(json!({ "momentaryThresholdMin": "1" }))), (300_000, 300_000));
    }
}
