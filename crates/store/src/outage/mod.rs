//! Outages of feeders: the results computed from the events, the corrections of users, and the properties of feeders for reliability indices.

mod by_hand;
mod corrections;
mod infeeds;
mod service;

use grid::outage::{Cause, CustomersLost};
use grid::reliability::Threshold;
use grid::{AssetId, ClientId, Event, Micros, NodeId};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::events::event;
use crate::kept::Level;
use crate::{Error, Result, Store};

pub use by_hand::{AwaitedReport, BY_HAND_MAX, ByHand, ChangedByHand, FirstReport, PastEntry, Span};
pub use corrections::Correction;
pub use infeeds::{InfeedChange, InfeedVoltage};
pub use service::{Changed, Position, RecomputedOutages, RecomputedStation, SourceOrder, SwitchStateBefore};

/// An outage as computed from the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComputedOutage {
    /// The first opening.
    pub started: Micros,
    /// When the supply returned; `None` while the outage lasts.
    pub ended: Option<Micros>,
    /// Computed cause.
    pub cause: Cause,
}

/// A stored outage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutageRecord {
    /// Id of the outage.
    pub id: i64,
    /// Id of the substation.
    pub location: NodeId,
    /// Id of the feeder.
    pub asset: AssetId,
    /// Id of the incident: shared by the feeders that lost their supply by the same switching.
    pub incident: i64,
    /// First opening, including a correction.
    pub started: Micros,
    /// End, including a correction; `None` while the outage lasts.
    pub ended: Option<Micros>,
    /// The computed outage; `None` if it is no longer derived from the events, but a user has corrected it.
    pub worked: Option<ComputedOutage>,
    /// Whether the supply was unknown before it began.
    pub from_unknown: bool,
    /// Whether its times can still change.
    pub provisional: bool,
    /// How often the supply was lost within it.
    pub trips: i32,
    /// Offsets of the events from which it was computed.
    pub evidence: Vec<i64>,
    /// The customers without supply according to the network; `None` if the network does not have them.
    pub customers: Option<CustomersLost>,
    /// Correction by a user.
    pub correction: Correction,
    /// Reason for the correction.
    pub note: Option<String>,
    /// Name of the user who corrected it.
    pub corrected_by: Option<String>,
    /// When it was corrected.
    pub corrected_at: Option<Micros>,
}

impl OutageRecord {
    /// Returns the cause, including a correction.
    pub fn cause(&self) -> Cause {
        self.correction.cause.or(self.worked.map(|worked| worked.cause)).unwrap_or(Cause::Unknown)
    }

    /// Returns whether its times can still change: the end, and the start if the supply was unknown before it, unless a user has set them.
    pub fn is_provisional(&self) -> bool {
        let is_corrected =
            self.worked.is_some() && self.correction.ended.is_some() && (!self.from_unknown || self.correction.started.is_some());
        self.provisional && !is_corrected
    }
}

/// Properties of a feeder for reliability indices, in addition to its customers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeederSupply {
    /// Id of the feeder.
    pub asset: AssetId,
    /// Connected load, kVA.
    pub connected_kva: Option<f64>,
    /// Whether the feeder supplies mainly agriculture.
    pub agricultural: bool,
}

/// The outages that are included in a sum, and their weights.
#[derive(Debug, Clone, Copy)]
pub struct CountedOutages<'a> {
    /// Feeders that count, with their weights.
    pub weights: &'a [(AssetId, f64)],
    /// Causes whose outages do not count.
    pub exclude_causes: &'a [String],
    /// Sustained outages count.
    pub threshold: Threshold,
    /// The time that is used as the end of an outage that has not ended.
    pub now: Micros,
    /// Whether the weights are numbers of customers. Then the customers from the network are used instead, if they are known.
    pub by_customers: bool,
}

impl Store {
    /// Returns the customer minutes of sustained outages by the day on which they began: the index of the day and the sum. Days without outage are left out.
    /// Each day lasts from one of the `edges` to the next one.
    pub async fn daily_customer_minutes(&self, client: ClientId, edges: &[Micros], of: &CountedOutages<'_>) -> Result<Vec<(usize, f64)>> {
        let (feeders, weights): (Vec<i64>, Vec<f64>) = of.weights.iter().map(|(feeder, weight)| (feeder.0, *weight)).unzip();
        let edges: Vec<Stamp> = edges.iter().map(|edge| Stamp(*edge)).collect();
        let Threshold { minutes, inclusive } = of.threshold;
        let params: crate::pool::Params<'_> =
            &[&client.0, &feeders, &weights, &edges, &of.exclude_causes, &minutes, &inclusive, &Stamp(of.now), &of.by_customers];
        let rows = self.of(client).query(sql!("outage/daily"), params).await?;
        let read = |row: &Row| Ok((usize::try_from(row.try_get::<_, i32>("nth")? - 1).unwrap_or(0), row.try_get("minutes")?));
        rows.iter().map(read).collect()
    }

    /// Returns the outages of some feeders that began within a period, newest first.
    pub async fn outages(
        &self,
        client: ClientId,
        feeders: &[AssetId],
        (from, to): (Micros, Micros),
        limit: i64,
    ) -> Result<Vec<OutageRecord>> {
        let feeders: Vec<i64> = feeders.iter().map(|feeder| feeder.0).collect();
        let params: crate::pool::Params<'_> = &[&client.0, &feeders, &Stamp(from), &Stamp(to), &limit.max(0)];
        self.of(client).query(sql!("outage/rows", "outage/newest"), params).await?.iter().map(outage).collect()
    }

    /// Returns the outage with an id.
    pub async fn outage(&self, client: ClientId, id: i64) -> Result<Option<OutageRecord>> {
        self.of(client).query_opt(sql!("outage/rows", "outage/get"), &[&client.0, &id]).await?.as_ref().map(outage).transpose()
    }

    /// Returns the events at some offsets of the utility's stream, in the order of their source times.
    pub async fn events_at(&self, client: ClientId, offsets: &[i64]) -> Result<Vec<Event>> {
        self.of(client).query(sql!("outage/events"), &[&client.0, &offsets]).await?.iter().map(event).collect()
    }

    /// Returns the time since which each substation has reported. Earlier outages are not known. Substations that never reported are left out.
    pub async fn reporting_since(&self, client: ClientId, locations: &[NodeId]) -> Result<Vec<(NodeId, Micros)>> {
        let locations: Vec<i64> = locations.iter().map(|location| location.0).collect();
        let floor = Stamp(self.kept().await?.floor(Level::Event));
        let rows = self.query_bound(client, sql!("outage/heard"), &[&client.0, &locations, &floor]).await?;
        rows.iter().map(|row| Ok((NodeId(row.try_get("location_id")?), micros(row, "since")?))).collect()
    }

    /// Returns the properties of a utility's feeders for reliability indices.
    pub async fn feeder_supplies(&self, client: ClientId) -> Result<Vec<FeederSupply>> {
        let rows = self.of(client).query(sql!("outage/supplies"), &[&client.0]).await?;
        let read = |row: &Row| {
            let (connected_kva, agricultural) = (row.try_get("connected_kva")?, row.try_get("agricultural")?);
            Ok(FeederSupply { asset: AssetId(row.try_get("asset_id")?), connected_kva, agricultural })
        };
        rows.iter().map(read).collect()
    }
}

fn customers(row: &Row) -> Result<Option<CustomersLost>> {
    let Some(stored) = row.try_get::<_, Option<serde_json::Value>>("customer_steps")? else { return Ok(None) };
    let steps: Vec<(i64, u64)> = serde_json::from_value(stored).map_err(|error| Error::Unreadable(format!("customer_steps: {error}")))?;
    Ok(Some(CustomersLost::from_steps(steps.into_iter().map(|(at, number)| (Micros(at), number)).collect())))
}

/// Reads an outage from a row. All statements that return outages have the same columns.
pub(crate) fn outage(row: &Row) -> Result<OutageRecord> {
    let cause = |column: &str| -> Result<Option<Cause>> {
        let word: Option<&str> = row.try_get(column)?;
        word.map(|word| Cause::parse(word).ok_or_else(|| Error::Unreadable(format!("{column} {word}")))).transpose()
    };
    let worked = match (micros_or_null(row, "worked_started")?, cause("worked_cause")?) {
        (Some(started), Some(cause)) => Some(ComputedOutage { started, ended: micros_or_null(row, "worked_ended")?, cause }),
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
        customers: customers(row)?,
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
