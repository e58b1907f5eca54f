//! Computes buckets from values or from finer buckets, and combines recomputed buckets with stored ones.

use super::Bucket;
use crate::Micros;

/// Combines parts (values, or finer buckets with their starts) into buckets. `start_of` returns the start of the bucket that contains a time.
///
/// Parts must be in order of time. Within its bucket, a value is valid until the next value, at most for `limit_ms`.
pub fn collect(
    parts: impl IntoIterator<Item = (Micros, Bucket)>,
    start_of: impl Fn(Micros) -> Micros,
    limit_ms: Option<i64>,
) -> Vec<(Micros, Bucket)> {
    let mut buckets: Vec<(Micros, Bucket)> = Vec::new();
    for (at, part) in parts {
        add(&mut buckets, start_of(at), &part, limit_ms);
    }
    buckets
}

/// Adds the next part to the buckets before it, as [`collect`] does. `start` is the start of its bucket.
pub fn add(buckets: &mut Vec<(Micros, Bucket)>, start: Micros, part: &Bucket, limit_ms: Option<i64>) {
    match buckets.last_mut() {
        Some((last, bucket)) if *last == start => bucket.append(part, limit_ms),
        _ => buckets.push((start, *part)),
    }
}

/// Adds recomputed buckets to stored ones. Returns the number of buckets that are new or have more values than before.
///
/// Values are only added to a history. So a recomputed bucket replaces the stored bucket, unless the stored bucket has more values: then some of its parts have
/// expired since. Both lists must be in order of time, and the result is in order of time.
pub fn update(stored: &mut Vec<(Micros, Bucket)>, recomputed: &[(Micros, Bucket)]) -> usize {
    let mut changed = 0;
    for (start, bucket) in recomputed {
        match stored.binary_search_by_key(start, |(start, _)| *start) {
            Ok(at) if stored[at].1.n > bucket.n => {}
            Ok(at) => {
                changed += usize::from(stored[at].1.n < bucket.n);
                stored[at].1 = *bucket;
            }
            Err(at) => {
                stored.insert(at, (*start, *bucket));
                changed += 1;
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests;
