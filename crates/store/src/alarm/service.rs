//! Queries and changes of the alarm service. It reads events and command states by offset. The transaction that stores the resulting alarms and faults also
//! moves its cursor.

use std::collections::HashMap;

use grid::alarm::{AlarmRecord, Change};
use grid::command::CommandRecord;
use grid::fault::FaultRecord;
use grid::{ClientId, Event, Micros, PointId, Quality};
use tokio_postgres::Row;

use super::{Committed, alarm, enter, lock};
use crate::control::command;
use crate::convert::{Stamp, sql};
use crate::events::event;
use crate::{Result, Store, fault, tenant};

/// An event, with the data of its bay that alarms need.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldEvent {
    /// The event.
    pub event: Event,
    /// The last part of the metric name.
    pub code: String,
    /// Whether it is the position of a breaker.
    pub of_breaker: bool,
    /// Whether the breaker opened and a relay of its bay operated in the five seconds before.
    pub by_protection: bool,
    /// Whether the breaker opened because of a command of this system.
    pub ordered: bool,
}

/// A state of a command, with the data that an alarm needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldCommand {
    /// State of the command.
    pub record: CommandRecord,
    /// Name of the substation.
    pub location_name: String,
    /// Customers that the device supplies.
    pub customers: i32,
    /// Whether its execute message was queued for the gateway.
    pub was_sent: bool,
    /// Whether it is certain that its execute message was not sent to the gateway.
    pub never_left: bool,
}

/// A position in a stream of a utility.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Epoch of the stream.
    pub epoch: String,
    /// Offset of the last processed row.
    pub through: i64,
}

/// The position of the service in a utility's streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Position in the stream of events.
    pub events: Cursor,
    /// Position in the stream of commands; `None` before the service has read it.
    pub commands: Option<Cursor>,
}

/// The data of one step of the service, read under the lock, and its changes.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The time, by the database's clock.
    pub now: Micros,
    /// The requested alarms, by source; without those that were never raised.
    alarms: HashMap<String, AlarmRecord>,
    /// The newest fault of each requested breaker.
    faults: HashMap<PointId, FaultRecord>,
    changed_alarms: Vec<(AlarmRecord, Change)>,
    changed_faults: Vec<FaultRecord>,
}

impl Ledger {
    /// Returns the present state of an alarm within the step.
    pub fn alarm(&self, source: &str) -> Option<&AlarmRecord> {
        self.alarms.get(source)
    }

    /// Changes an alarm, or enters a new one.
    pub fn put_alarm(&mut self, alarm: AlarmRecord, change: Change) {
        self.alarms.insert(alarm.source.clone(), alarm.clone());
        self.changed_alarms.push((alarm, change));
    }

    /// Returns the newest fault of a breaker.
    pub fn fault(&self, breaker: PointId) -> Option<&FaultRecord> {
        self.faults.get(&breaker)
    }

    /// Changes or adds a fault.
    pub fn put_fault(&mut self, fault: FaultRecord) {
        self.faults.insert(fault.breaker, fault.clone());
        self.changed_faults.push(fault);
    }
}

/// The result of a step, for the bus.
#[derive(Debug, Clone, PartialEq)]
pub enum StepResult {
    /// Another process has moved the cursor, or the stream of events has a new epoch. Nothing was stored; read everything again.
    Elsewhere,
    /// The step was stored.
    Done {
        /// Changes of alarms.
        alarms: Committed<AlarmRecord>,
        /// Changes of faults.
        faults: Committed<FaultRecord>,
    },
}

impl Store {
    /// Returns the position of the service in a utility's streams; `None` before the first step.
    pub async fn alarm_cursor(&self, client: ClientId) -> Result<Option<Progress>> {
        let rows = self.query_bound(client, sql!("alarm_work/cursor"), &[&client.0]).await?;
        rows.first().map(cursor).transpose()
    }

    /// Returns events after an offset with the data of their bays, in the order of the offsets.
    pub async fn field_events(&self, client: ClientId, after: i64, limit: i64) -> Result<Vec<FieldEvent>> {
        let rows = self.query_bound(client, sql!("alarm_work/events"), &[&client.0, &after, &limit.max(0)]).await?;
        rows.iter().map(field_event).collect()
    }

    /// Returns command states after an offset with the data for alarms, in the order of the offsets.
    pub async fn field_commands(&self, client: ClientId, after: i64, limit: i64) -> Result<Vec<FieldCommand>> {
        let rows = self.of(client).query(sql!("alarm_work/commands"), &[&client.0, &after, &limit.max(0)]).await?;
        rows.iter().map(field_command).collect()
    }

    /// For each pair of point and time, returns the stored value with the nearest source time, within the given number of ms; `None` if there is none with a
    /// usable quality.
    pub async fn values_near(
        &self,
        client: ClientId,
        instants_of_points: &[(PointId, Micros)],
        within_ms: i64,
    ) -> Result<Vec<Option<f64>>> {
        let nth: Vec<i32> = (0..).take(instants_of_points.len()).collect();
        let points: Vec<i64> = instants_of_points.iter().map(|(point, _)| point.0).collect();
        let instants: Vec<Stamp> = instants_of_points.iter().map(|(_, at)| Stamp(*at)).collect();
        let worst = i16::from(Quality::Questionable.code());
        let rows = self.of(client).query(sql!("alarm_work/currents"), &[&client.0, &nth, &points, &instants, &within_ms, &worst]).await?;
        let mut found = vec![None; instants_of_points.len()];
        for row in rows {
            let place = usize::try_from(row.try_get::<_, i32>("nth")?).ok().and_then(|nth| found.get_mut(nth));
            place.into_iter().try_for_each(|place| row.try_get("value").map(|value| *place = value))?;
        }
        Ok(found)
    }

    /// Returns the alarms that are active according to the stored state.
    pub async fn alarms_active(&self, client: ClientId) -> Result<Vec<AlarmRecord>> {
        self.of(client).query(sql!("alarm/rows", "alarm_work/active"), &[&client.0]).await?.iter().map(alarm).collect()
    }

    /// Returns the sources of the alarms whose shelving has expired.
    pub async fn alarm_shelves_over(&self, client: ClientId) -> Result<Vec<String>> {
        let rows = self.of(client).query(sql!("alarm_work/shelf_over"), &[&client.0]).await?;
        rows.iter().map(|row| Ok(row.try_get("source")?)).collect()
    }

    /// Runs one step. `decide` gets the alarms of `sources` and the newest faults of `breakers`, and changes them. In the same transaction the cursor moves
    /// from its first to its second position; if the stored cursor is not at the first one, nothing is stored.
    pub async fn enter_alarms(
        &self,
        client: ClientId,
        step: Option<(Option<&Progress>, &Progress)>,
        (sources, breakers): (&[String], &[PointId]),
        decide: impl FnOnce(&mut Ledger),
    ) -> Result<StepResult> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let Some((epoch, from, now)) = lock(&transaction, client).await? else { return Ok(StepResult::Elsewhere) };
        if let Some((before, after)) = step {
            let statement = transaction.prepare_cached(sql!("alarm_work/cursor")).await?;
            let held = transaction.query_opt(&statement, &[&client.0]).await?.as_ref().map(cursor).transpose()?;
            if held.as_ref() != before {
                return Ok(StepResult::Elsewhere);
            }
            let statement = transaction.prepare_cached(sql!("alarm_work/set_cursor")).await?;
            let commands = after.commands.as_ref().map(|place| (&place.epoch, place.through)).unzip();
            let places: crate::pool::Params<'_> = &[&client.0, &after.events.epoch, &after.events.through, &commands.0, &commands.1];
            transaction.execute(&statement, places).await?;
        }
        let mut ledger = Ledger { now, ..Ledger::default() };
        if !sources.is_empty() {
            let statement = transaction.prepare_cached(sql!("alarm/rows", "alarm_work/by_sources")).await?;
            for row in transaction.query(&statement, &[&client.0, &sources]).await? {
                let alarm = alarm(&row)?;
                ledger.alarms.insert(alarm.source.clone(), alarm);
            }
        }
        let locked = if breakers.is_empty() { None } else { Some(fault::lock(&transaction, client).await?) };
        if !breakers.is_empty() {
            let ids: Vec<i64> = breakers.iter().map(|point| point.0).collect();
            let statement = transaction.prepare_cached(sql!("alarm_work/faults_of")).await?;
            for row in transaction.query(&statement, &[&client.0, &Some(ids)]).await? {
                let fault = fault::fault(&row)?;
                ledger.faults.insert(fault.breaker, fault);
            }
        }
        decide(&mut ledger);
        let faults = match locked {
            Some((epoch, from)) => {
                let rows = fault::enter(&transaction, client, from, ledger.changed_faults).await?;
                Committed { epoch, from, rows }
            }
            None => Committed { epoch: String::new(), from: 0, rows: Vec::new() },
        };
        let rows = enter(&transaction, client, from, ledger.changed_alarms).await?;
        transaction.commit().await?;
        Ok(StepResult::Done { alarms: Committed { epoch, from, rows }, faults })
    }
}

fn cursor(row: &Row) -> Result<Progress> {
    let commands: (Option<String>, Option<i64>) = (row.try_get("command_epoch")?, row.try_get("command_through")?);
    Ok(Progress {
        events: Cursor { epoch: row.try_get("epoch")?, through: row.try_get("through")? },
        commands: commands.0.zip(commands.1).map(|(epoch, through)| Cursor { epoch, through }),
    })
}

fn field_command(row: &Row) -> Result<FieldCommand> {
    Ok(FieldCommand {
        record: command(row)?,
        location_name: row.try_get("location_name")?,
        customers: row.try_get("customers")?,
        was_sent: row.try_get("was_sent")?,
        never_left: row.try_get("never_left")?,
    })
}

fn field_event(row: &Row) -> Result<FieldEvent> {
    Ok(FieldEvent {
        event: event(row)?,
        code: row.try_get("code")?,
        of_breaker: row.try_get("of_breaker")?,
        by_protection: row.try_get::<_, Option<bool>>("by_protection")?.unwrap_or(false),
        ordered: row.try_get::<_, Option<bool>>("ordered")?.unwrap_or(false),
    })
}
