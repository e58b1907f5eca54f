//! Tests of what a reading says of a switch.

use super::*;
use crate::Ordinal;

#[test]
fn only_a_fresh_and_good_position_is_known() {
    let reading = |value, quality| Reading { value, quality, source: Micros(0), received: Micros(0), ordinal: Ordinal::default() };
    let limit = Some(30_000);
    let (soon, late) = (Micros::from_millis(30_000), Micros::from_millis(30_001));
    let end = Some(Micros::from_millis(30_000));
    let double = Encoding::DoublePoint;
    let cases = [
        (double, Some(reading(Some(1.0), Quality::Good)), soon, limit, (Contact::Open, end)),
        (double, Some(reading(Some(2.0), Quality::Good)), soon, limit, (Contact::Closed, end)),
        (double, Some(reading(Some(2.0), Quality::Good)), late, limit, (Contact::Unknown, None)),
        (double, Some(reading(Some(2.0), Quality::Good)), late, None, (Contact::Closed, None)),
        (double, Some(reading(Some(2.0), Quality::Good)), Micros::from_millis(-2_000), None, (Contact::Closed, None)),
        (
            double,
            Some(reading(Some(2.0), Quality::Good)),
            Micros::from_millis(-2_001),
            None,
            (Contact::Unknown, Some(Micros::from_millis(-2_000))),
        ),
        (double, Some(reading(Some(2.0), Quality::Invalid)), Micros::from_millis(-2_001), None, (Contact::Unknown, None)),
        (double, Some(reading(Some(2.0), Quality::Substituted)), soon, None, (Contact::Closed, None)),
        (double, Some(reading(Some(2.0), Quality::Questionable)), soon, None, (Contact::Unknown, None)),
        (double, Some(reading(Some(2.0), Quality::CommLost)), soon, None, (Contact::Unknown, None)),
        (double, Some(reading(Some(0.0), Quality::Good)), soon, limit, (Contact::Unknown, None)),
        (double, Some(reading(Some(3.0), Quality::Good)), soon, limit, (Contact::Unknown, None)),
        (double, Some(reading(None, Quality::Good)), soon, limit, (Contact::Unknown, None)),
        (double, None, soon, limit, (Contact::Unknown, None)),
        (Encoding::SinglePoint, Some(reading(Some(0.0), Quality::Good)), soon, None, (Contact::Open, None)),
        (Encoding::SinglePoint, Some(reading(Some(1.0), Quality::Good)), soon, None, (Contact::Closed, None)),
        (Encoding::Signal, Some(reading(Some(1.0), Quality::Good)), soon, None, (Contact::Unknown, None)),
    ];
    for (encoding, reading, now, limit, expected) in cases {
        assert_eq!(contact(encoding, reading.as_ref(), now, limit), expected, "{encoding:?} {reading:?} {now:?}");
    }
}
