//! Powers summed by blocks, and registers in whole units: the result equals that from all raw values, whether or not the rollups are up to date.

use grid::demand::Block;
use grid::downsample::{MINUTE_MS, Resolution, floor};
use grid::energy::{Counted, counted};
use grid::measure::Quantity;
use grid::point::PointKind;
use grid::register::Bound;
use grid::{Micros, PointId, Quality};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use store::rollup::Rollups;
use store::seed::PointSeed;
use store::series::Wanted;
use store::writer::{Batch, Sample};
use testkit::Flavour;

use crate::fixture::{START, Utility, point, utility, utility_on};

const BLOCK_MS: i64 = 15 * MINUTE_MS;

fn at(second: i64) -> Micros {
    START.plus_millis(second * 1_000)
}

/// Points of the first feeder. They report every ten seconds; the reactive power reports by exception.
async fn points(utility: &Utility, codes: &[&str]) -> Vec<PointId> {
    let asset = utility.store.registry(Some(utility.client)).await.unwrap().assets[0].id;
    let seed = |code: &&str| {
        let seed =
            point(utility.client, utility.sites[0].gateway, asset, &format!("F3/{code}"), PointKind::Measurand, Quantity::of_code(code));
        PointSeed { expected_ms: seed.expected_ms.filter(|_| *code != "Pr"), ..seed }
    };
    utility.store.put_points(&codes.iter().map(seed).collect::<Vec<_>>()).await.unwrap()
}

/// A stored value: source time, value, quality.
type Value = (Micros, f64, Quality);

/// The mean of a minute with at least one value, weighted by the time for which each value was valid. For a point that reports by
/// exception, the value before the minute counts too.
fn mean(values: &[Value], minute: Micros, limit_ms: Option<i64>) -> Option<f64> {
    let end = minute.plus_millis(MINUTE_MS);
    let mut values = values.to_vec();
    values.sort_by_key(|value| value.0);
    values.iter().find(|(at, _, quality)| *quality < Quality::Stale && floor(*at, MINUTE_MS) == minute)?;
    let nexts = values.iter().skip(1).map(|next| next.0).chain([end]);
    let (mut sum, mut ms) = (0.0, 0.0);
    for ((at, value, _), next) in values.iter().zip(nexts).filter(|((.., quality), _)| *quality < Quality::Stale) {
        let until = limit_ms.map_or(next, |limit| next.min(at.plus_millis(limit))).min(end);
        let held = if *at < minute && limit_ms.is_some() { 0.0 } else { (until.0 - (*at).max(minute).0).max(0) as f64 };
        (sum, ms) = (sum + value * held, ms + held);
    }
    Some(sum / ms)
}

/// The expected blocks of a period, computed from the raw values. Values of the first point are stale after half a minute, those of the others never.
fn expected(stored: &[(PointId, f64, Vec<Value>)], from: Micros, to: Micros) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut start = from;
    while start < to {
        let (mut sum, mut share) = (None, 0.0);
        for (which, (_, weight, values)) in stored.iter().enumerate() {
            let limit_ms = (which == 0).then_some(30_000);
            let means: Vec<f64> = (0..15).filter_map(|minute| mean(values, start.plus_millis(minute * MINUTE_MS), limit_ms)).collect();
            if !means.is_empty() {
                sum = Some(sum.unwrap_or(0.0) + means.iter().sum::<f64>() / means.len() as f64 * weight);
                share += means.len() as f64 / 15.0;
            }
        }
        blocks.push(Block { start, demand: sum, share: share / stored.len() as f64 });
        start = start.plus_millis(BLOCK_MS);
    }
    blocks
}

fn same(left: &[Block], right: &[Block]) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
    // Packed figures differ by up to half a step, here 2^-8 of a power that counts 1,000 times.
    let demand = |a: Option<f64>, b: Option<f64>| a.zip(b).map_or(a.is_none() == b.is_none(), |(a, b)| (a - b).abs() < 5.0);
    left.len() == right.len()
        && left.iter().zip(right).all(|(a, b)| a.start == b.start && close(a.share, b.share) && demand(a.demand, b.demand))
}

#[tokio::test]
async fn sums_are_those_of_all_values_in_any_order_of_writing_and_refreshing() {
    let mut runner = TestRunner::default();
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let ids = points(&utility, &["P", "Pr"]).await;
        let mut stored: Vec<(PointId, f64, Vec<Value>)> = vec![(ids[0], 1_000.0, Vec::new()), (ids[1], 1.0, Vec::new())];
        let mut writer = utility.writer().await;
        let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
        let rows = prop::collection::vec((0..2_usize, 0..9_000_i64, -5.0..500.0_f64, 0..5_u8), 1..150);
        for turn in 0..8 {
            let mut samples: Vec<Sample> = Vec::new();
            for (which, second, value, quality) in rows.new_tree(&mut runner).unwrap().current() {
                let (point, _, known) = &mut stored[which];
                if known.iter().any(|(time, ..)| *time == at(second)) {
                    continue;
                }
                let quality = Quality::from_code(quality).unwrap();
                known.push((at(second), value, quality));
                let mut sample = utility.sample(*point, second, value);
                sample.reading.quality = quality;
                samples.push(sample);
            }
            writer.commit(&Batch { samples, ..Batch::default() }).await.unwrap();
            let weights: Vec<(PointId, f64)> = stored.iter().map(|(point, weight, _)| (*point, *weight)).collect();
            for refreshed in [false, true] {
                if refreshed && turn % 2 == 0 {
                    rollups.refresh(Resolution::Minute).await.unwrap();
                }
                for from in [at(0), at(2_700)] {
                    let sums = utility.store.sums(utility.client, &weights, (from, at(9_000))).await.unwrap();
                    assert_eq!(sums.block_ms, BLOCK_MS);
                    let expected = expected(&stored, from, at(9_000));
                    let why = format!("{flavour:?}, turn {turn}, {refreshed}, {from:?}");
                    assert_eq!(sums.heard.len(), expected.len());
                    for (block, heard) in expected.iter().zip(&sums.heard) {
                        // For both points, or for one only.
                        assert!(
                            (block.share < 0.75 || *heard > 0)
                                && (block.share < 1.0 - 1e-9 || *heard == 2)
                                && (block.share > 0.0 || *heard == 0),
                            "{why}: {block:?} {heard}"
                        );
                    }
                    assert!(same(&sums.blocks, &expected), "{why}: {:?}\nexpected {expected:?}", sums.blocks);
                }
            }
        }
        rollups.refresh_all().await.unwrap();
        let foreign = utility.store.sums(grid::ClientId(utility.client.0 + 1), &[(ids[0], 1.0)], (at(0), at(9_000))).await.unwrap();
        assert!(foreign.blocks.iter().all(|block| block.demand.is_none()), "points of another utility");
    }
}

#[tokio::test]
async fn mean_of_exception_point_is_weighted_before_and_after_rollup() {
    let utility = utility().await;
    let ids = points(&utility, &["P", "Pr"]).await;
    let mut writer = utility.writer().await;
    let sample = |ms: i64, value: f64| {
        let mut sample = utility.sample(ids[1], 0, value);
        (sample.reading.source, sample.reading.ordinal.seq) = (START.plus_millis(ms), ms);
        sample
    };
    let batch =
        Batch { samples: [(0, 10.0), (59_000, 2.0), (59_500, 2.0)].map(|(ms, value)| sample(ms, value)).into(), ..Batch::default() };
    writer.commit(&batch).await.unwrap();
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    for refreshed in [false, true] {
        if refreshed {
            rollups.refresh_all().await.unwrap();
        }
        let sums = utility.store.sums(utility.client, &[(ids[1], 1.0)], (at(0), at(900))).await.unwrap();
        let demand = sums.blocks[0].demand.unwrap();
        assert!((demand - (59.0 * 10.0 + 2.0) / 60.0).abs() < 1e-9, "{refreshed}: {demand}");
    }
}

#[tokio::test]
async fn registers_are_known_from_edge_to_edge_and_blocks_are_longer_where_finer_values_are_gone() {
    let utility = utility().await;
    let ids = points(&utility, &["EImp", "P"]).await;
    let mut writer = utility.writer().await;
    // A value every 20 s over five hours, starting at ten seconds; a register that counts 6 in a minute.
    let seconds = || (0..900).map(|nth| 10 + nth * 20);
    let samples = seconds().map(|second| utility.sample(ids[0], second, second as f64 / 10.0));
    let powers = seconds().map(|second| utility.sample(ids[1], second, 3.0));
    writer.commit(&Batch { samples: samples.chain(powers).collect(), ..Batch::default() }).await.unwrap();
    let mut rollups = Rollups::connect(utility.database.url()).await.unwrap();
    for refreshed in [false, true] {
        if refreshed {
            rollups.refresh_all().await.unwrap();
        }
        let found = utility.store.registers(utility.client, &ids[..1], (at(1_800), at(5_400)), Wanted::Of(Resolution::TenMinutes)).await;
        let found = found.unwrap();
        assert_eq!((found.count, found.edges.len(), found.lines[0].cells.len()), (6, 8, 7), "an hour, and ten minutes more");
        let line = &found.lines[0];
        let known = counted(line.before, &line.cells, &found.edges, 60_000, &Bound::NONE);
        assert!(known[..6].iter().all(|counted| counted.known().is_some_and(|counted| (counted - 60.0).abs() < 1e-9)), "{known:?}");
        let day = utility.store.registers(utility.client, &ids[..1], (at(0), at(1)), Wanted::Of(Resolution::Day)).await.unwrap();
        // 2026-07-01 in India begins 11.5 hours before six o'clock UTC.
        assert_eq!((day.count, day.edges[0]), (1, at(-11 * 3_600 - 1_800)));
        let day = counted(None, &day.lines[0].cells, &day.edges, 60_000, &Bound::NONE);
        assert_eq!(day[0], Counted::Unknown, "not from its midnight on");
        let fitting = utility.store.registers(utility.client, &ids[..1], (at(0), at(18_000)), Wanted::Buckets(6)).await.unwrap();
        assert_eq!((fitting.of, fitting.times, fitting.count), (Resolution::Hour, 1, 5));
    }
    let none =
        utility.store.registers(grid::ClientId(utility.client.0 + 1), &ids, (at(0), at(1)), Wanted::Of(Resolution::Hour)).await.unwrap();
    assert!(none.lines.is_empty() && none.count == 0);
    assert!(utility.store.registers(utility.client, &ids, (at(1), at(1)), Wanted::Of(Resolution::Hour)).await.is_err());

    let client = utility.database.client().await;
    for (gone, block_ms) in [("sample", BLOCK_MS), ("rollup_1m", 2 * BLOCK_MS), ("rollup_10m", 4 * BLOCK_MS)] {
        client.execute(&format!("DELETE FROM {gone}"), &[]).await.unwrap();
        let sums = utility.store.sums(utility.client, &[(ids[1], 1_000.0)], (at(0), at(14_400))).await.unwrap();
        assert_eq!(sums.block_ms, block_ms, "without {gone}");
        assert!(sums.blocks.iter().all(|block| block.demand.is_some_and(|kw| (kw - 3_000.0).abs() < 1e-9)), "{:?}", sums.blocks);
        // Without stored values the coverage alone determines the blocks.
        let coverage = utility.store.coverage(utility.client, &ids).await.unwrap();
        for (points, (from, to)) in [(&[(ids[1], 1_000.0)][..], (90_000, 176_400)), (&[(ids[1], 1.0)], (-90_123, -3_600)), (&[], (0, 900))]
        {
            let span = (at(from), at(to));
            let sums = utility.store.sums(utility.client, points, span).await.unwrap();
            assert!(sums.blocks.iter().all(|block| block.demand.is_none()), "{:?}", sums.blocks);
            assert_eq!(coverage.no_sums(points, span).unwrap(), sums, "without {gone}");
        }
    }
}
