//! What the service asks and enters: events and states of commands by offset, and with each step of the cursor all that follows from it, in one transaction.

use std::collections::HashMap;

use grid::alarm::AlarmRecord;
use grid::command::CommandRecord;
use grid::fault::FaultRecord;
use grid::{ClientId, Event, Micros, PointId, Quality};
use tokio_postgres::Row;

use super::{Committed, alarm, enter, lock};
use crate::control::command;
use crate::convert::{Stamp, sql};
use crate::events::event;
use crate::{Result, Store, fault, tenant};

/// An event with what its bay says about it.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldEvent {
    /// The event.
    pub event: Event,
    /// The last part of the metric name.
    pub code: String,
    /// Whether it is the position of a breaker.
    pub of_breaker: bool,
    /// The breaker opened, and a relay of its bay operated in the five seconds before.
    pub by_protection: bool,
    /// The breaker opened, and we had ordered that.
    pub ordered: bool,
}

/// A state of a command with what an alarm about it has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldCommand {
    /// The state.
    pub record: CommandRecord,
    /// The substation's name.
    pub location_name: String,
    /// Customers fed through the device.
    pub customers: i32,
    /// Its order to operate was handed over for sending.
    pub was_sent: bool,
    /// That order did not leave.
    pub never_left: bool,
}

/// A place in one of a utility's streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Continuity of the stream.
    pub epoch: String,
    /// The last row taken.
    pub through: i64,
}

/// Up to where the service has taken a utility's streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Its events.
    pub events: Cursor,
    /// The states of its commands; `None` before the service has looked at them.
    pub commands: Option<Cursor>,
}

/// What a step finds, and what it makes of it. All is read behind the lock.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The time, by the database's clock.
    pub now: Micros,
    /// The alarms asked for, by source; those that have never been are missing.
    alarms: HashMap<String, AlarmRecord>,
    /// The newest fault of each breaker asked for.
    faults: HashMap<PointId, FaultRecord>,
    changed_alarms: Vec<(AlarmRecord, &'static str)>,
    changed_faults: Vec<FaultRecord>,
}

impl Ledger {
    /// An alarm as it stands at this moment of the step.
    pub fn alarm(&self, source: &str) -> Option<&AlarmRecord> {
        self.alarms.get(source)
    }

    /// Changes an alarm, or enters a new one. `change` is the word for it.
    pub fn put_alarm(&mut self, alarm: AlarmRecord, change: &'static str) {
        self.alarms.insert(alarm.source.clone(), alarm.clone());
        self.changed_alarms.push((alarm, change));
    }

    /// The newest fault of a breaker.
    pub fn fault(&self, breaker: PointId) -> Option<&FaultRecord> {
        self.faults.get(&breaker)
    }

    /// Changes a fault, or enters a new one.
    pub fn put_fault(&mut self, fault: FaultRecord) {
        self.faults.insert(fault.breaker, fault.clone());
        self.changed_faults.push(fault);
    }
}

/// What a step has entered, for the bus.
#[derive(Debug, Clone, PartialEq)]
pub enum Entered {
    /// Somebody else has moved the cursor, or there is another history of events: read everything anew. Nothing was entered.
    Elsewhere,
    /// Entered.
    Done {
        /// Changes of alarms.
        alarms: Committed<AlarmRecord>,
        /// Changes of faults.
        faults: Committed<FaultRecord>,
    },
}

impl Store {
    /// Up to where the service has taken a utility's events; `None` before the first step.
    pub async fn alarm_cursor(&self, client: ClientId) -> Result<Option<Progress>> {
        let rows = self.query_bound(client, sql!("alarm_work/cursor"), &[&client.0]).await?;
        rows.first().map(cursor).transpose()
    }

    /// Events after an offset with what the bays say about them, in offset order.
    pub async fn field_events(&self, client: ClientId, after: i64, limit: i64) -> Result<Vec<FieldEvent>> {
        let rows = self.query_bound(client, sql!("alarm_work/events"), &[&client.0, &after, &limit.max(0)]).await?;
        rows.iter().map(field_event).collect()
    }

    /// States of commands after an offset with what an alarm about them has to say, in offset order.
    pub async fn field_commands(&self, client: ClientId, after: i64, limit: i64) -> Result<Vec<FieldCommand>> {
        let rows = self.of(client).query(sql!("alarm_work/commands"), &[&client.0, &after, &limit.max(0)]).await?;
        rows.iter().map(field_command).collect()
    }

    /// For each of some points and instants the stored value that was measured nearest to it, within so many ms; `None` where there is none or none that
    /// can be believed.
    pub async fn values_near(&self, client: ClientId, wanted: &[(PointId, Micros)], within_ms: i64) -> Result<Vec<Option<f64>>> {
        let nth: Vec<i32> = (0..).take(wanted.len()).collect();
        let points: Vec<i64> = wanted.iter().map(|(point, _)| point.0).collect();
        let instants: Vec<Stamp> = wanted.iter().map(|(_, at)| Stamp(*at)).collect();
        let worst = i16::from(Quality::Questionable.code());
        let rows = self.of(client).query(sql!("alarm_work/currents"), &[&client.0, &nth, &points, &instants, &within_ms, &worst]).await?;
        let mut found = vec![None; wanted.len()];
        for row in rows {
            let place = usize::try_from(row.try_get::<_, i32>("nth")?).ok().and_then(|nth| found.get_mut(nth));
            place.into_iter().try_for_each(|place| row.try_get("value").map(|value| *place = value))?;
        }
        Ok(found)
    }

    /// The alarms whose conditions hold by what is stored.
    pub async fn alarms_active(&self, client: ClientId) -> Result<Vec<AlarmRecord>> {
        self.of(client).query(sql!("alarm_work/active"), &[&client.0]).await?.iter().map(alarm).collect()
    }

    /// The sources of the alarms whose time in the shelf is over.
    pub async fn alarm_shelves_over(&self, client: ClientId) -> Result<Vec<String>> {
        let rows = self.of(client).query(sql!("alarm_work/shelf_over"), &[&client.0]).await?;
        rows.iter().map(|row| Ok(row.try_get("source")?)).collect()
    }

    /// Makes a step: `decide` sees the alarms of `sources` and the newest faults of `breakers` as they are and changes them. `cursor` moves from its first place
    /// to its second in the same transaction; from another place than that nothing is entered.
    pub async fn enter_alarms(
        &self,
        client: ClientId,
        step: Option<(Option<&Progress>, &Progress)>,
        (sources, breakers): (&[String], &[PointId]),
        decide: impl FnOnce(&mut Ledger),
    ) -> Result<Entered> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let Some((epoch, from, now)) = lock(&transaction, client).await? else { return Ok(Entered::Elsewhere) };
        if let Some((before, after)) = step {
            let statement = transaction.prepare_cached(sql!("alarm_work/cursor")).await?;
            let held = transaction.query_opt(&statement, &[&client.0]).await?.as_ref().map(cursor).transpose()?;
            if held.as_ref() != before {
                return Ok(Entered::Elsewhere);
            }
            let statement = transaction.prepare_cached(sql!("alarm_work/set_cursor")).await?;
            let commands = after.commands.as_ref().map(|place| (&place.epoch, place.through)).unzip();
            let places: crate::pool::Params<'_> = &[&client.0, &after.events.epoch, &after.events.through, &commands.0, &commands.1];
            transaction.execute(&statement, places).await?;
        }
        let mut ledger = Ledger { now, ..Ledger::default() };
        if !sources.is_empty() {
            let statement = transaction.prepare_cached(sql!("alarm_work/by_sources")).await?;
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
        Ok(Entered::Done { alarms: Committed { epoch, from, rows }, faults })
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
