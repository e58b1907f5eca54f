//! EVENT_LOG: the sequence of events of areas, oldest first, read in pages.

use store::events::EventScope;
use store::kept::Level;

use crate::definition::{Column, ColumnKind, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::rows::{Rows, Stop};
use crate::valid_request::ValidRequest;

/// Number of events in a page.
const PAGE: i64 = 2_000;

pub(crate) static EVENT_LOG: Definition = Definition {
    id: 2,
    key: "EVENT_LOG",
    name: "Event Log",
    about: "Every change of a status point, by the devices' clocks. For an asset, those of its bay.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Event],
    columns: &[
        Column { name: "Event time", unit: "", kind: ColumnKind::Millisecond, meaning: "When it happened, by the device's clock" },
        Column::text("Substation", "The substation of the asset at that time"),
        Column::text("Asset", "The asset of the point"),
        Column::text("Signal", "Position, Operated, Alarm, Local control, or the point's code"),
        Column::text(
            "Changed to",
            "OPEN, CLOSED, INTERMEDIATE, INVALID, ACTIVE or INACTIVE, decoded from the raw value; INVALID without one",
        ),
        Column::number("Value", "", 0, "The raw status value"),
        Column::text("Quality", "The quality that the device reported"),
        Column { name: "Received", unit: "", kind: ColumnKind::Millisecond, meaning: "When the system received it" },
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let (locations, assets) = request.bays();
    let place = EventScope { locations: &locations, assets: assets.as_deref() };
    let mut last = None;
    loop {
        let events = request.reports.store().events_between(request.client(), &place, request.span, last.as_ref(), PAGE).await?;
        let is_end = (events.len() as i64) < PAGE;
        for event in &events {
            let row = vec![
                event.source.into(),
                event.location_name.as_str().into(),
                event.asset_name.as_str().into(),
                event.signal.as_str().into(),
                event.change_to().into(),
                event.value.into(),
                format!("{:?}", event.quality).into(),
                event.received.into(),
            ];
            rows.put(row).await?;
        }
        if is_end {
            return Ok(());
        }
        last = events.into_iter().next_back();
    }
}
