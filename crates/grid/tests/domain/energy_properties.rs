//! Properties of every register curve and every load.

use grid::demand::{self, Band, Block};
use grid::downsample::{Bucket, floor};
use grid::energy::{Counted, Section, Total, counted};
use grid::register::Bound;
use grid::{Micros, Quality};
use proptest::prelude::*;

const UNIT_MS: i64 = 600_000;

/// Readings of a register: seconds since the previous one, and increase.
fn course() -> impl Strategy<Value = Vec<(i64, f64)>> {
    prop::collection::vec((1..1_500_i64, 0.0..50.0_f64), 2..80)
}

/// Returns the readings in units of ten minutes, and the edges of the units.
fn units(readings: &[(Micros, f64)]) -> (Vec<Option<Bucket>>, Vec<Micros>) {
    let start = floor(readings[0].0, UNIT_MS);
    let last = readings[readings.len() - 1].0;
    let count = last.millis_since(start) / UNIT_MS + 1;
    let edges = (0..=count).map(|unit| start.plus_millis(unit * UNIT_MS)).collect();
    let mut cells: Vec<Option<Bucket>> = vec![None; count as usize];
    for (at, value) in readings {
        let one = Bucket::of(*at, Some(*value), Quality::Good);
        match &mut cells[(at.millis_since(start) / UNIT_MS) as usize] {
            Some(cell) => cell.merge(&one),
            empty => *empty = Some(one),
        }
    }
    (cells, edges)
}

fn readings(course: &[(i64, f64)], first: f64) -> Vec<(Micros, f64)> {
    let (mut at, mut value) = (Micros::from_millis(1_782_885_600_000), first);
    let step = |(after, more): &(i64, f64)| {
        at = at.plus_millis(after * 1_000);
        value += more;
        (at, value)
    };
    course.iter().map(step).collect()
}

/// Returns the register reading at an instant, interpolated between two readings.
fn at(readings: &[(Micros, f64)], instant: Micros) -> f64 {
    let next = readings.partition_point(|(at, _)| *at < instant).clamp(1, readings.len() - 1);
    let ((from, low), (to, high)) = (readings[next - 1], readings[next]);
    low + (high - low) * (instant.0 - from.0) as f64 / (to.0 - from.0) as f64
}

proptest! {
    #[test]
    fn units_count_what_the_register_stood_at_at_their_edges(course in course()) {
        let readings = readings(&course, 100.0);
        let (cells, edges) = units(&readings);
        let found = counted(None, &cells, &edges, i64::MAX / 2_000, &Bound::NONE);
        let mut known = 0;
        for (unit, counted) in found.iter().enumerate() {
            let inside = edges[unit] >= readings[0].0 && edges[unit + 1] <= readings[readings.len() - 1].0;
            prop_assert_eq!(matches!(counted, Counted::Known(_)), inside, "unit {}", unit);
            if let Counted::Known(counted) = counted {
                let expected = at(&readings, edges[unit + 1]) - at(&readings, edges[unit]);
                prop_assert!((counted - expected).abs() < 1e-6, "unit {}: {} {}", unit, counted, expected);
                known += 1;
            }
        }
        // So the units sum to the whole.
        if known > 0 {
            let first = found.iter().position(|counted| counted.known().is_some()).unwrap_or(0);
            let sum: f64 = found.iter().filter_map(|counted| counted.known()).sum();
            let whole = at(&readings, edges[first + known]) - at(&readings, edges[first]);
            prop_assert!((sum - whole).abs() < 1e-6, "{} {}", sum, whole);
        }
    }

    #[test]
    fn a_rollover_changes_nothing(course in course(), below in 0.0..900.0_f64) {
        let top = 100_000.0;
        let straight = readings(&course, top - below);
        prop_assume!(straight[0].1 < top && straight[straight.len() - 1].1 < top * 1.09);
        let rolled: Vec<(Micros, f64)> = straight.iter().map(|(at, value)| (*at, value % top)).collect();
        let of = |readings: &[(Micros, f64)]| {
            let (cells, edges) = units(readings);
            counted(None, &cells, &edges, 3_600_000, &Bound::NONE)
        };
        for (straight, rolled) in of(&straight).iter().zip(of(&rolled)) {
            let same = match (straight.known(), rolled.known()) {
                (Some(straight), Some(rolled)) => (straight - rolled).abs() < 1e-6,
                (straight, rolled) => straight.is_none() == rolled.is_none(),
            };
            prop_assert!(same, "{:?} {:?}", straight, rolled);
        }
    }

    #[test]
    fn a_balance_does_not_depend_on_how_time_is_cut(flows in prop::collection::vec((0.0..100.0_f64, 0.0..100.0_f64, 0..10_u8), 1..60)) {
        let meter = |of: fn(&(f64, f64, u8)) -> f64| flows.iter().map(move |flow| if flow.2 == 0 { Counted::Unknown } else { Counted::Known(of(flow)) });
        let section = Section { ins: vec![meter(|flow| flow.0).collect()], outs: vec![meter(|flow| flow.1).collect()] };
        let all = |units: &mut dyn Iterator<Item = usize>| units.fold(Total::default(), |mut sum, unit| {
            sum.add(&section.total(unit, UNIT_MS));
            sum
        });
        let whole = all(&mut (0..flows.len()));
        let half = flows.len() / 2;
        let mut parts = all(&mut (0..half));
        parts.add(&all(&mut (half..flows.len())));
        prop_assert_eq!((whole.known_ms, whole.span_ms), (parts.known_ms, parts.span_ms));
        match (whole.loss(), parts.loss()) {
            (Some(whole), Some(parts)) => prop_assert!((whole - parts).abs() < 1e-6),
            (whole, parts) => prop_assert_eq!(whole, parts),
        }
        prop_assert!((0.0..=100.0).contains(&whole.coverage()));
    }

    #[test]
    fn the_energy_of_blocks_is_the_integral(minutes in prop::collection::vec(-5.0..50.0_f64, 4..200), block in 1..20_usize) {
        let whole: Vec<f64> = minutes.chunks_exact(block).flatten().copied().collect();
        prop_assume!(!whole.is_empty());
        let blocks: Vec<Block> = whole
            .chunks(block)
            .enumerate()
            .map(|(nth, values)| demand::block(Micros((nth * block) as i64 * 60_000_000), values.iter().map(|value| Some(*value))))
            .collect();
        let energy = demand::energy(&blocks, block as i64 * 60_000);
        let integral = whole.iter().sum::<f64>() / 60.0;
        prop_assert!((energy - integral).abs() < 1e-9 * integral.abs().max(1.0), "{} {}", energy, integral);
        let largest = demand::peak(&blocks, 1.0).expect("a peak").1;
        prop_assert!(blocks.iter().all(|block| block.demand.is_some_and(|demand| demand <= largest)));
    }

    /// Days of 23, 24 and 25 hours: a repeated local hour counts twice in its quarter, a skipped one in none.
    #[test]
    fn quarters_of_the_day_part_it(changes_at in 0..24_u8, by in -1..=1_i64, values in prop::collection::vec(prop::option::of(-5.0..50.0_f64), 25)) {
        let clock: Vec<u8> = (0..24_u8)
            .flat_map(|hour| vec![hour; if hour == changes_at { (1 + by) as usize } else { 1 }])
            .collect();
        let blocks: Vec<Block> = clock
            .iter()
            .zip(&values)
            .enumerate()
            .map(|(nth, (_, value))| Block { start: Micros(nth as i64 * 3_600_000_000), demand: *value, share: 1.0 })
            .collect();
        let hour = |at: Micros| clock[(at.0 / 3_600_000_000) as usize];
        let found = demand::peaks(&blocks, 1.0, hour);
        let whole = demand::peak(&blocks, 1.0).map(|(_, demand)| demand);
        let best = found.iter().flatten().map(|(_, demand)| *demand).reduce(f64::max);
        prop_assert_eq!(whole, best, "no block is in none of them");
        for (band, peak) in Band::ALL.into_iter().zip(&found) {
            prop_assert!(peak.is_none_or(|(block, _)| Band::of_hour(hour(block.start)) == band));
        }
        let counts = Band::ALL.map(|band| clock.iter().filter(|hour| Band::of_hour(**hour) == band).count());
        prop_assert_eq!(counts.iter().sum::<usize>(), clock.len());
    }
}
