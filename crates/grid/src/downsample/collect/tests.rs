//! Tests of computing buckets: against a plain recomputation, and with late values.

use proptest::prelude::*;

use super::*;
use crate::Quality;
use crate::downsample::floor;

type Value = (i64, Option<f64>, Quality);

fn values() -> impl Strategy<Value = Vec<Value>> {
    let value = prop_oneof![8 => (-100.0..100.0_f64).prop_map(Some), 1 => Just(None)];
    let quality = prop_oneof![8 => Just(Quality::Good), 1 => Just(Quality::Stale), 1 => Just(Quality::Questionable)];
    prop::collection::btree_map(0..4_000_i64, (value, quality), 1..120)
        .prop_map(|values| values.into_iter().map(|(ms, (value, quality))| (ms, value, quality)).collect())
}

fn buckets(values: &[Value], ms: i64, limit: Option<i64>) -> Vec<(Micros, Bucket)> {
    let part = |(ms, value, quality): &Value| (Micros::from_millis(*ms), Bucket::of(Micros::from_millis(*ms), *value, *quality));
    collect(values.iter().map(part), |at| floor(at, ms), limit)
}

/// Computes a bucket from its values, without [`Bucket::append`]: the statement by which the rollups are defined.
fn recomputed(values: &[Value], start: Micros, ms: i64, limit: Option<i64>) -> Bucket {
    let own: Vec<&Value> = values.iter().filter(|value| floor(Micros::from_millis(value.0), ms) == start).collect();
    let usable = || own.iter().filter(|(_, value, quality)| value.is_some() && *quality < Quality::Stale);
    let pair = |value: Option<&&Value>| value.and_then(|(ms, value, _)| Some((Micros::from_millis(*ms), (*value)?)));
    let numbers = || usable().filter_map(|(_, value, _)| *value);
    let mut held =
        super::super::Held { value_ms: 0.0, ms: 0.0, from: Micros::from_millis(own[0].0), to: Micros::from_millis(own[own.len() - 1].0) };
    for pair in own.windows(2) {
        let (at, value, quality) = *pair[0];
        let Some(value) = value.filter(|_| quality < Quality::Stale) else { continue };
        let ms = limit.map_or(pair[1].0 - at, |limit| limit.min(pair[1].0 - at)) as f64;
        held.value_ms += value * ms;
        held.ms += ms;
    }
    Bucket {
        n: own.len() as i64,
        n_good: usable().count() as i64,
        min: numbers().reduce(f64::min),
        max: numbers().reduce(f64::max),
        sum: numbers().reduce(|a, b| a + b),
        first: pair(usable().next()),
        last: pair(usable().next_back()),
        worst: own.iter().map(|value| value.2).max().expect("values"),
        held: Some(held),
    }
}

fn same(a: &Bucket, b: &Bucket) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(1.0);
    let held =
        a.held.zip(b.held).is_some_and(|(a, b)| close(a.value_ms, b.value_ms) && close(a.ms, b.ms) && (a.from, a.to) == (b.from, b.to));
    let sum = a.sum.zip(b.sum).map_or(a.sum.is_none() && b.sum.is_none(), |(a, b)| close(a, b));
    held && sum && Bucket { sum: None, held: None, ..*a } == Bucket { sum: None, held: None, ..*b }
}

proptest! {
    #[test]
    fn buckets_equal_their_recomputation(values in values(), limit in prop::option::of(1..600_i64), fine in 1..40_i64, times in 1..12_i64) {
        let minutes = buckets(&values, fine, limit);
        let coarse = collect(minutes.iter().copied(), |at| floor(at, fine * times), limit);
        for (buckets, ms) in [(&minutes, fine), (&coarse, fine * times)] {
            prop_assert_eq!(buckets.iter().map(|(_, bucket)| bucket.n).sum::<i64>(), values.len() as i64);
            for (start, bucket) in buckets {
                let expected = recomputed(&values, *start, ms, limit);
                prop_assert!(same(bucket, &expected), "{:?} for {:?}", bucket, expected);
            }
        }
    }

    #[test]
    fn late_values_in_any_order_give_the_same_buckets(
        values in values(), parts in prop::collection::vec(0..4_usize, 120), limit in prop::option::of(1..600_i64),
    ) {
        // Values arrive in four batches. After each one the buckets that it touches are recomputed from all values stored by then.
        let mut stored = Vec::new();
        for batch in 0..4 {
            let known: Vec<Value> = values.iter().zip(&parts).filter(|(_, part)| **part <= batch).map(|(value, _)| *value).collect();
            let added: Vec<Micros> = values.iter().zip(&parts).filter(|(_, part)| **part == batch).map(|(value, _)| floor(Micros::from_millis(value.0), 100)).collect();
            let touched: Vec<_> = buckets(&known, 100, limit).into_iter().filter(|(start, _)| added.contains(start)).collect();
            prop_assert_eq!(update(&mut stored, &touched), touched.len());
            prop_assert_eq!(update(&mut stored, &touched), 0, "a repetition changes nothing");
        }
        prop_assert_eq!(stored, buckets(&values, 100, limit));
    }
}

#[test]
fn stored_bucket_with_more_values_is_kept() {
    let one = |n: i64, value: f64| Bucket { n, ..Bucket::of(Micros(0), Some(value), Quality::Good) };
    let mut stored = vec![(Micros(0), one(6, 1.0)), (Micros(20), one(6, 1.0))];
    // Some values of the first bucket have expired; the second one is complete and replaced by the same.
    assert_eq!(update(&mut stored, &[(Micros(0), one(2, 9.0)), (Micros(20), one(6, 1.1))]), 0);
    assert_eq!(stored, [(Micros(0), one(6, 1.0)), (Micros(20), one(6, 1.1))]);
    assert_eq!(update(&mut stored, &[(Micros(0), one(7, 9.0)), (Micros(10), one(1, 5.0))]), 2);
    assert_eq!(stored, [(Micros(0), one(7, 9.0)), (Micros(10), one(1, 5.0)), (Micros(20), one(6, 1.1))]);
}
