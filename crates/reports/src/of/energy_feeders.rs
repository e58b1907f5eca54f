//! EE_HOURLY_FEEDER_LOG and EE_DAILY_FEEDER_DATA: power, current and energy of each feeder, by hours and days of local time. One day is
//! read at a time.

use std::collections::{HashMap, HashSet};

use analysis::calendar::Calendar;
use analysis::demand::{Demand, demand_of_points};
use analysis::energy_meters::{Meter, meters};
use grid::downsample::{Bucket, floor};
use grid::{AssetId, Micros, Point, PointId};
use store::kept::Level;
use store::registry::AssetRecord;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::measured::{Length, Measured, Slots, kilo_power, parts};
use crate::of::ANY;
use crate::rows::{Rows, Stop};
use crate::valid_request::ValidRequest;
use crate::value_days::ValueDays;

/// The codes of the points that are read: powers and phase currents.
const CODES: [&str; 5] = ["P", "Q", "Ir", "Iy", "Ib"];
const MINUTE_MS: i64 = 60_000;
const TEN_MINUTES_MS: i64 = 10 * MINUTE_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Number of points of a feeder: these and two registers.
const POINTS_EACH: usize = 7;

pub(crate) static HOURLY: Definition = Definition {
    id: 12,
    key: "EE_HOURLY_FEEDER_LOG",
    name: "Hourly Feeder Log",
    about: "One row for each feeder and hour, by day, feeder and hour. Hours are made of ten minutes, each of which belongs to the hour in which it begins. If \
            ten minutes are no longer kept, they are made of hours of UTC. A value reported by exception is valid until the next one while its link is online.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Hour],
    columns: &[
        Column::time("Hour", "The start of the hour"),
        Column::text("Substation", "The substation of the feeder"),
        Column::text("Feeder", "The feeder"),
        Column::number("Active power", "kW", 1, "Mean of P over the known time"),
        Column::number("Reactive power", "kVAr", 1, "Mean of Q over the known time"),
        Column::number("Power factor", "", 3, "|P| / sqrt(P² + Q²) of the two means"),
        Column::number("Current R", "A", 1, "Mean of Ir over the known time"),
        Column::number("Current Y", "A", 1, "Mean of Iy over the known time"),
        Column::number("Current B", "A", 1, "Mean of Ib over the known time"),
        Column::number(
            "Energy",
            "kWh",
            1,
            "Register EImp − EExp at the end of the hour minus that at its start; empty if a part is not known",
        ),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows, Length::Hour)) },
};

pub(crate) static DAILY: Definition = Definition {
    id: 11,
    key: "EE_DAILY_FEEDER_DATA",
    name: "Daily Feeder Data",
    about: "One row for each feeder and day of the utility's clock, by day and feeder. A value reported by exception is valid until the next one while its \
            link is online.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Day],
    columns: &[
        Column::day("Day", "The day"),
        Column::text("Substation", "The substation of the feeder"),
        Column::text("Feeder", "The feeder"),
        Column::number(
            "Energy",
            "kWh",
            1,
            "Register EImp − EExp at the end of the day minus that at its start, for the present day at the end of the last ten minutes; empty if a part is not \
             known",
        ),
        Column::number("Mean power", "kW", 1, "Mean of the blocks of demand; if there is none, mean of P over the known time"),
        Column::number("Least power", "kW", 1, "The smallest value of P"),
        Column::number("Peak demand", "kW", 1, "The highest mean of P over a block of the demand-integration period (15 or 30 minutes)"),
        Column::number("Load factor", "%", 1, "100 x Mean power / Peak demand, if the peak is above 0"),
        Column::number("Largest current", "A", 1, "The largest value of Ir, Iy and Ib"),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows, Length::Day)) },
};

/// A feeder with its points.
struct Fed {
    asset: AssetRecord,
    location: String,
    points: [Option<Point>; CODES.len()],
    meter: Option<Meter>,
}

impl Fed {
    fn ids(&self) -> impl Iterator<Item = PointId> {
        self.points.iter().flatten().map(|point| point.id).chain(self.meter.iter().flat_map(Meter::points))
    }
}

fn fed(request: &ValidRequest) -> Vec<Fed> {
    let meters = meters(&request.view);
    // If an asset has two points of one code, the one with the lower id is used.
    let point = |asset: AssetId, code: &str| request.view.field.points_of(asset).find(|point| point.code == code).cloned();
    let feeder = |asset: AssetRecord| Fed {
        location: request.location_name(asset.location),
        points: CODES.map(|code| point(asset.id, code)),
        meter: meters.get(&asset.id).cloned(),
        asset,
    };
    request.feeders().into_iter().map(feeder).collect()
}

async fn read(request: ValidRequest, rows: Rows, length: Length) -> Result<(), Stop> {
    let feeders = fed(&request);
    let all: HashSet<PointId> = feeders.iter().flat_map(Fed::ids).collect();
    let mut value_days = ValueDays::new(&request, request.points(&all)).with_held();
    let settles_ms =
        feeders.iter().filter_map(|fed| fed.meter.as_ref()).map(|meter| meter.expected_ms).max().unwrap_or(0).min(HOUR_MS) + MINUTE_MS;
    let settled = floor(request.calendar.now.plus_millis(-settles_ms), TEN_MINUTES_MS);
    for slots in Slots::days(&request, length) {
        let so_far = slots.so_far(settled).filter(|_| length == Length::Day);
        let present = value_days.within(slots.reach()).await?;
        for part in parts(&feeders, POINTS_EACH) {
            let ids: Vec<PointId> = part.iter().flat_map(Fed::ids).collect();
            if ids.is_empty() {
                continue;
            }
            let measured = Measured::read_if_any(&request, &ids, &slots, &present).await?;
            let running = match &so_far {
                Some(so_far) => {
                    let registers: Vec<PointId> = part.iter().flat_map(|fed| fed.meter.iter().flat_map(Meter::points)).collect();
                    Some(Measured::read_if_any(&request, &registers, so_far, &present).await?)
                }
                None => None,
            };
            let demand = if length == Length::Day { demand(&request, part, &slots, &present).await? } else { HashMap::new() };
            for fed in part {
                put(&rows, (&measured, running.as_ref().unwrap_or(&measured), &demand), &slots, fed, length, request.calendar.now).await?;
            }
        }
    }
    Ok(())
}

/// Returns the demand of the feeders on a day, by the points of their active power.
async fn demand(
    request: &ValidRequest,
    feeders: &[Fed],
    slots: &Slots,
    present: &HashSet<PointId>,
) -> Result<HashMap<PointId, Demand>, Stop> {
    let calendar = Calendar::of(&request.view, request.calendar.now);
    let points: Vec<PointId> =
        feeders.iter().filter_map(|fed| Some(fed.points[0].as_ref()?.id)).filter(|id| present.contains(id)).collect();
    if points.is_empty() {
        return Ok(HashMap::new());
    }
    let span = (slots.edges[0], slots.edges[slots.edges.len() - 1].min(request.calendar.now));
    Ok(demand_of_points(request.reports.store(), &request.view, &calendar, &points, span).await?)
}

async fn put(
    rows: &Rows,
    (measured, registers, demand): (&Measured<'_>, &Measured<'_>, &HashMap<PointId, Demand>),
    slots: &Slots,
    fed: &Fed,
    length: Length,
    now: Micros,
) -> Result<(), Stop> {
    let values: Vec<Vec<Option<Bucket>>> = fed
        .points
        .iter()
        .map(|point| point.as_ref().map_or_else(|| vec![None; slots.starts().len()], |point| measured.buckets(point.id)))
        .collect();
    let energy = fed.meter.as_ref().map_or_else(|| vec![None; slots.starts().len()], |meter| registers.energy(meter));
    for (nth, start) in slots.starts().iter().enumerate().filter(|(_, start)| **start < now) {
        let bucket = |code: usize| values[code][nth];
        // The factor from the unit of a power to kW, kVAr or kVA.
        let kilo = |code: usize| fed.points[code].as_ref().and_then(|point| kilo_power(&point.unit));
        let mean = |code: usize| bucket(code).and_then(|bucket| bucket.mean());
        let power = |code: usize| Some(mean(code)? * kilo(code)?);
        let row = match length {
            Length::Hour => {
                let (p, q) = (power(0), power(1));
                let factor = p.zip(q).and_then(|(p, q)| (p != 0.0 || q != 0.0).then(|| p.abs() / p.hypot(q)));
                vec![
                    (*start).into(),
                    fed.location.as_str().into(),
                    fed.asset.name.as_str().into(),
                    p.into(),
                    q.into(),
                    factor.into(),
                    mean(2).into(),
                    mean(3).into(),
                    mean(4).into(),
                    energy[nth].into(),
                ]
            }
            Length::Day | Length::SoFar => {
                let of = |figure: Option<f64>| Some(figure? * kilo(0)?);
                let least = of(bucket(0).and_then(|bucket| bucket.min));
                let demand = fed.points[0].as_ref().and_then(|point| demand.get(&point.id));
                let peak = of(demand.and_then(Demand::peak).map(|(_, peak)| peak));
                let factor = demand.and_then(Demand::load_factor);
                let current = (2..5).filter_map(|code| bucket(code).and_then(|bucket| bucket.max)).reduce(f64::max);
                vec![
                    (*start).into(),
                    fed.location.as_str().into(),
                    fed.asset.name.as_str().into(),
                    energy[nth].into(),
                    of(demand.and_then(Demand::mean)).or_else(|| power(0)).into(),
                    least.into(),
                    peak.into(),
                    factor.into(),
                    current.into(),
                ]
            }
        };
        rows.put(row).await?;
    }
    Ok(())
}
