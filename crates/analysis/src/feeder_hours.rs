//! The demand of a feeder by hour of the day. The hours are local and do not always begin at full hours of UTC.

use grid::downsample::{Bucket, Resolution};
use grid::{ClientId, Micros, Point};
use store::Store;
use store::series::Wanted;
use wire::curves::FeederHour;

use crate::calendar::Calendar;
use crate::hours_of_day::HoursOfDay;

/// Factor from MW, the unit of stored power, to kW, the unit for assets.
pub const KW: f64 = 1_000.0;
/// Maximum number of buckets. It is enough for ten years in buckets of an hour, or three years in buckets of ten minutes.
const BUCKETS_MAX: i64 = 160_000;

/// Returns the demand by hour of the day in 24 rows, or the reason why there is none.
pub async fn read(
    store: &Store,
    client: ClientId,
    power: Option<&Point>,
    (from, to): (Micros, Micros),
    calendar: &Calendar,
) -> store::Result<Result<Vec<FeederHour>, &'static str>> {
    let Some(power) = power else { return Ok(Err("no_data")) };
    // In a zone such as India's, an hour of UTC extends over two local hours. Ten-minute buckets are exact to five minutes for zones with
    // offsets of a quarter of an hour.
    let of = if calendar.has_whole_hours(from, to) { Resolution::Hour } else { Resolution::TenMinutes };
    if to.millis_since(from) / of.ms() > BUCKETS_MAX {
        return Ok(Err("too_long"));
    }
    if store.finest(client, &[power.id], of, from).await? != of {
        return Ok(Err("not_kept"));
    }
    let read = store.registers(client, &[power.id], (from, to), Wanted::Of(of)).await?;
    let cells = read.lines.first().map_or(&[][..], |line| &line.cells);
    let hours = fold(read.edges.iter().copied().zip(cells).take(read.count), calendar);
    Ok(if hours.iter().all(|hour| hour.mean.is_none()) { Err("no_data") } else { Ok(hours) })
}

fn fold<'a>(buckets: impl Iterator<Item = (Micros, &'a Option<Bucket>)>, calendar: &Calendar) -> Vec<FeederHour> {
    let mut hours_of_day = HoursOfDay::of(calendar.clone());
    let mut hours: [(f64, u32, Option<f64>, Option<f64>); 24] = [(0.0, 0, None, None); 24];
    for (start, bucket) in buckets.filter_map(|(start, cell)| Some((start, cell.as_ref()?))) {
        let (sum, count, min, max) = &mut hours[usize::from(hours_of_day.at(start))];
        if let (Some(mean), Some(least), Some(most)) = (bucket.mean(), bucket.min, bucket.max) {
            *sum += mean;
            *count += 1;
            *min = Some(min.map_or(least, |min| min.min(least)));
            *max = Some(max.map_or(most, |max| max.max(most)));
        }
    }
    let row = |(hour, (sum, count, min, max)): (u8, (f64, u32, Option<f64>, Option<f64>))| FeederHour {
        hour,
        min: min.map(|min| min * KW),
        mean: (count > 0).then(|| KW * sum / f64::from(count)),
        max: max.map(|max| max * KW),
    };
    (0..24).zip(hours).map(row).collect()
}
