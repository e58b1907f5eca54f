//! Values that users have entered, for equipment of the network and for points. Each change is audited in its own transaction.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use grid::area::Place;
use grid::manual_entry::EntryTerms;
use grid::{ClientId, MemberId, Micros, Ordinal, PointId};
use network::Phases;
use serde_json::{Value, json};

use crate::audit::{Entry, Origin, enter};
use crate::control::stream_lock::lock;
use crate::convert::{Stamp, micros, micros_or_null, sql, without_nul};
pub use crate::manual_entry_record::{EntrySubject, ManualEntry};
use crate::manual_entry_record::{entry, ordinal};
use crate::{Error, Result, Store, areas, tenant};

/// Maximum number of characters of a reason.
pub const REASON_CHARACTERS_MAX: usize = 200;

/// Maximum number of current entries of a utility.
pub const CURRENT_MAX: i64 = 20_000;

/// Further subjects that have the same position as that of an entry, for example the points that report it. Entries for them are withdrawn, too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SamePosition {
    /// Points that report it.
    pub points: Vec<PointId>,
    /// Ids of the equipment that moves together.
    pub equipment: Vec<String>,
}

/// A value to enter.
#[derive(Debug, Clone, PartialEq)]
pub struct NewManualEntry {
    /// What it is entered for.
    pub subject: EntrySubject,
    /// What is entered, by the code of points.
    pub quantity: String,
    /// The phases of a position; none for all phases.
    pub phases: Phases,
    /// The value.
    pub value: f64,
    /// Reason that the user gives.
    pub reason: String,
    /// The user; `None` at the console.
    pub member: Option<MemberId>,
    /// Name of the user.
    pub by: String,
    /// Until when it counts, with the times of the observation and the entry. The numbers of the readings are those of the transaction.
    pub terms: EntryTerms,
    /// What else has the same position.
    pub same: SamePosition,
    /// The points that report the value, and by which the switch is operated.
    pub points: Vec<PointId>,
}

/// What has become of a value to enter.
#[derive(Debug, Clone, PartialEq)]
pub enum Entering {
    /// It is stored.
    Entered(Box<ManualEntry>),
    /// The utility has [`CURRENT_MAX`] current entries.
    TooMany,
    /// A command is on its way to the switch, whose position can change at any moment.
    CommandUnderWay,
    /// The last command to the switch ended at this time without a known outcome, after the observation.
    BeforeCommand(Micros),
}

impl Entering {
    /// Returns the entry; `None` if it is refused.
    pub fn entered(self) -> Option<ManualEntry> {
        if let Self::Entered(entry) = self { Some(*entry) } else { None }
    }
}

/// Who withdraws an entry, and why.
#[derive(Debug, Clone, Copy)]
pub struct Withdrawal<'a> {
    /// Name of the user.
    pub by: &'a str,
    /// Reason that the user gives.
    pub reason: &'a str,
    /// Time of the withdrawal.
    pub at: Micros,
}

impl Store {
    /// Returns the current entries of a utility, ordered by equipment.
    pub async fn manual_entries(&self, client: ClientId) -> Result<Vec<ManualEntry>> {
        let rows = self.of(client).query(sql!("manual_entry/rows", "manual_entry/current"), &[&client.0]).await?;
        rows.iter().map(entry).collect()
    }

    /// Returns the current entries of all utilities.
    pub async fn manual_entries_of_all(&self) -> Result<BTreeMap<ClientId, Vec<ManualEntry>>> {
        let mut entries: BTreeMap<ClientId, Vec<ManualEntry>> = BTreeMap::new();
        for row in self.query(sql!("manual_entry/rows", "manual_entry/current_of_all"), &[]).await? {
            entries.entry(ClientId(row.try_get("client_id")?)).or_default().push(entry(&row)?);
        }
        Ok(entries)
    }

    /// Returns the entries that have lapsed by the activation at `since`, of those that were not withdrawn by then: a version was active since the entry that does not have their equipment.
    pub async fn lapsed_manual_entries(&self, client: ClientId, since: Micros) -> Result<Vec<i64>> {
        let rows = self.of(client).query(sql!("manual_entry/lapsed"), &[&client.0, &Stamp(since)]).await?;
        rows.iter().map(|row| Ok(row.try_get("id")?)).collect()
    }

    /// Returns the time by the clock of the database, which is the same for all processes.
    pub async fn time(&self) -> Result<Micros> {
        let rows = self.query(sql!("network/time"), &[]).await?;
        micros(rows.first().ok_or_else(|| Error::Data("the database has no time".to_owned()))?, "now")
    }

    /// Enters a value. Current entries for the same value are withdrawn, those for phases only if the new entry has all of their phases. `places` are those of
    /// the subject in the areas of responsibility. What was observed before a command says nothing about the position after it, see [`Entering`].
    pub async fn enter_manually(&self, client: ClientId, new: &NewManualEntry, places: &[Place], origin: &Origin) -> Result<Entering> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        // A command is decided before this entry or after it, and two entries for one value replace one another.
        lock(&transaction, client).await?;
        let (equipment, point) = (new.subject.equipment(), new.subject.point().map(|point| point.0));
        let (at, by, reason) = (Stamp(new.terms.entered), without_nul(&new.by), without_nul(&new.reason));
        let phases = new.phases.to_string();
        let replace = transaction.prepare_cached(sql!("manual_entry/replace")).await?;
        let points: Vec<i64> = new.same.points.iter().map(|point| point.0).collect();
        let replaced = transaction
            .query(&replace, &[&client.0, &equipment, &point, &new.quantity, &phases, &at, &by, &reason, &points, &new.same.equipment])
            .await?;
        areas::permit(&transaction, client, origin, places).await?;
        if let Some(refusal) = refused_by_command(&transaction, client, new).await? {
            return Ok(refusal);
        }
        let count = transaction.prepare_cached(sql!("manual_entry/count")).await?;
        if transaction.query_one(&count, &[&client.0]).await?.try_get::<_, i64>(0)? >= CURRENT_MAX {
            return Ok(Entering::TooMany);
        }
        let seen = seen(&transaction, client, &new.points).await?;
        let put = transaction.prepare_cached(sql!("manual_entry/put")).await?;
        let (version, member, observed) = (new.subject.version(), new.member.map(|member| member.0), Stamp(new.terms.observed));
        let row = transaction
            .query_one(
                &put,
                &[
                    &client.0,
                    &equipment,
                    &point,
                    &new.quantity,
                    &phases,
                    &new.value,
                    &reason,
                    &version,
                    &member,
                    &by,
                    &at,
                    &observed,
                    &new.terms.rule.as_str(),
                    &seen.map(|seen| seen.epoch),
                    &seen.map(|seen| seen.seq),
                ],
            )
            .await?;
        tenant::release(&transaction).await?;
        let replaced: Vec<ManualEntry> = replaced.iter().map(entry).collect::<Result<_>>()?;
        let entered = entry(&row)?;
        let before = match replaced.as_slice() {
            [] => None,
            [only] => Some(audit_value(only)),
            several => Some(several.iter().map(audit_value).collect()),
        };
        let audited = Entry::new(origin, "manual_entry_made", subject(&entered));
        enter(&transaction, &audited.changing(before, Some(audit_value(&entered)))).await?;
        transaction.commit().await?;
        Ok(Entering::Entered(Box::new(entered)))
    }

    /// Withdraws a current entry; `None` if there is no such entry. `places` are those of its subject in the areas of responsibility.
    pub async fn withdraw_manual_entry(
        &self,
        client: ClientId,
        id: i64,
        withdrawal: Withdrawal<'_>,
        places: &[Place],
        origin: &Origin,
    ) -> Result<Option<ManualEntry>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        lock(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("manual_entry/withdraw")).await?;
        let (by, reason) = (without_nul(withdrawal.by), without_nul(withdrawal.reason));
        let Some(row) = transaction.query_opt(&statement, &[&client.0, &id, &Stamp(withdrawal.at), &by, &reason]).await? else {
            return Ok(None);
        };
        areas::permit(&transaction, client, origin, places).await?;
        tenant::release(&transaction).await?;
        let withdrawn = entry(&row)?;
        let audited = Entry::new(origin, "manual_entry_withdrawn", subject(&withdrawn));
        let after = json!({ "reason": withdrawal.reason });
        enter(&transaction, &audited.changing(Some(audit_value(&withdrawn)), Some(after))).await?;
        transaction.commit().await?;
        Ok(Some(withdrawn))
    }
}

/// Returns why a value is refused because of commands to its switch; `None` if it is not.
async fn refused_by_command(transaction: &Transaction<'_>, client: ClientId, new: &NewManualEntry) -> Result<Option<Entering>> {
    let points: Vec<i64> = new.points.iter().map(|point| point.0).collect();
    let statement = transaction.prepare_cached(sql!("manual_entry/commands")).await?;
    let row = transaction.query_one(&statement, &[&client.0, &points]).await?;
    if row.try_get("is_under_way")? {
        return Ok(Some(Entering::CommandUnderWay));
    }
    let doubt = micros_or_null(&row, "doubt")?.filter(|doubt| new.terms.observed <= *doubt);
    Ok(doubt.map(Entering::BeforeCommand))
}

/// Returns the greatest number of the latest readings of some points. `None` if they belong to no gateway or to several ones, whose numbers are in no order.
async fn seen(transaction: &Transaction<'_>, client: ClientId, points: &[PointId]) -> Result<Option<Ordinal>> {
    let points: Vec<i64> = points.iter().map(|point| point.0).collect();
    let statement = transaction.prepare_cached(sql!("manual_entry/seen")).await?;
    let mut seen: Option<(i64, Ordinal)> = None;
    for row in transaction.query(&statement, &[&client.0, &points]).await? {
        let gateway: i64 = row.try_get("gateway_id")?;
        let before = match seen {
            Some((of, _)) if of != gateway => return Ok(None),
            Some((_, before)) => before,
            None => Ordinal::LOWEST,
        };
        let latest = ordinal(&row, "epoch", "seq")?;
        seen = Some((gateway, latest.map_or(before, |latest| before.later(latest))));
    }
    Ok(seen.map(|(_, seen)| seen))
}

/// Returns what an entry is about, such as `Pos of D2/FUSE, phase B`.
fn subject(entry: &ManualEntry) -> String {
    let of = match &entry.subject {
        EntrySubject::Equipment { id, .. } => id.clone(),
        EntrySubject::Point(point) => format!("point {point}"),
    };
    let phases = if entry.phases.is_empty() { String::new() } else { format!(", phases {}", entry.phases) };
    format!("{} of {of}{phases}", entry.quantity)
}

fn audit_value(entry: &ManualEntry) -> Value {
    json!({
        "id": entry.id,
        "value": entry.value,
        "phases": entry.phases.to_string(),
        "rule": entry.terms.rule.as_str(),
        "reason": entry.reason,
        "by": entry.by,
        "observed": entry.terms.observed.millis(),
        "entered": entry.terms.entered.millis(),
        "version": entry.subject.version(),
    })
}
