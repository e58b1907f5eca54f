//! SS_DAILY_LOG_SHEET and ASSET_HOURLY_LOG_SHEET: the hourly log of a substation's lines, busbars and transformers.

use std::collections::HashMap;

use grid::AssetId;
use grid::thermal::{Sample, hot_spot};
use store::kept::Level;
use store::rating::RatingRecord;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::logged::{Hour, Logged, TRANSFORMERS, put};
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop};
use crate::valid_request::ValidRequest;

/// Asset types of a log sheet (specification 2, section 9): feeders, power transformers, incoming lines, distribution transformers, busbars.
pub(crate) const LOGGED: [i32; 5] = [1, 2, 4, 5, 12];
const HOUR_MS: i64 = 3_600_000;
const MEAN: &str = "Mean over the known time of the hour";

pub(crate) static SUBSTATION: Definition = Definition {
    id: 10,
    key: "SS_DAILY_LOG_SHEET",
    name: "Substation Daily Log Sheet",
    about: "One row for each asset and hour of the utility's clock: feeders, incoming lines, transformers and busbars with measurands, by day, substation, \
            asset and hour. As PDF, one page for each substation and day, with hours down and equipment across. Hours are made of ten minutes, each of which belongs to the hour in which it begins. If ten minutes are no longer kept, they are \
            made of hours of UTC. A value reported by exception is valid until the next one while its link is online.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Hour],
    columns: &[
        Column::time("Hour", "The start of the hour"),
        Column::text("Substation", "The substation of the asset"),
        Column::text("Asset", "The feeder, line, transformer or busbar"),
        Column::number("Voltage", "kV", 2, "Between phases: mean of V, otherwise the mean of Vry, Vyb and Vbr as far as they are known"),
        Column::number("Current R", "A", 1, "Mean of Ir over the known time"),
        Column::number("Current Y", "A", 1, "Mean of Iy over the known time"),
        Column::number("Current B", "A", 1, "Mean of Ib over the known time"),
        Column::number("Active power", "MW", 3, "Mean of P over the known time"),
        Column::number("Reactive power", "MVAr", 3, "Mean of Q over the known time"),
        Column::number("Power factor", "", 3, "Mean of Pf, otherwise |P| / sqrt(P² + Q²) of the two means"),
        Column::number("Frequency", "Hz", 2, "Mean of Hz; if the asset does not measure it, of the substation's first point that does"),
        Column::number("Tap", "", 0, "The last tap position of the hour"),
        Column::number("Oil temperature", "°C", 1, "Mean of OTI"),
        Column::number("Winding temperature", "°C", 1, "Mean of WTI"),
        Column::number(
            "Energy",
            "kWh",
            1,
            "Register EImp − EExp at the end of the hour minus that at its start; empty if a part is not known",
        ),
    ],
    rows: |request, rows| -> Running { Box::pin(substation(request, rows)) },
};

pub(crate) static TRANSFORMER: Definition = Definition {
    id: 15,
    key: "ASSET_HOURLY_LOG_SHEET",
    name: "Transformer Hourly Log Sheet",
    about: "One row for each transformer and hour of the utility's clock, by day, substation, transformer and hour. Hours are made of ten minutes, each of \
            which belongs to the hour in which it begins. If ten minutes are no longer kept, they are made of hours of UTC. A value reported by exception is \
            valid until the next one while its link is online.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Hour],
    columns: &[
        Column::time("Hour", "The start of the hour"),
        Column::text("Substation", "The substation of the transformer"),
        Column::text("Transformer", "The transformer"),
        Column::number("Load", "MVA", 3, "Mean of S, otherwise sqrt(P² + Q²) of the two means"),
        Column::number("Loading", "%", 1, "100 x Load / rated power, if a rating is entered"),
        Column::number("Active power", "MW", 3, MEAN),
        Column::number("Reactive power", "MVAr", 3, MEAN),
        Column::number("Power factor", "", 3, "Mean of Pf, otherwise |P| / sqrt(P² + Q²) of the two means"),
        Column::number("Current R", "A", 1, MEAN),
        Column::number("Current Y", "A", 1, MEAN),
        Column::number("Current B", "A", 1, MEAN),
        Column::number("Oil temperature", "°C", 1, "Mean of OTI"),
        Column::number("Winding temperature", "°C", 1, "Mean of WTI"),
        Column::number(
            "Ambient temperature",
            "°C",
            1,
            "Mean of AmbT; if the transformer does not measure it, of the substation's first point that does",
        ),
        Column::number("Tap", "", 0, "The last tap position of the hour"),
        Column::number("Oil level", "%", 0, "The last oil level of the hour"),
        Column::number(
            "Hot spot",
            "°C",
            1,
            "Winding temperature, which indicates the hot spot; otherwise oil temperature plus the steady-state rise of the load (IEC 60076-7), if a rating is \
             entered",
        ),
        Column::number(
            "Ageing rate",
            "",
            3,
            "How many times as fast as at the reference temperature the insulation ages at the hot spot (IEC 60076-7, IEEE C57.91), if a rating is entered",
        ),
    ],
    rows: |request, rows| -> Running { Box::pin(transformers(request, rows)) },
};

async fn substation(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let logged = Logged::all(&request, &LOGGED);
    put(&request, &rows, &logged, |hour| {
        vec![
            hour.start.into(),
            hour.of.location.as_str().into(),
            hour.of.asset.name.as_str().into(),
            hour.kilovolts().into(),
            hour.mean("Ir").into(),
            hour.mean("Iy").into(),
            hour.mean("Ib").into(),
            hour.mega("P").into(),
            hour.mega("Q").into(),
            hour.power_factor().into(),
            hour.mean("Hz").into(),
            hour.last("Tap").into(),
            hour.mean("OTI").into(),
            hour.mean("WTI").into(),
            hour.energy.into(),
        ]
    })
    .await
}

async fn transformers(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let plates = request.reports.store().plates(request.client(), None).await?;
    let ratings: HashMap<AssetId, RatingRecord> = plates.iter().map(|(asset, plate)| (*asset, plate.record())).collect();
    let logged = Logged::all(&request, &TRANSFORMERS);
    put(&request, &rows, &logged, |hour| transformer(hour, ratings.get(&hour.of.asset.id))).await
}

fn transformer(hour: &Hour<'_>, rating: Option<&RatingRecord>) -> Row {
    let mva = hour.mva();
    let (oil, winding, ambient) = (hour.mean("OTI"), hour.mean("WTI"), hour.mean("AmbT"));
    let sample = Sample { at: hour.start, length_ms: HOUR_MS, ambient, oil, winding, mva };
    let hot = winding.or_else(|| hot_spot(&rating?.rating, &sample));
    let loading = mva.zip(rating).map(|(mva, rating)| 100.0 * mva / rating.rating.mva);
    let ageing = hot.zip(rating).map(|(hot, rating)| rating.rating.paper.rate(hot));
    vec![
        hour.start.into(),
        hour.of.location.as_str().into(),
        hour.of.asset.name.as_str().into(),
        mva.into(),
        loading.into(),
        hour.mega("P").into(),
        hour.mega("Q").into(),
        hour.power_factor().into(),
        hour.mean("Ir").into(),
        hour.mean("Iy").into(),
        hour.mean("Ib").into(),
        oil.into(),
        winding.into(),
        ambient.into(),
        hour.last("Tap").into(),
        hour.last("OilLevel").into(),
        hot.into(),
        ageing.into(),
    ]
}
