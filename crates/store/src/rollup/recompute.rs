//! Recomputes the buckets of dirty ranges: minutes from values, coarser buckets from finer ones.
//!
//! First the counts of the dirty range are compared with the stored ones. Only blocks with more values than stored are recomputed. A block is recomputed as a
//! whole, so that a row is always packed from its parts and never from a packed row. Values are only added to the history. So a bucket with the same number of
//! values is unchanged. If a stored bucket has more values, some of its parts have expired since.
//!
//! The quarters of an hour of demand ([`quarters`]) are computed with the buckets of ten minutes, so either both are missing for a range, or neither.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use futures_util::{TryStreamExt, pin_mut};
use grid::downsample::{Bucket, Resolution, add, floor, update};
use grid::freshness::age_limit_ms;
use grid::{Micros, PointId};
use tokio_postgres::{Row, Transaction};

use super::days::{self, Days};
use super::quarters::{self, Course, Quarters};
use super::range::{Range, block, columns, merged};
use super::rows::{self, COUNTS, ROWS, parameters, place, stored};
use super::values;
use crate::Result;
use crate::convert::{Stamp, micros, sql};
use crate::pool::Params;

/// Number of blocks that are recomputed at once. The parts of these blocks are in memory, up to 1,440 buckets for each block.
const AT_ONCE: usize = 128;
/// Number of points whose days are recomputed at once.
const DAYS_AT_ONCE: usize = 256;

/// A block of one point, by its start.
type Key = (PointId, Micros);
/// The buckets of a block, by their starts.
type Buckets = Vec<(Micros, Bucket)>;

/// Recomputes the buckets of a resolution in ranges, which are whole buckets (for days: whole minutes) and do not overlap. Returns the number of buckets that
/// are new or have more values than before.
pub(super) async fn recompute(transaction: &Transaction<'_>, of: Resolution, ranges: &[Range]) -> Result<u64> {
    let measurands = measurands(transaction, ranges).await?;
    let (keys, finer) = match of {
        Resolution::Raw => return Ok(0),
        Resolution::Day => return recompute_days(transaction, &measurands, ranges).await,
        Resolution::Minute => (hours_with_values(transaction, ranges).await?, None),
        Resolution::TenMinutes => (blocks_with_buckets(transaction, of, Resolution::Minute, ranges).await?, Some(Resolution::Minute)),
        Resolution::Hour => (blocks_with_buckets(transaction, of, Resolution::TenMinutes, ranges).await?, Some(Resolution::TenMinutes)),
    };
    let powers: BTreeSet<PointId> = measurands.iter().filter(|measurand| measurand.is_power).map(|measurand| measurand.point).collect();
    let limits: HashMap<PointId, Option<i64>> = measurands.iter().map(|measurand| (measurand.point, measurand.limit_ms)).collect();
    let mut changed = 0;
    for keys in keys.chunks(AT_ONCE) {
        let limit_of = |key: usize| limits.get(&keys[key].0).copied().flatten();
        let mut courses: BTreeMap<usize, Course> = BTreeMap::new();
        let recomputed = match finer {
            None => from_values(transaction, keys, limit_of).await?,
            Some(finer) => {
                let visit = |key: usize, start: Micros, bucket: &Bucket| {
                    let (point, day) = keys[key];
                    if finer == Resolution::Minute && powers.contains(&point) {
                        courses.entry(key).or_default().add(day, start, bucket, limit_of(key));
                    }
                };
                from_finer(transaction, of, finer, keys, limit_of, visit).await?
            }
        };
        let demand: BTreeMap<Key, Quarters> = courses.iter().map(|(key, course)| (keys[*key], course.quarters())).collect();
        if !demand.is_empty() {
            quarters::put(transaction, &demand).await?;
        }
        let mut stored = stored(transaction, of, keys).await?;
        for (stored, recomputed) in stored.iter_mut().zip(&recomputed) {
            changed += update(stored, recomputed) as u64;
        }
        let packed: Vec<(PointId, &[(Micros, Bucket)])> = keys.iter().zip(&stored).map(|(key, stored)| (key.0, &stored[..])).collect();
        rows::put(transaction, of, &packed).await?;
    }
    Ok(changed)
}

/// A point whose history has rollups.
struct Measurand {
    point: PointId,
    /// Maximum time for which a value is valid, ms; `None` for no limit.
    limit_ms: Option<i64>,
    /// Whether it is the power of an asset, from which demand is computed.
    is_power: bool,
    /// Time zone of its utility.
    zone: String,
}

async fn measurands(transaction: &Transaction<'_>, ranges: &[Range]) -> Result<Vec<Measurand>> {
    let blocks: BTreeSet<i64> = ranges.iter().map(|range| range.block).collect();
    let blocks: Vec<i64> = blocks.into_iter().collect();
    let rows = transaction.query(sql!("history/measurands"), &[&blocks]).await?;
    let read = |row: &Row| {
        Ok(Measurand {
            point: PointId(row.try_get("id")?),
            limit_ms: age_limit_ms(row.try_get("expected_ms")?),
            is_power: row.try_get("is_power")?,
            zone: row.try_get("zone")?,
        })
    };
    rows.iter().map(read).collect()
}

/// Returns the hours in which a minute has more values than its stored bucket.
async fn hours_with_values(transaction: &Transaction<'_>, ranges: &[Range]) -> Result<Vec<Key>> {
    let (blocks, starts, ends) = columns(ranges);
    let rows = transaction.query(sql!("history/values_to_pack"), &[&blocks, &starts, &ends]).await?;
    let mut keys: Vec<Key> =
        rows.iter().map(|row| Ok((PointId(row.try_get("point_id")?), micros(row, "start")?))).collect::<Result<_>>()?;
    keys.sort_unstable();
    Ok(keys)
}

/// Returns the blocks in which a bucket has fewer values than the finer buckets within it.
async fn blocks_with_buckets(transaction: &Transaction<'_>, of: Resolution, finer: Resolution, ranges: &[Range]) -> Result<Vec<Key>> {
    let (layout, mut counted) = (rows::layout(of)?, HashMap::<Key, (i64, i64)>::new());
    for each in [finer, of] {
        let block_ms = rows::layout(each)?.block_ms();
        // Whole blocks, each once.
        let ranges = merged(ranges.iter().map(|range| range.aligned(block_ms)).collect());
        let (blocks, starts, ends) = columns(&ranges);
        for row in transaction.query(COUNTS.of(each)?, &[&blocks, &starts, &ends]).await? {
            let (point, start) = (PointId(row.try_get(0)?), row.try_get::<_, Stamp>(1)?.0);
            for (slot, n) in row.try_get::<_, Vec<Option<i32>>>(2)?.into_iter().enumerate() {
                let bucket = floor(start.plus_millis(slot as i64 * each.ms()), of.ms());
                let (parts, stored) = counted.entry((point, bucket)).or_default();
                *(if each == of { stored } else { parts }) += i64::from(n.unwrap_or(0));
            }
        }
    }
    let more = counted.iter().filter(|(_, (parts, stored))| parts > stored);
    let keys: BTreeSet<Key> = more.map(|((point, bucket), _)| (*point, layout.block(*bucket))).collect();
    Ok(keys.into_iter().collect())
}

async fn from_values(transaction: &Transaction<'_>, keys: &[Key], limit_of: impl Fn(usize) -> Option<i64>) -> Result<Vec<Buckets>> {
    let mut found = vec![Buckets::new(); keys.len()];
    let (points, starts, ends) = parameters(keys, rows::layout(Resolution::Minute)?.block_ms());
    let statement = transaction.prepare(sql!("history/values_of")).await?;
    // Read one by one: a block may have many values.
    let params: Params<'_> = &[&points, &starts, &ends];
    let rows = transaction.query_raw(&statement, params.to_vec()).await?;
    pin_mut!(rows);
    while let Some(row) = rows.try_next().await? {
        let (at, bucket) = values::read(&row)?;
        let key = place(&row, values::NEXT_COLUMN)?;
        add(&mut found[key], floor(at, Resolution::Minute.ms()), &bucket, limit_of(key));
    }
    Ok(found)
}

async fn from_finer(
    transaction: &Transaction<'_>,
    of: Resolution,
    finer: Resolution,
    keys: &[Key],
    limit_of: impl Fn(usize) -> Option<i64>,
    mut visit: impl FnMut(usize, Micros, &Bucket),
) -> Result<Vec<Buckets>> {
    let mut found = vec![Buckets::new(); keys.len()];
    let (points, starts, ends) = parameters(keys, rows::layout(of)?.block_ms());
    let layout = rows::layout(finer)?;
    for row in transaction.query(ROWS.of(finer)?, &[&points, &starts, &ends]).await? {
        let key = place(&row, rows::NEXT_COLUMN)?;
        for (start, bucket) in rows::read(layout, &row)?.1 {
            visit(key, start, &bucket);
            add(&mut found[key], floor(start, of.ms()), &bucket, limit_of(key));
        }
    }
    Ok(found)
}

/// The days of one point around a range.
struct Span<'a> {
    measurand: &'a Measurand,
    /// Midnights, from the last one at or before the range to the first one at or after it.
    edges: &'a [Micros],
}

/// Recomputes all days that the ranges touch, in the time zone of each point's utility. They are computed from buckets of ten minutes, because some time zones
/// differ from UTC by a part of an hour.
async fn recompute_days(transaction: &Transaction<'_>, measurands: &[Measurand], ranges: &[Range]) -> Result<u64> {
    let mut edges: HashMap<(Range, &str), Vec<Micros>> = HashMap::new();
    let mut pairs: Vec<(Range, &Measurand)> = Vec::new();
    for range in ranges {
        pairs.extend(measurands.iter().filter(|measurand| block(measurand.point) == range.block).map(|measurand| (*range, measurand)));
    }
    for (range, measurand) in &pairs {
        if !edges.contains_key(&(*range, &measurand.zone[..])) {
            let rows = transaction.query(sql!("history/days"), &[&measurand.zone, &Stamp(range.lo), &Stamp(range.hi)]).await?;
            edges.insert((*range, &measurand.zone), rows.iter().map(|row| micros(row, "start")).collect::<Result<_>>()?);
        }
    }
    let spans: Vec<Span<'_>> = pairs
        .iter()
        .filter_map(|(range, measurand)| Some(Span { measurand, edges: edges.get(&(*range, &measurand.zone[..]))? }))
        .filter(|span| span.edges.len() > 1)
        .collect();
    let mut changed = 0;
    for spans in spans.chunks(DAYS_AT_ONCE) {
        let days = days_of(transaction, spans).await?;
        changed += days::put(transaction, sql!("history/update_1d"), &days).await?;
    }
    Ok(changed)
}

async fn days_of(transaction: &Transaction<'_>, spans: &[Span<'_>]) -> Result<Days> {
    let layout = rows::layout(Resolution::TenMinutes)?;
    let points: Vec<i64> = spans.iter().map(|span| span.measurand.point.0).collect();
    let starts: Vec<Stamp> = spans.iter().map(|span| Stamp(layout.block(span.edges[0]))).collect();
    let ends: Vec<Stamp> = spans.iter().map(|span| Stamp(span.edges[span.edges.len() - 1])).collect();
    let mut found = vec![Buckets::new(); spans.len()];
    for row in transaction.query(ROWS.of(Resolution::TenMinutes)?, &[&points, &starts, &ends]).await? {
        let at = place(&row, rows::NEXT_COLUMN)?;
        let Span { measurand, edges } = &spans[at];
        for (start, bucket) in rows::read(layout, &row)?.1 {
            let next = edges.partition_point(|edge| *edge <= start);
            if next > 0 && next < edges.len() {
                add(&mut found[at], edges[next - 1], &bucket, measurand.limit_ms);
            }
        }
    }
    // Two ranges may touch the same day.
    Ok(spans
        .iter()
        .zip(found)
        .flat_map(|(span, days)| days.into_iter().map(|(start, bucket)| ((span.measurand.point, start), bucket)))
        .collect())
}
