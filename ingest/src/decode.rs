//! Converts metrics to readings and decides which readings are events. Pure.

use field::sparkplug::{Metric, MetricValue};
use grid::point::PointKind;
use grid::position::Encoding;
use grid::quality::RawQuality;
use grid::reading::is_from_the_future;
use grid::{Micros, Ordinal, Quality, Reading};

/// 2000-01-01 UTC. Earlier source times come from clocks that were never set, and each of them would need a new
/// partition of the history.
const OLDEST: Micros = Micros(946_684_800_000_000);

/// The resolution of source times, µs.
const MILLISECOND: i64 = 1_000;

/// Why input is rejected. [`Reason::word`] is the reason code of dead letters and counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The topic is not one that ingest handles.
    Topic,
    /// No utility has this code.
    UnknownGroup,
    /// The payload is longer than the limit.
    Oversize,
    /// Not a valid Sparkplug B payload.
    Malformed,
    /// The message has too many metrics.
    TooManyMetrics,
    /// NaN, infinite, or out of range after scaling.
    NotFinite,
    /// Not a number, but the point needs one.
    NotANumber,
    /// The source time is more than five minutes ahead of the local clock.
    Future,
    /// The source time is before the year 2000.
    Ancient,
    /// The metric name cannot be stored.
    MetricName,
    /// No birth of the current session has declared the alias or type, and the node will not send the metrics again.
    UnknownAlias,
    /// The maximum number of gateways or points is reached.
    TooMany,
    /// The database rejects the row permanently.
    Refused,
    /// A new gateway or point could not be entered in time, and the node will not send the message again.
    Undiscovered,
    /// The switch is described as a single point, but its values are those of a double point.
    Encoding,
    /// Messages that never arrived.
    Gap,
    /// The mapping of the JSON lane finds no value in the payload.
    Mapping,
    /// The payload of the JSON lane contains only negative confirmations.
    Negative,
}

impl Reason {
    /// Returns the reason code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::UnknownGroup => "unknown_group",
            Self::Oversize => "oversize",
            Self::Malformed => "malformed",
            Self::TooManyMetrics => "too_many_metrics",
            Self::NotFinite => "not_finite",
            Self::NotANumber => "not_a_number",
            Self::Future => "future",
            Self::Ancient => "ancient",
            Self::MetricName => "metric_name",
            Self::UnknownAlias => "unknown_alias",
            Self::TooMany => "too_many",
            Self::Refused => "refused",
            Self::Undiscovered => "undiscovered",
            Self::Encoding => "encoding",
            Self::Gap => "gap",
            Self::Mapping => "mapping",
            Self::Negative => "negative",
        }
    }
}

/// The time of the payload, epoch ms.
#[derive(Debug, Clone, Copy)]
pub struct Envelope {
    /// The payload's time, epoch ms.
    pub timestamp: Option<u64>,
    /// Receive time.
    pub received: Micros,
    /// The number of the message in the order of this ingest.
    pub ordinal: Ordinal,
}

impl Envelope {
    /// Returns the sending time by the clock of the sender.
    pub fn sent(&self) -> Option<Micros> {
        let millis = i64::try_from(self.timestamp.filter(|millis| *millis != 0)?).ok()?;
        Some(Micros::from_millis(millis))
    }

    /// Returns whether a metric has a source time, from itself or from the message.
    pub fn is_timed(&self, metric: &Metric) -> bool {
        metric.timestamp.or(self.timestamp).is_some_and(|millis| millis != 0)
    }
}

/// The decoded metric of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decoded {
    /// The reading. If the metric has no valid value for the point, the reading has no value and is invalid, so that
    /// the previous value does not remain good.
    pub reading: Reading,
    /// Why the value was rejected.
    pub defect: Option<Reason>,
}

/// Decodes a metric of a point; `value` is the metric's value after its declared type was applied. Returns an error if
/// the source time is not acceptable.
pub fn decode(metric: &Metric, value: &MetricValue, kind: PointKind, scale: f64, envelope: Envelope) -> Result<Decoded, Reason> {
    let source = source(metric.timestamp.or(envelope.timestamp), envelope.received)?;
    let declared = Quality::from_sparkplug(metric.quality, metric.qds.map(RawQuality));
    let (value, defect) = match value {
        MetricValue::Null => (None, None),
        value => number(value, kind, scale).map_or_else(|reason| (None, Some(reason)), |value| (Some(value), None)),
    };
    // Without a value, the quality is at best invalid.
    let quality = if value.is_none() { declared.worst(Quality::Invalid) } else { declared };
    Ok(Decoded { reading: Reading { value, quality, source, received: envelope.received, ordinal: envelope.ordinal }, defect })
}

fn number(value: &MetricValue, kind: PointKind, scale: f64) -> Result<f64, Reason> {
    let number = match (value, kind) {
        (MetricValue::Text(_) | MetricValue::DateTime(_) | MetricValue::Other, _) => return Err(Reason::NotANumber),
        // The switch reported a double point before: a Boolean cannot report intermediate.
        (MetricValue::Boolean(is_closed), PointKind::Status(Encoding::DoublePoint)) => Some(if *is_closed { 2.0 } else { 1.0 }),
        (value, PointKind::Status(_)) => value.as_number(),
        (value, PointKind::Measurand) => value.as_number().map(|number| number * scale),
    };
    number.filter(|number| number.is_finite()).ok_or(Reason::NotFinite)
}

/// Number of different microseconds that are assigned to successive readings with the same source time. If a device
/// with a stopped clock sends more readings, all further ones get the last of these microseconds, so that none is older
/// than the displayed value. The rest of the millisecond is reserved for the history, which assigns microseconds too.
const PLACES: i64 = 900;

/// Moves a reading one microsecond after the previous one of the same point if both have the same time and differ.
///
/// Sparkplug times have milliseconds, and a message lists the values of a metric in order. Without this difference, the
/// second value would contradict the first one. If the message is sent again, the result is the same.
pub fn in_order(reading: Reading, before: Option<&Reading>) -> Reading {
    let is_same_instant = |before: &&Reading| before.source >= reading.source && before.source.0 - reading.source.0 < MILLISECOND;
    before.filter(is_same_instant).map_or(reading, |before| {
        let differs = (before.value, before.quality) != (reading.value, reading.quality);
        let has_room = before.source.0.rem_euclid(MILLISECOND) < PLACES;
        Reading { source: Micros(before.source.0 + i64::from(differs && has_room)), ..reading }
    })
}

/// Returns the source time: of the metric, else of the message, else the receive time. Clients without a clock send 0.
fn source(millis: Option<u64>, received: Micros) -> Result<Micros, Reason> {
    let Some(millis) = millis.filter(|millis| *millis != 0) else { return Ok(received) };
    let source = Micros::from_millis(i64::try_from(millis).unwrap_or(i64::MAX));
    if is_from_the_future(source, received) {
        return Err(Reason::Future);
    }
    if source < OLDEST { Err(Reason::Ancient) } else { Ok(source) }
}

/// The kind of message that reported a status value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusSource {
    /// Data of a node with an outbox. Such a node reports every change exactly once, and nothing else.
    ByOutbox,
    /// Data of a node without an outbox.
    Plainly,
    /// The birth of a node with an outbox. If the birth shows a change, the outbox reports this change too.
    AtBirthWithOutbox,
    /// The birth of a node without an outbox.
    AtBirth,
}

/// Whether a status value is an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventRule {
    /// The value is an event.
    Event,
    /// The value is not an event.
    NoEvent,
    /// The value is an event unless the outbox reports the same change.
    Unless,
}

/// Decides whether a status value is an event, compared with the known value. The first known value is the initial
/// state and not a change. `counts` must be false for a value that is older than the known one and was not sent as
/// history.
pub fn event_rule(source: StatusSource, reading: &Reading, counts: bool, before: Option<&Reading>) -> EventRule {
    if source == StatusSource::ByOutbox {
        return EventRule::Event;
    }
    let changed = before.is_some_and(|before| counts && before.value != reading.value);
    match (changed, source) {
        (false, _) => EventRule::NoEvent,
        (true, StatusSource::AtBirthWithOutbox) => EventRule::Unless,
        (true, _) => EventRule::Event,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Micros = Micros(1_800_000_000_000_000);
    const ENVELOPE: Envelope = Envelope { timestamp: None, received: NOW, ordinal: Ordinal { epoch: 1, seq: 2 } };
    const STATUS: PointKind = PointKind::Status(Encoding::DoublePoint);

    fn decoded(metric: &Metric, kind: PointKind, scale: f64) -> Decoded {
        decode(metric, &metric.value, kind, scale, ENVELOPE).expect("a time that is accepted")
    }

    #[test]
    fn values() {
        use MetricValue::{Boolean, DateTime, Double, Float, Int32, Null, Other, Text};
        const SINGLE: PointKind = PointKind::Status(Encoding::SinglePoint);
        for (value, kind, expected) in [
            (Double(2.0), PointKind::Measurand, Ok(Some(0.2))),
            (Int32(-3), PointKind::Measurand, Ok(Some(-0.3))),
            (Int32(2), STATUS, Ok(Some(2.0))),
            (Boolean(true), SINGLE, Ok(Some(1.0))),
            (Boolean(true), STATUS, Ok(Some(2.0))),
            (Boolean(false), STATUS, Ok(Some(1.0))),
            (Null, PointKind::Measurand, Ok(None)),
            (Double(f64::NAN), PointKind::Measurand, Err(Reason::NotFinite)),
            (Float(f32::INFINITY), PointKind::Measurand, Err(Reason::NotFinite)),
            (Double(f64::NEG_INFINITY), STATUS, Err(Reason::NotFinite)),
            (Text("1".into()), PointKind::Measurand, Err(Reason::NotANumber)),
            (Other, STATUS, Err(Reason::NotANumber)),
            (DateTime(1), PointKind::Measurand, Err(Reason::NotANumber)),
        ] {
            let decoded = decoded(&Metric::new("m", value.clone()), kind, 0.1);
            match (decoded.defect, expected) {
                (None, Ok(Some(expected))) => assert!((decoded.reading.value.expect("a value") - expected).abs() < 1e-12, "{value:?}"),
                (defect, expected) => assert_eq!(defect.map_or(Ok(None), Err), expected, "{value:?}"),
            }
        }
        assert_eq!(
            decoded(&Metric::new("m", Double(1e300)), PointKind::Measurand, 1e300).defect,
            Some(Reason::NotFinite),
            "infinite by the scale"
        );
    }

    #[test]
    fn refused_value_is_absent_and_invalid() {
        for value in [MetricValue::Double(f64::NAN), MetricValue::Text("off".into()), MetricValue::Null] {
            let Decoded { reading, .. } = decoded(&Metric::new("m", value.clone()).at(NOW.millis() as u64), PointKind::Measurand, 1.0);
            assert_eq!((reading.value, reading.quality, reading.source), (None, Quality::Invalid, NOW), "{value:?}");
        }
    }

    #[test]
    fn second_value_of_one_instant_follows_the_first() {
        let at = |value: f64, micros: i64| Reading {
            value: Some(value),
            source: Micros(NOW.0 + micros),
            ..decoded(&Metric::new("m", MetricValue::Null), STATUS, 1.0).reading
        };
        for (before, reading, expected, why) in [
            (None, at(1.0, 0), 0, "the only one"),
            (Some(at(1.0, 0)), at(2.0, 0), 1, "another value in one millisecond"),
            (Some(at(2.0, 1)), at(1.0, 0), 2, "a third"),
            (Some(at(2.0, 1)), at(2.0, 0), 1, "the second again"),
            (Some(at(1.0, 0)), at(1.0, 0), 0, "the same again"),
            (Some(at(1.0, -1_000)), at(2.0, 0), 0, "the millisecond before"),
            (Some(at(1.0, 1_000)), at(2.0, 0), 0, "the millisecond after"),
        ] {
            assert_eq!(in_order(reading, before.as_ref()).source, Micros(NOW.0 + expected), "{why}");
        }
    }

    #[test]
    fn source_times() {
        let now = NOW.millis() as u64;
        for (metric, payload, expected) in [
            (Some(now - 5), Some(now - 9), Ok(NOW.plus_millis(-5))),
            (None, Some(now - 9), Ok(NOW.plus_millis(-9))),
            (None, None, Ok(NOW)),
            (Some(0), None, Ok(NOW)),
            (Some(now + 300_000), None, Ok(NOW.plus_millis(300_000))),
            (Some(now + 300_001), None, Err(Reason::Future)),
            (Some(u64::MAX), None, Err(Reason::Future)),
            (Some(86_400_000), None, Err(Reason::Ancient)),
        ] {
            let read = Metric { timestamp: metric, ..Metric::new("m", MetricValue::Double(1.0)) };
            let decoded = decode(&read, &read.value, PointKind::Measurand, 1.0, Envelope { timestamp: payload, ..ENVELOPE });
            assert_eq!(decoded.map(|decoded| decoded.reading.source), expected, "{metric:?} {payload:?}");
        }
    }

    #[test]
    fn qualities() {
        for (value, quality, qds, expected) in [
            (MetricValue::Double(1.0), None, None, Quality::Good),
            (MetricValue::Double(1.0), Some(192), Some(RawQuality::SB), Quality::Substituted),
            (MetricValue::Double(1.0), Some(500), None, Quality::Stale),
            (MetricValue::Double(1.0), Some(0), None, Quality::Invalid),
            (MetricValue::Null, Some(192), None, Quality::Invalid),
        ] {
            let metric = Metric { quality, qds, ..Metric::new("m", value) };
            assert_eq!(decoded(&metric, PointKind::Measurand, 1.0).reading.quality, expected, "{metric:?}");
        }
    }

    #[test]
    fn events() {
        let at = |value: f64, millis: i64| Reading {
            value: Some(value),
            quality: Quality::Good,
            source: NOW.plus_millis(millis),
            received: NOW,
            ordinal: Ordinal::default(),
        };
        let before = at(1.0, 0);
        for (source, reading, counts, known, expected) in [
            (StatusSource::ByOutbox, at(1.0, -5), false, true, EventRule::Event),
            (StatusSource::ByOutbox, at(1.0, 0), true, false, EventRule::Event),
            (StatusSource::Plainly, at(2.0, 1), true, true, EventRule::Event),
            (StatusSource::Plainly, at(1.0, 1), true, true, EventRule::NoEvent),
            (StatusSource::Plainly, at(2.0, -1), false, true, EventRule::NoEvent),
            (StatusSource::Plainly, at(2.0, -1), true, true, EventRule::Event),
            (StatusSource::Plainly, at(2.0, 1), true, false, EventRule::NoEvent),
            (StatusSource::AtBirth, at(2.0, 1), true, true, EventRule::Event),
            (StatusSource::AtBirthWithOutbox, at(2.0, 1), true, true, EventRule::Unless),
            (StatusSource::AtBirthWithOutbox, at(1.0, 1), true, true, EventRule::NoEvent),
        ] {
            let rule = event_rule(source, &reading, counts, known.then_some(&before));
            assert_eq!(rule, expected, "{source:?} {reading:?} counts {counts} known {known}");
        }
    }
}
