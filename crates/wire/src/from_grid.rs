//! Conversion of domain types into rows and messages. Hub, api and ingest share it, so that a value has the same form everywhere.

use grid::command::{CommandRecord, TagRecord};
use grid::control::{AddCause, Throw};
use grid::load_current::{Layout, LoadCurrents};
use grid::point::PointKind;
use grid::position::Position;
use grid::{ClientId, Event, Lease, LinkOrder, LinkState, Micros, Ordinal, Point, Quality, Reading, Shard, Share, Term};

use crate::bus::Change;
use crate::control::{CommandRow, TagRow};
use crate::rows::{DiRow, EventRow, GenericRow, LoadCurrentRow};
use crate::sld::PointInfo;
use crate::time::iso;

impl From<&Event> for EventRow {
    fn from(event: &Event) -> Self {
        Self {
            asset_name: event.asset_name.clone(),
            signal: event.signal.clone(),
            event_time: iso(event.source),
            change_to: event.change_to().to_owned(),
            value: event.value,
            asset_id: event.asset.0,
            point_id: event.point.0,
            location_id: event.location.0,
            location_name: event.location_name.clone(),
            received_time: iso(event.received),
            quality: event.quality.code(),
            offset: event.offset,
        }
    }
}

impl From<(&Layout, &LoadCurrents)> for LoadCurrentRow {
    fn from((layout, row): (&Layout, &LoadCurrents)) -> Self {
        let [load_r_a, load_y_a, load_b_a, fault_r_a, fault_y_a, fault_b_a] = row.values;
        Self {
            reported: row.reported.map(iso),
            dcu_battery_v: row.battery_v,
            feeder_name: layout.name.clone(),
            load_r_a,
            load_y_a,
            load_b_a,
            fault_r_a,
            fault_y_a,
            fault_b_a,
            id: layout.asset.0,
            device_id: layout.gateway.0,
            quality: row.quality.code(),
            age_limit_ms: layout.age_limit_ms,
            location_id: layout.location.0,
        }
    }
}

/// Returns the name of a point's kind, as clients receive it.
fn kind_word(kind: PointKind) -> &'static str {
    match kind {
        PointKind::Measurand => "measurand",
        PointKind::Status(_) => "status",
    }
}

impl From<&Point> for PointInfo {
    fn from(point: &Point) -> Self {
        Self {
            address: point.address(),
            asset: point.asset.0,
            asset_name: point.asset_name.clone(),
            code: point.code.clone(),
            kind: kind_word(point.kind).to_owned(),
            encoding: point.encoding().map(|encoding| encoding.as_str().to_owned()),
            unit: point.unit.clone(),
            decimals: point.decimals,
            age_limit_ms: point.age_limit_ms(),
        }
    }
}

/// Builds a row of the generic table. `reading` is the reading to show, with its quality reduced by the link state.
pub fn generic_row(point: &Point, reading: Option<&Reading>) -> GenericRow {
    GenericRow {
        asset_id: point.asset.0,
        asset_name: point.asset_name.clone(),
        point_id: point.id.0,
        point_name: point.address(),
        value: reading.and_then(|reading| reading.value),
        unit: point.unit.clone(),
        decimals: point.decimals,
        kind: kind_word(point.kind).to_owned(),
        encoding: point.encoding().map(|encoding| encoding.as_str().to_owned()),
        quality: reading.map_or(Quality::Never, |reading| reading.quality).code(),
        source_time: reading.map(|reading| iso(reading.source)),
        age_limit_ms: point.age_limit_ms(),
    }
}

/// Builds a row of a digital input; `None` for a measurand.
pub fn di_row(point: &Point, reading: Option<&Reading>, control_asset_req: bool, is_sbo_supported: bool) -> Option<DiRow> {
    let encoding = point.encoding()?;
    let value = reading.and_then(|reading| reading.value);
    Some(DiRow {
        asset_id: point.asset.0,
        point_id: point.id.0,
        status: value.map(|value| value as i64),
        status_text: value.map_or(Position::Bad, |raw| Position::decode(encoding, raw)).text().to_owned(),
        control_asset_req: u8::from(control_asset_req),
        is_sbo_supported: u8::from(is_sbo_supported),
        quality: reading.map_or(Quality::Never, |reading| reading.quality).code(),
        source_time: reading.map(|reading| iso(reading.source)),
        point_code: point.code.clone(),
        asset_name: point.asset_name.clone(),
        gateway_id: point.gateway.0,
    })
}

impl From<&CommandRecord> for CommandRow {
    fn from(record: &CommandRecord) -> Self {
        let cause = record.add_cause.and_then(|cause| AddCause::from_code(cause.into()));
        Self {
            command_id: record.id.clone(),
            location_id: record.location.0,
            asset_id: record.asset.0,
            asset_name: record.asset_name.clone(),
            point_id: record.point.0,
            mode: record.mode.clone(),
            state: record.state.clone(),
            from_status: record.from.into(),
            to_status: record.to.into(),
            to_text: Throw::from_code(record.to.into()).map_or(Position::Bad, Throw::position).text().to_owned(),
            operator: record.operator.clone(),
            member_id: record.member.0,
            requested_at: record.requested.millis(),
            changed_at: record.changed.millis(),
            select_until: record.select_until.map(Micros::millis),
            deadline: record.deadline.map(Micros::millis),
            add_cause: record.add_cause.map(i64::from),
            add_cause_name: cause.map(|cause| cause.name().to_owned()),
            message: record.message.clone(),
            simulated: record.simulated,
            offset: record.offset,
        }
    }
}

impl From<&TagRecord> for TagRow {
    fn from(record: &TagRecord) -> Self {
        Self {
            id: record.id,
            scope: record.scope.as_str().to_owned(),
            asset_id: record.asset.map(|asset| asset.0),
            asset_name: record.asset_name.clone(),
            bay: record.bay.clone(),
            location_id: record.location.0,
            kind: record.kind.clone(),
            holder: record.holder.clone(),
            holder_id: record.holder_id.0,
            reason: record.reason.clone(),
            placed_at: record.placed.millis(),
            expires_at: record.expires.map(Micros::millis),
        }
    }
}

/// Returns the link state that a message on the bus reports.
pub fn link_state(online: bool, since: i64, order: (i64, i64)) -> LinkState {
    LinkState { online, since: Micros(since), order: link_order(order) }
}

fn link_order((term, count): (i64, i64)) -> LinkOrder {
    LinkOrder { term: Term(term), count }
}

/// Returns the lease that an `Alive` message publishes; `None` if its share is invalid. An invalid share must not become "all gateways", because they would be
/// live.
pub fn lease(clients: &[i64], share: Option<(u32, u32)>, since: (i64, i64)) -> Option<Lease> {
    let share = match share {
        Some((part, of)) => Some(Share::new(part, of)?),
        None => None,
    };
    let clients = clients.iter().copied().map(ClientId).collect();
    Some(Lease { shard: Shard { clients, share }, since: link_order(since) })
}

/// Returns the reading in a change of the bus; `None` if its quality code is unknown.
pub fn reading(change: &Change) -> Option<Reading> {
    Some(Reading {
        value: change.value,
        quality: Quality::from_code(change.quality)?,
        source: Micros(change.source),
        received: Micros(change.received),
        ordinal: Ordinal { epoch: change.epoch, seq: change.seq },
    })
}
