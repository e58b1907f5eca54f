//! SS_TRANSFORMER_LOSS: energy into and out of each transformer and its losses, by days, from the registers on both sides.

use std::collections::{HashMap, HashSet};

use analysis::energy_meters::{Meter, Metered, meters};
use grid::energy::losses::parts_of_loss;
use grid::{AssetId, Point, PointId, Scope};
use identity::Area;
use store::kept::Level;
use store::rating::EnteredRating;
use store::registry::AssetRecord;
use wire::flag::Flag;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::error::Error;
use crate::logged::TRANSFORMERS;
use crate::measured::{Length, Measured, Slots, kilo_power, parts};
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop};
use crate::valid_request::ValidRequest;
use crate::value_days::ValueDays;

pub(crate) static TRANSFORMER_LOSS: Definition = Definition {
    id: 17,
    key: "SS_TRANSFORMER_LOSS",
    name: "Transformer Loss",
    about: "One row for each transformer and past day of the utility's clock, by substation, transformer and day. The meters of a transformer are those of its \
            own bay (assets of its device): energy enters at its own voltage and leaves at a lower one. If it lacks one of them and is the only transformer of \
            its substation, all incoming lines and all feeders of the substation are used instead.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Day],
    columns: &[
        Column::text("Substation", "The substation of the transformer"),
        Column::text("Transformer", "The transformer"),
        Column::day("Day", "The day of the utility's clock"),
        Column::number("Energy in", "kWh", 1, "Registers of the high side (EImp − EExp), from the start of the day to its end"),
        Column::number("Energy out", "kWh", 1, "The same for the low side"),
        Column::number("Loss", "kWh", 1, "Energy in - Energy out"),
        Column::number("Efficiency", "%", 2, "100 x Energy out / Energy in, if energy entered"),
        Column::number(
            "Mean loading",
            "%",
            1,
            "Mean of the hourly apparent power / rated power, if a rating is entered and every hour is known",
        ),
        Column::number(
            "No-load loss, calculated",
            "kWh",
            1,
            "Not measured: Loss / (1 + R x mean of the squared loading of the hours), if R, the ratio of losses of the rating, is entered",
        ),
        Column::number("Load loss, calculated", "kWh", 1, "Loss - No-load loss, calculated"),
        Column::text(
            "Remarks",
            "Whether one side has no meter, a register is not known over the whole day, more energy went out than came in, or lines and feeders of the substation \
             replace the transformer's own meters",
        ),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

/// Number of days in one query: a month has about fifteen thousand values of ten minutes.
const DAYS_AT_ONCE: usize = 31;

/// A day as one row, and by its hours.
type Day = (Slots, Slots);

/// A transformer with the meters on both sides.
struct Sides {
    asset: AssetRecord,
    location: String,
    ins: Vec<Meter>,
    outs: Vec<Meter>,
    is_of_station: bool,
    /// The points of P, Q and S.
    powers: [Option<Point>; 3],
}

impl Sides {
    fn is_metered(&self) -> bool {
        !self.ins.is_empty() && !self.outs.is_empty()
    }

    fn meters(&self) -> impl Iterator<Item = &Meter> {
        self.ins.iter().chain(&self.outs)
    }

    fn ids(&self) -> impl Iterator<Item = PointId> {
        self.meters().flat_map(Meter::points).chain(self.powers.iter().flatten().map(|point| point.id))
    }
}

/// Returns the requested transformers, sorted by substation and name.
async fn sides(request: &ValidRequest) -> Result<Vec<Sides>, Error> {
    let field = &request.view.field;
    let meters = meters(&request.view);
    let (locations, only) = request.place();
    let mut found = Vec::new();
    for location in locations {
        let mut all: Vec<&AssetRecord> = field.assets_at(location).filter(|asset| TRANSFORMERS.contains(&asset.type_id)).collect();
        all.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        let is_alone = all.len() == 1;
        for asset in all.into_iter().filter(|asset| only.as_ref().is_none_or(|only| only.contains(&asset.id))) {
            let (mut ins, mut outs) = bay(request, asset, &meters);
            let is_of_station = is_alone && (ins.is_empty() || outs.is_empty());
            if is_of_station {
                let metered = Metered::of(request.reports.store(), &request.view, Area(Some(Scope::Node(location)))).await?;
                if let Some(station) = metered.stations.into_iter().next() {
                    (ins, outs) = (station.ins, station.outs);
                }
            }
            let own = |code: &str| {
                let points = field.points_at(location).filter(|point| point.asset == asset.id && point.code == code);
                points.min_by_key(|point| point.id).cloned()
            };
            let powers = ["P", "Q", "S"].map(own);
            found.push(Sides { asset: asset.clone(), location: request.location_name(location), ins, outs, is_of_station, powers });
        }
    }
    Ok(found)
}

/// Returns the meters of a transformer's own bay, meters of the high side first. If a meter has no voltage, its side is unknown.
fn bay(request: &ValidRequest, transformer: &AssetRecord, meters: &HashMap<AssetId, Meter>) -> (Vec<Meter>, Vec<Meter>) {
    let (mut ins, mut outs) = (Vec::new(), Vec::new());
    let Some(high) = transformer.kv else { return (ins, outs) };
    for asset in request.view.field.assets_at(transformer.location).filter(|asset| asset.device == transformer.device) {
        let (Some(kv), Some(meter)) = (asset.kv, meters.get(&asset.id)) else { continue };
        if kv < high { &mut outs } else { &mut ins }.push(meter.clone());
    }
    (ins, outs)
}

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let plates: HashMap<AssetId, EnteredRating> = request.reports.store().plates(request.client(), None).await?.into_iter().collect();
    let days: Vec<Day> = Slots::days(&request, Length::Day).into_iter().zip(Slots::days(&request, Length::Hour)).collect();
    for sides in sides(&request).await? {
        let slowest = sides.meters().map(|meter| meter.expected_ms).max().unwrap_or(0);
        let settled = request.calendar.now.plus_millis(-settles_ms(slowest));
        let over = days.partition_point(|(day, _)| day.edges[day.edges.len() - 1] <= settled);
        let plate = plates.get(&sides.asset.id);
        let all: HashSet<PointId> = sides.ids().collect();
        let mut value_days = ValueDays::new(&request, request.points(&all)).with_held();
        for part in days[..over].chunks(DAYS_AT_ONCE) {
            let present = match Slots::joined(part.iter().map(|(day, _)| day)) {
                Some(whole) => value_days.within(whole.reach()).await?,
                None => HashSet::new(),
            };
            let energies = energies(&request, &sides, part, &present).await?;
            let loads = match plate {
                Some(plate) => loads(&request, &sides, part, plate.mva, &present).await?,
                None => vec![None; part.len()],
            };
            for (((day, _), energies), loads) in part.iter().zip(energies).zip(loads) {
                rows.put(row(&sides, day, energies, plate, loads.as_deref())).await?;
            }
        }
    }
    Ok(())
}

/// Returns the time after the end of a day at which all registers have certainly been read again, ms.
fn settles_ms(slowest_ms: i64) -> i64 {
    const MINUTE_MS: i64 = 60_000;
    slowest_ms.clamp(0, 60 * MINUTE_MS) + MINUTE_MS
}

/// Returns the energy into and out of a transformer, kWh by day; `None` if a meter is missing or its count is unknown.
async fn energies(
    request: &ValidRequest,
    sides: &Sides,
    days: &[Day],
    present: &HashSet<PointId>,
) -> Result<Vec<(Option<f64>, Option<f64>)>, Error> {
    let whole = Slots::joined(days.iter().map(|(day, _)| day)).filter(|_| sides.is_metered());
    let Some(whole) = whole else { return Ok(vec![(None, None); days.len()]) };
    let mut sums = vec![(Some(0.0), Some(0.0)); days.len()];
    let meters: Vec<(&Meter, bool)> =
        sides.ins.iter().map(|meter| (meter, true)).chain(sides.outs.iter().map(|meter| (meter, false))).collect();
    for part in parts(&meters, 2) {
        let points: Vec<PointId> = part.iter().flat_map(|(meter, _)| meter.points()).collect();
        let measured = Measured::read_if_any(request, &points, &whole, present).await?;
        for (meter, goes_in) in part {
            for ((energy_in, energy_out), counted) in sums.iter_mut().zip(measured.energy(meter)) {
                let sum = if *goes_in { energy_in } else { energy_out };
                *sum = sum.zip(counted).map(|(sum, counted)| sum + counted);
            }
        }
    }
    Ok(sums)
}

/// Returns the load of each hour in relation to the rating, by day; `None` if one hour of the day is unknown.
async fn loads(
    request: &ValidRequest,
    sides: &Sides,
    days: &[Day],
    rated_mva: f64,
    present: &HashSet<PointId>,
) -> Result<Vec<Option<Vec<f64>>>, Error> {
    let ids: Vec<PointId> = sides.powers.iter().flatten().map(|point| point.id).collect();
    let whole = Slots::joined(days.iter().map(|(_, hours)| hours)).filter(|_| !ids.is_empty());
    let Some(whole) = whole else { return Ok(vec![None; days.len()]) };
    let measured = Measured::read_if_any(request, &ids, &whole, present).await?;
    let means = |point: &Option<Point>| -> Vec<Option<f64>> {
        let Some((point, kilo)) = point.as_ref().and_then(|point| Some((point, kilo_power(&point.unit)?))) else {
            return vec![None; whole.starts().len()];
        };
        measured.buckets(point.id).iter().map(|bucket| Some(bucket.as_ref()?.mean()? * kilo / 1_000.0)).collect()
    };
    let [active, reactive, apparent] = [means(&sides.powers[0]), means(&sides.powers[1]), means(&sides.powers[2])];
    let load = |nth: usize| Some(apparent[nth].or_else(|| Some(active[nth]?.hypot(reactive[nth]?)))? / rated_mva);
    let mut first = 0;
    let of_day = |(_, hours): &Day| {
        let of = first..first + hours.starts().len();
        first = of.end;
        of.map(load).collect()
    };
    Ok(days.iter().map(of_day).collect())
}

fn row(
    sides: &Sides,
    day: &Slots,
    (energy_in, energy_out): (Option<f64>, Option<f64>),
    plate: Option<&EnteredRating>,
    loads: Option<&[f64]>,
) -> Row {
    let both = energy_in.zip(energy_out);
    let loss = both.map(|(energy_in, energy_out)| energy_in - energy_out);
    let efficiency = both.and_then(|(energy_in, energy_out)| (energy_in > 0.0).then(|| 100.0 * energy_out / energy_in));
    let loading = loads.filter(|loads| !loads.is_empty()).map(|loads| 100.0 * loads.iter().sum::<f64>() / loads.len() as f64);
    // Without an entered loss ratio, the losses are not split: with a default ratio the result would not be based on measurements.
    let ratio = plate.and_then(|plate| plate.given.loss_ratio);
    let split = loss.zip(ratio).zip(loads).and_then(|((loss, ratio), loads)| parts_of_loss(loss, ratio, loads));
    let remarks = Flag::that_apply([
        (!sides.is_metered(), Flag::NotMetered),
        (sides.is_metered() && both.is_none(), Flag::NoData),
        (loss.is_some_and(|loss| loss < 0.0), Flag::NegativeLoss),
        (sides.is_metered() && sides.is_of_station, Flag::StationMeters),
    ]);
    vec![
        sides.location.as_str().into(),
        sides.asset.name.as_str().into(),
        day.edges[0].into(),
        energy_in.into(),
        energy_out.into(),
        loss.into(),
        efficiency.into(),
        loading.into(),
        split.map(|(no_load, _)| no_load).into(),
        split.map(|(_, load)| load).into(),
        Flag::list(remarks).into(),
    ]
}
