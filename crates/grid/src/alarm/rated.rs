//! Default alarm rules from the limits in a transformer's rating, for points that have no rule of their own.

use super::{AlarmKind, Rule};
use crate::Point;

/// The same deadband as in [`super::usual`], so that noise of a reading does not raise the alarm again and again, K.
const DEADBAND_K: f64 = 3.0;
const DELAY_S: i32 = 10;

/// The readings at which an indicator raises an alarm, and at which it trips, °C; `None` if it raises no alarm or does not trip.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Indicator {
    /// Alarm limit, °C.
    pub alarm: Option<f64>,
    /// Trip limit, °C.
    pub trip: Option<f64>,
}

/// Returns the rules for a point that reads an oil (OTI) or winding (WTI) temperature indicator; empty for any other point. A kind for which the
/// point has a rule in `decided`, enabled or not, is left out.
pub fn rules(point: &Point, oil: Indicator, winding: Indicator, decided: &[Rule]) -> Vec<Rule> {
    let (indicator, text) = match point.code.as_str() {
        "OTI" => (oil, "Oil temperature"),
        "WTI" => (winding, "Winding temperature"),
        _ => return Vec::new(),
    };
    let rule = |(kind, limit, priority): (AlarmKind, Option<f64>, i16)| {
        let is_decided = decided.iter().any(|rule| rule.point == point.id && rule.kind == kind);
        let limit = limit.filter(|limit| limit.is_finite() && !is_decided)?;
        Some(Rule {
            point: point.id,
            kind,
            enabled: true,
            limit: Some(limit),
            deadband: DEADBAND_K,
            state_value: None,
            on_delay_s: DELAY_S,
            off_delay_s: DELAY_S,
            priority,
            text: text.to_owned(),
        })
    };
    [(AlarmKind::High, indicator.alarm, 2), (AlarmKind::HighHigh, indicator.trip, 1)].into_iter().filter_map(rule).collect()
}

/// The limits above which the value of a point raises an alarm; `None` for an alarm that the point does not raise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HighLimits {
    /// Limit of the alarm [`AlarmKind::High`].
    pub high: Option<f64>,
    /// Limit of the alarm [`AlarmKind::HighHigh`].
    pub high_high: Option<f64>,
}

impl HighLimits {
    /// Returns the limits of a point from its rules in `decided`. An alarm without such a rule has the limit of the transformer's rating.
    pub fn of(point: &Point, oil: Indicator, winding: Indicator, decided: &[Rule]) -> Self {
        let rated = rules(point, oil, winding, decided);
        let limit = |kind| {
            let of_point = |rule: &&Rule| rule.point == point.id && rule.kind == kind && rule.enabled;
            decided.iter().chain(&rated).find(of_point).and_then(|rule| rule.limit)
        };
        Self { high: limit(AlarmKind::High), high_high: limit(AlarmKind::HighHigh) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Quantity;
    use crate::point::kind_of_code;
    use crate::{AssetId, ClientId, GatewayId, NodeId, PointId};

    fn point(code: &str) -> Point {
        Point {
            id: PointId(7),
            client: ClientId(1),
            gateway: GatewayId(1),
            device: "TX1".into(),
            metric: format!("TX1/{code}"),
            code: code.into(),
            asset: AssetId(2),
            asset_name: "TX1".into(),
            asset_type: 2,
            location: NodeId(3),
            kind: kind_of_code(code),
            quantity: Quantity::of_code(code),
            unit: String::new(),
            decimals: 1,
            scale: 1.0,
            expected_ms: None,
        }
    }

    #[test]
    fn what_the_rating_says_holds_where_nobody_has_decided() {
        let oil = Indicator { alarm: Some(80.0), trip: Some(90.0) };
        let winding = Indicator { alarm: None, trip: Some(110.0) };
        let of = |code: &str, decided: &[Rule]| -> Vec<(AlarmKind, Option<f64>, i16)> {
            rules(&point(code), oil, winding, decided).iter().map(|rule| (rule.kind, rule.limit, rule.priority)).collect()
        };
        assert_eq!(of("OTI", &[]), [(AlarmKind::High, Some(80.0), 2), (AlarmKind::HighHigh, Some(90.0), 1)]);
        assert_eq!(of("WTI", &[]), [(AlarmKind::HighHigh, Some(110.0), 1)]);
        assert_eq!(of("AmbT", &[]), []);
        let own = rules(&point("OTI"), oil, winding, &[]).remove(0);
        let off = Rule { enabled: false, ..own.clone() };
        let elsewhere = Rule { point: PointId(8), ..own };
        assert_eq!(of("OTI", &[off]), [(AlarmKind::HighHigh, Some(90.0), 1)], "one that is switched off is a decision");
        assert_eq!(of("OTI", &[elsewhere]).len(), 2);
    }

    #[test]
    fn limits_are_those_of_the_rules_that_raise_alarms() {
        let oil = Indicator { alarm: Some(80.0), trip: Some(90.0) };
        let of = |code: &str, decided: &[Rule]| {
            let HighLimits { high, high_high } = HighLimits::of(&point(code), oil, Indicator::default(), decided);
            [high, high_high]
        };
        assert_eq!(of("OTI", &[]), [Some(80.0), Some(90.0)]);
        let own = Rule { limit: Some(70.0), ..rules(&point("OTI"), oil, oil, &[]).remove(0) };
        assert_eq!(of("OTI", std::slice::from_ref(&own)), [Some(70.0), Some(90.0)]);
        assert_eq!(of("OTI", &[Rule { enabled: false, ..own.clone() }]), [None, Some(90.0)], "a rule that is switched off raises no alarm");
        assert_eq!(of("AmbT", std::slice::from_ref(&own)), [Some(70.0), None]);
        assert_eq!(of("WTI", &[Rule { point: PointId(8), ..own }]), [None, None], "a rule of another point");
    }
}
