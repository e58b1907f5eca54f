//! Outages of feeders: what was worked out from the events beside what people have put right, and what feeders are in figures of reliability.

mod people;
mod service;

use grid::outage::Cause;
use grid::{AssetId, ClientId, Event, Micros, NodeId};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::events::event;
use crate::{Error, Result, Store};

pub use people::Correction;
pub use service::{Changed, Place, Position, Rework, Standing};

/// What was worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worked {
    /// The first opening.
    pub started: Micros,
    /// When there was supply again; `None` while it lasts.
    pub ended: Option<Micros>,
    /// Why.
    pub cause: Cause,
}

/// An outage as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutageRecord {
    /// Its id.
    pub id: i64,
    /// The substation.
    pub location: NodeId,
    /// The feeder.
    pub asset: AssetId,
    /// Shared by the feeders that lost their supply by the same switching.
    pub incident: i64,
    /// What counts: the first opening.
    pub started: Micros,
    /// What counts: the end; `None` while it lasts.
    pub ended: Option<Micros>,
    /// What was worked out; `None` where the events no longer tell of it and somebody had decided about it.
    pub worked: Option<Worked>,
    /// It began where the supply was not known.
    pub from_unknown: bool,
    /// Its times may be others.
    pub provisional: bool,
    /// How often the supply was lost within it.
    pub trips: i32,
    /// Places of the events that made it.
    pub evidence: Vec<i64>,
    /// What somebody has decided about it.
    pub correction: Correction,
    /// Why.
    pub note: Option<String>,
    /// Who, by name.
    pub corrected_by: Option<String>,
    /// When.
    pub corrected_at: Option<Micros>,
}

impl OutageRecord {
    /// What counts as its cause.
    pub fn cause(&self) -> Cause {
        self.correction.cause.or(self.worked.map(|worked| worked.cause)).unwrap_or(Cause::Unknown)
    }

    /// Whether its times may be others: the end, and where it began out of what was not known the start too, unless somebody has said them.
    pub fn is_provisional(&self) -> bool {
        let said = self.worked.is_some() && self.correction.ended.is_some() && (!self.from_unknown || self.correction.started.is_some());
        self.provisional && !said
    }
}

/// What a feeder is in figures of reliability besides its customers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeederSupply {
    /// The feeder.
    pub asset: AssetId,
    /// Connected load, kVA.
    pub connected_kva: Option<f64>,
    /// It serves agriculture for the most part.
    pub agricultural: bool,
}

impl Store {
    /// The outages of some feeders that began within a time, newest first.
    pub async fn outages(
        &self,
        client: ClientId,
        feeders: &[AssetId],
        (from, to): (Micros, Micros),
        limit: i64,
    ) -> Result<Vec<OutageRecord>> {
        let feeders: Vec<i64> = feeders.iter().map(|feeder| feeder.0).collect();
        let params: crate::pool::Params<'_> = &[&client.0, &feeders, &Stamp(from), &Stamp(to), &limit.max(0)];
        self.of(client).query(sql!("outage/newest"), params).await?.iter().map(outage).collect()
    }

    /// An outage by its id.
    pub async fn outage(&self, client: ClientId, id: i64) -> Result<Option<OutageRecord>> {
        self.of(client).query_opt(sql!("outage/get"), &[&client.0, &id]).await?.as_ref().map(outage).transpose()
    }

    /// The events at some places of the utility's stream, in the order of their times.
    pub async fn events_at(&self, client: ClientId, offsets: &[i64]) -> Result<Vec<Event>> {
        self.of(client).query(sql!("outage/events"), &[&client.0, &offsets]).await?.iter().map(event).collect()
    }

    /// Since when each of some substations has been heard: before that nothing is known of its outages. One that has never been is left out.
    pub async fn heard_since(&self, client: ClientId, locations: &[NodeId]) -> Result<Vec<(NodeId, Micros)>> {
        let locations: Vec<i64> = locations.iter().map(|location| location.0).collect();
        let rows = self.query_bound(client, sql!("outage/heard"), &[&client.0, &locations]).await?;
        rows.iter().map(|row| Ok((NodeId(row.try_get("location_id")?), micros(row, "since")?))).collect()
    }

    /// What is known of a utility's feeders besides their customers.
    pub async fn feeder_supplies(&self, client: ClientId) -> Result<Vec<FeederSupply>> {
        let rows = self.of(client).query(sql!("outage/supplies"), &[&client.0]).await?;
        let read = |row: &Row| {
            let (connected_kva, agricultural) = (row.try_get("connected_kva")?, row.try_get("agricultural")?);
            Ok(FeederSupply { asset: AssetId(row.try_get("asset_id")?), connected_kva, agricultural })
        };
        rows.iter().map(read).collect()
    }
}

/// Reads an outage as all statements that give outages give it.
pub(crate) fn outage(row: &Row) -> Result<OutageRecord> {
    let cause = |column: &str| -> Result<Option<Cause>> {
        let word: Option<&str> = row.try_get(column)?;
        word.map(|word| Cause::from_word(word).ok_or_else(|| Error::Unreadable(format!("{column} {word}")))).transpose()
    };
    let worked = match (micros_or_null(row, "worked_started")?, cause("worked_cause")?) {
        (Some(started), Some(cause)) => Some(Worked { started, ended: micros_or_null(row, "worked_ended")?, cause }),
        _ => None,
    };
    Ok(OutageRecord {
        id: row.try_get("id")?,
        location: NodeId(row.try_get("location_id")?),
        asset: AssetId(row.try_get("asset_id")?),
        incident: row.try_get("incident")?,
        started: micros(row, "started")?,
        ended: micros_or_null(row, "ended")?,
        worked,
        from_unknown: row.try_get("from_unknown")?,
        provisional: row.try_get("provisional")?,
        trips: row.try_get("trips")?,
        evidence: row.try_get("evidence")?,
        correction: Correction {
            started: micros_or_null(row, "set_started")?,
            ended: micros_or_null(row, "set_ended")?,
            cause: cause("set_cause")?,
            excluded: row.try_get("excluded")?,
        },
        note: row.try_get("note")?,
        corrected_by: row.try_get("corrected_by")?,
        corrected_at: micros_or_null(row, "corrected_at")?,
    })
}
