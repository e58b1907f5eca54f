//! SS_ENERGY_LOSS: energy into and out of each substation and its losses, by days. The balance is that of the analytics screen.

use analysis::energy_meters::{Metered, substations};
use analysis::energy_sums::{energy, flags};
use grid::downsample::Resolution;
use grid::{Micros, Scope};
use identity::Area;
use store::kept::Level;
use store::series::Wanted;
use wire::flag::Flag;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::rows::{Rows, Stop};
use crate::valid_request::ValidRequest;

pub(crate) static ENERGY_LOSS: Definition = Definition {
    id: 16,
    key: "SS_ENERGY_LOSS",
    name: "Substation Energy Loss",
    about: "One row for each substation and past day, by substation; then the totals of each place with several substations. Energy that one of them passes on to \
            another is counted once. A day counts as far as all meters of the substation are known.",
    frequencies: ANY,
    of: Places::AboveAssets,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Day],
    columns: &[
        Column::text("Substation", "The substation, or Total of a place"),
        Column::day("Day", "The day of the utility's clock"),
        Column::number("Energy in", "kWh", 1, "Registers of the incoming lines (EImp − EExp), from the start of the day to its end"),
        Column::number("Energy out", "kWh", 1, "The same for the feeders"),
        Column::number("Loss", "kWh", 1, "Energy in - Energy out"),
        Column::number("Efficiency", "%", 2, "100 x Energy out / Energy in"),
        Column::number("Coverage", "%", 1, "The share of the day in which all meters are known"),
        Column::text(
            "Remarks",
            "Whether readings are missing, a register was reset or took a step that was not counted, more energy went out than came in, or a line or feeder has no meter",
        ),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let (locations, _) = request.place();
    let to = request.span.1.min(request.calendar.now);
    if request.span.0 >= to {
        return Ok(());
    }
    for location in locations {
        put(&request, &rows, &request.location_name(location), Area(Some(Scope::Node(location))), to).await?;
    }
    // Energy that one substation passes on to another one of the same place is counted once.
    for area in request.areas.iter().filter(|area| substations(&request.view, **area).len() > 1) {
        put(&request, &rows, &format!("Total of {}", request.name_of(*area)), *area, to).await?;
    }
    Ok(())
}

/// Puts the rows of an area: energy that enters and leaves it.
async fn put(request: &ValidRequest, rows: &Rows, name: &str, area: Area, to: Micros) -> Result<(), Stop> {
    let (store, client) = (request.reports.store(), request.client());
    if substations(&request.view, area).is_empty() {
        return Ok(());
    }
    let metered = Metered::of(store, &request.view, area).await?;
    let settled = request.calendar.now.plus_millis(-metered.settles_ms());
    let energy = energy(store, client, &metered, (request.span.0, to), Wanted::Of(Resolution::Day)).await?;
    for (nth, total) in energy.units.iter().enumerate() {
        if energy.edges.get(nth + 1).is_none_or(|end| *end > settled) {
            continue;
        }
        let mut remarks = flags(total);
        if !metered.missing.is_empty() {
            remarks.push(Flag::NotMetered);
        }
        let row = vec![
            name.into(),
            energy.edges[nth].into(),
            total.energy_in.into(),
            total.energy_out.into(),
            total.loss().into(),
            total.efficiency().into(),
            total.coverage().into(),
            Flag::list(remarks).into(),
        ];
        rows.put(row).await?;
    }
    Ok(())
}
