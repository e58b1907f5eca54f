//! The data of log sheets: the values of assets by hours of local time. One day of some assets is read at a time.

use std::collections::HashSet;

use analysis::energy_meters::{Meter, meters};
use grid::downsample::Bucket;
use grid::{Micros, Point, PointId};
use store::registry::AssetRecord;

use crate::measured::{Length, Measured, Slots, kilo_power, parts};
use crate::rows::{Row, Rows, Stop};
use crate::valid_request::ValidRequest;
use crate::value_days::ValueDays;

/// The codes of the points that are read. If an asset has a code twice, the point with the lower id is used.
pub(crate) const CODES: [&str; 17] =
    ["P", "Q", "S", "Pf", "Ir", "Iy", "Ib", "V", "Vry", "Vyb", "Vbr", "Hz", "Tap", "OTI", "WTI", "AmbT", "OilLevel"];
/// Codes whose values apply to the whole substation. An asset without such a point uses that of another asset.
const SHARED: [&str; 2] = ["Hz", "AmbT"];
/// Asset types (specification 2, section 9).
pub(crate) const TRANSFORMERS: [i32; 2] = [2, 5];

/// An asset with rows in a log sheet.
pub(crate) struct Logged {
    pub asset: AssetRecord,
    pub location: String,
    points: [Option<Point>; CODES.len()],
    meter: Option<Meter>,
}

/// Number of points of an asset: one for each code, and two registers.
const POINTS_EACH: usize = CODES.len() + 2;

impl Logged {
    /// Returns the requested assets of some types that have points of their own, sorted by substation and name.
    pub(crate) fn all(request: &ValidRequest, types: &[i32]) -> Vec<Self> {
        let field = &request.view.field;
        let (locations, only) = request.place();
        let meters = meters(&request.view);
        let mut found = Vec::new();
        for location in locations {
            let name = request.location_name(location);
            let points: Vec<&Point> = field.points_at(location).filter(|point| CODES.contains(&point.code.as_str())).collect();
            let is_requested =
                |asset: &&AssetRecord| types.contains(&asset.type_id) && only.as_ref().is_none_or(|only| only.contains(&asset.id));
            let mut assets: Vec<&AssetRecord> = field.assets_at(location).filter(is_requested).collect();
            assets.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
            for asset in assets {
                let first = |code: &str, of_yard: bool| {
                    let points = points.iter().filter(|point| point.code == code && (of_yard || point.asset == asset.id));
                    points.min_by_key(|point| point.id).map(|point| (*point).clone())
                };
                let own = CODES.map(|code| first(code, false));
                if own.iter().all(Option::is_none) {
                    continue;
                }
                let mut points = own;
                for (code, point) in CODES.iter().zip(&mut points) {
                    if point.is_none() && SHARED.contains(code) {
                        *point = first(code, true);
                    }
                }
                found.push(Self { asset: asset.clone(), location: name.clone(), points, meter: meters.get(&asset.id).cloned() });
            }
        }
        found
    }

    fn ids(&self) -> impl Iterator<Item = PointId> {
        self.points.iter().flatten().map(|point| point.id).chain(self.meter.iter().flat_map(Meter::points))
    }

    fn at(&self, code: &str) -> Option<(usize, &Point)> {
        let nth = CODES.iter().position(|known| *known == code)?;
        Some((nth, self.points[nth].as_ref()?))
    }
}

/// The values of an asset in one hour.
pub(crate) struct Hour<'a> {
    pub of: &'a Logged,
    pub start: Micros,
    /// The net energy towards the load, kWh.
    pub energy: Option<f64>,
    values: &'a [Vec<Option<Bucket>>],
    nth: usize,
}

impl Hour<'_> {
    fn bucket(&self, code: &str) -> Option<(Bucket, &Point)> {
        let (nth, point) = self.of.at(code)?;
        Some((self.values[nth][self.nth]?, point))
    }

    /// Returns the mean over the time for which the value is known, in the unit of the point.
    pub(crate) fn mean(&self, code: &str) -> Option<f64> {
        self.bucket(code)?.0.mean()
    }

    /// Returns the last value.
    pub(crate) fn last(&self, code: &str) -> Option<f64> {
        self.bucket(code)?.0.last.map(|(_, value)| value)
    }

    /// Returns the mean of a power in MW, MVAr or MVA.
    pub(crate) fn mega(&self, code: &str) -> Option<f64> {
        let (bucket, point) = self.bucket(code)?;
        Some(bucket.mean()? * kilo_power(&point.unit)? / 1_000.0)
    }

    /// Returns the apparent power, MVA. It is computed from active and reactive power if it is not measured.
    pub(crate) fn mva(&self) -> Option<f64> {
        self.mega("S").or_else(|| Some(self.mega("P")?.hypot(self.mega("Q")?)))
    }

    /// Returns the measured power factor, or |P| divided by the apparent power from P and Q.
    pub(crate) fn power_factor(&self) -> Option<f64> {
        let from_powers = || {
            let (active, reactive) = (self.mega("P")?, self.mega("Q")?);
            let apparent = active.hypot(reactive);
            (apparent > 0.0).then(|| active.abs() / apparent)
        };
        self.mean("Pf").or_else(from_powers)
    }

    /// Returns the voltage between phases, kV: `V`, or the mean of the known phase pairs.
    pub(crate) fn kilovolts(&self) -> Option<f64> {
        let of = |code: &str| {
            let (bucket, point) = self.bucket(code)?;
            let kv = match point.unit.as_str() {
                "kV" => 1.0,
                "V" => 1e-3,
                _ => return None,
            };
            Some(bucket.mean()? * kv)
        };
        of("V").or_else(|| {
            let pairs: Vec<f64> = ["Vry", "Vyb", "Vbr"].into_iter().filter_map(of).collect();
            (!pairs.is_empty()).then(|| pairs.iter().sum::<f64>() / pairs.len() as f64)
        })
    }
}

/// Puts a row for each asset and each hour that has started. The rows are sorted by day, asset and hour.
pub(crate) async fn put(
    request: &ValidRequest,
    rows: &Rows,
    logged: &[Logged],
    row: impl Fn(&Hour<'_>) -> Row + Send + Sync,
) -> Result<(), Stop> {
    let all: HashSet<PointId> = logged.iter().flat_map(Logged::ids).collect();
    let mut value_days = ValueDays::new(request, request.points(&all)).with_held();
    for slots in Slots::days(request, Length::Hour) {
        let present = value_days.within(slots.reach()).await?;
        for part in parts(logged, POINTS_EACH) {
            let ids: HashSet<PointId> = part.iter().flat_map(Logged::ids).collect();
            let ids: Vec<PointId> = ids.into_iter().collect();
            let measured = Measured::read_if_any(request, &ids, &slots, &present).await?;
            for of in part {
                let none = || vec![None; slots.starts().len()];
                let read = |point: &Option<Point>| point.as_ref().map_or_else(none, |point| measured.buckets(point.id));
                let values: Vec<Vec<Option<Bucket>>> = of.points.iter().map(read).collect();
                let energy = of.meter.as_ref().map_or_else(|| vec![None; slots.starts().len()], |meter| measured.energy(meter));
                for (nth, start) in slots.starts().iter().enumerate().filter(|(_, start)| **start < request.calendar.now) {
                    rows.put(row(&Hour { of, start: *start, energy: energy[nth], values: &values, nth })).await?;
                }
            }
        }
    }
    Ok(())
}
