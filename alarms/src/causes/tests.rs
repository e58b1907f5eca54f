//! Tests of causes: a feeder behind an isolator, a breaker and a second isolator.

use grid::position::Encoding;
use grid::{ClientId, Event, Ordinal, Quality};

use super::*;

const AT: NodeId = NodeId(1);
const F3: AssetId = AssetId(3);
const BUS_SIDE: PointId = PointId(11);
const BREAKER: PointId = PointId(12);
const LINE_SIDE: PointId = PointId(13);
const OPEN: f64 = 1.0;
const CLOSED: f64 = 2.0;

fn s(second: i64) -> Micros {
    Micros::from_millis(second * 1_000)
}

fn station() -> Station {
    Station::in_line(AT, &[BUS_SIDE, BREAKER, LINE_SIDE], Some(F3))
}

fn reading(second: i64, value: f64) -> Reading {
    Reading {
        value: Some(value),
        quality: Quality::Good,
        source: s(second),
        received: s(second),
        ordinal: Ordinal { epoch: 1, seq: second },
    }
}

fn movement(switch: PointId, second: i64, value: f64) -> FieldEvent {
    let Reading { value, quality, source, received, ordinal } = reading(second, value);
    let event = Event {
        client: ClientId(1),
        offset: second,
        point: switch,
        asset: AssetId(9),
        asset_name: String::new(),
        location: AT,
        location_name: String::new(),
        signal: String::new(),
        encoding: Encoding::DoublePoint,
        value,
        quality,
        source,
        received,
        ordinal,
    };
    FieldEvent { event, code: "Pos".to_owned(), of_breaker: switch == BREAKER, by_protection: false, ordered: false }
}

/// Returns causes with the positions of the three switches, and with alarms for opened switches.
fn causes(positions: [f64; 3], opened: &[PointId]) -> Causes {
    let mut causes = Causes::new(opened.iter().map(|switch| (*switch, AT)).collect(), Causes::default());
    for (switch, value) in [BUS_SIDE, BREAKER, LINE_SIDE].into_iter().zip(positions) {
        causes.stored(switch, &reading(1, value));
    }
    causes
}

fn source_at(causes: &Causes, second: i64) -> Option<String> {
    causes.of(F3, s(second)).map(|found| found.source)
}

/// Returns the switches whose alarms change, and whether they begin.
fn changes(of: &[OpenedChange]) -> Vec<(PointId, bool)> {
    of.iter().filter_map(|(about, active)| Some((about.point?, *active))).collect()
}

#[test]
fn alarms_of_several_open_switches_survive_a_restart() {
    let mut causes = causes([OPEN, OPEN, OPEN], &[BREAKER]);
    assert!(causes.add(AT, station(), &HashMap::new()).is_empty(), "customers are off: the alarm stays");
    assert_eq!(source_at(&causes, 2), Some(opened_source(BREAKER)));
    let closed = causes.moved(&movement(BUS_SIDE, 5, CLOSED), false);
    assert!(changes(&closed.opened).is_empty());
    let closed = causes.moved(&movement(LINE_SIDE, 6, CLOSED), false);
    assert!(changes(&closed.opened).is_empty());
    let closed = causes.moved(&movement(BREAKER, 7, CLOSED), false);
    assert_eq!(changes(&closed.opened), [(BREAKER, false)], "supply is back");
}

#[test]
fn alarm_of_an_open_switch_stays_beside_a_trip() {
    let mut causes = causes([OPEN, OPEN, CLOSED], &[BUS_SIDE]);
    let tripped = HashMap::from([(BREAKER, s(1))]);
    assert!(causes.add(AT, station(), &tripped).is_empty());
    assert_eq!(source_at(&causes, 2), Some(trip_source(BREAKER)));
}

#[test]
fn test_closing_of_an_isolated_breaker_passes_the_cause_on() {
    let mut causes = causes([CLOSED, CLOSED, CLOSED], &[]);
    causes.add(AT, station(), &HashMap::new());
    causes.moved(&movement(BREAKER, 10, OPEN), true);
    causes.moved(&movement(BUS_SIDE, 20, OPEN), false);
    causes.moved(&movement(LINE_SIDE, 21, OPEN), false);
    let closed = causes.moved(&movement(BREAKER, 30, CLOSED), false);
    assert_eq!(changes(&closed.opened), [(BUS_SIDE, true)], "the feeder is dead because of an isolator now");
    assert_eq!(source_at(&causes, 31), Some(opened_source(BUS_SIDE)));
}

#[test]
fn trip_raises_no_second_alarm_when_it_becomes_the_cause() {
    let mut causes = causes([CLOSED, CLOSED, CLOSED], &[]);
    causes.add(AT, station(), &HashMap::new());
    causes.moved(&movement(BUS_SIDE, 10, OPEN), false);
    causes.moved(&movement(BREAKER, 11, OPEN), true);
    let closed = causes.moved(&movement(BUS_SIDE, 20, CLOSED), false);
    assert_eq!(changes(&closed.opened), [(BUS_SIDE, false)]);
    assert_eq!(source_at(&causes, 21), Some(trip_source(BREAKER)));
}

#[test]
fn condition_from_before_the_loss_has_another_cause() {
    let mut causes = causes([CLOSED, CLOSED, CLOSED], &[]);
    causes.add(AT, station(), &HashMap::new());
    causes.moved(&movement(BREAKER, 10, OPEN), true);
    let found = [8, 9, 10, 60].map(|second| source_at(&causes, second).is_some());
    assert_eq!(found, [false, true, true, true]);
    // The same opening is reported again.
    causes.moved(&movement(BREAKER, 40, OPEN), false);
    assert_eq!(source_at(&causes, 12), Some(trip_source(BREAKER)), "supply was lost at 10 s");
    causes.moved(&movement(BREAKER, 100, CLOSED), false);
    causes.time(s(200));
    let found = [8, 12, 120, 131].map(|second| source_at(&causes, second).is_some());
    assert_eq!(found, [false, true, true, false], "by source times, however late they are committed");
}

#[test]
fn part_that_is_drawn_no_more_has_no_cause() {
    let mut causes = causes([CLOSED, CLOSED, CLOSED], &[]);
    causes.add(AT, station(), &HashMap::new());
    causes.moved(&movement(BREAKER, 10, OPEN), true);
    let mut again = Causes::new(HashMap::new(), causes);
    assert_eq!(again.missing(std::iter::empty(), &[]), [AT], "a substation with a cause is built again");
    again.add(AT, Station::in_line(AT, &[BUS_SIDE, BREAKER, LINE_SIDE], None), &HashMap::from([(BREAKER, s(10))]));
    assert!(!again.is_without_supply(F3));
}
