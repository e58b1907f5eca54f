//! Queries and changes of the scheduler of reports, for all utilities: finds due schedules, and stores the decisions about their due times. Even if several
//! processes run the scheduler, a due time is run once.

use grid::{ClientId, MemberId, Micros};
use serde_json::json;
use tokio_postgres::Row;

use super::RunState;
use crate::audit::{self, Entry, Origin};
use crate::convert::{Stamp, micros, sql};
use crate::{Result, Store, tenant};

/// Origin in the audit of actions that no user requested.
const BY_CLOCK: &str = "schedule";
/// Maximum number of attempts of a run. If its process ends during the first attempt, the run is tried once more.
const ATTEMPTS_MAX: i16 = 2;

/// Message for a run whose mail was being sent when the process ended.
const UNSURE: &str = "The mail was under way when the server stopped, it may not have arrived.";

/// A schedule with due times to process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueSchedule {
    /// Id of the schedule.
    pub id: i64,
    /// Id of the utility.
    pub client: ClientId,
    /// Id of the owner.
    pub member: MemberId,
    /// Period of the report, as in [`super::ScheduleDraft`].
    pub period: String,
    /// How often it runs, as in [`super::ScheduleDraft`].
    pub every: String,
    /// Day of the week, as in [`super::ScheduleDraft`].
    pub weekday: Option<i16>,
    /// Day of the month, as in [`super::ScheduleDraft`].
    pub day_of_month: Option<i16>,
    /// Time of the day, as in [`super::ScheduleDraft`].
    pub at_minute: i16,
    /// Due times before this are ignored.
    pub since: Micros,
    /// Due times up to this one have been processed.
    pub settled: Micros,
    /// The present time zone of the utility.
    pub zone: String,
    /// Whether its report shows present values and has no period.
    pub is_real_time: bool,
}

/// A due time for which a run is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueRun {
    /// Due time.
    pub due: Micros,
    /// First and last day of the period, separated by a comma.
    pub period: String,
    /// The run does not start earlier; `None` for no restriction.
    pub ready: Option<Micros>,
}

/// The decision about the due times of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The due time to run.
    pub run: Option<DueRun>,
    /// The missed due times, each with its period and a message.
    pub missed: Vec<(Micros, String, String)>,
    /// Due times up to this one have been processed.
    pub settled: Micros,
    /// The next due time.
    pub next_due: Option<Micros>,
}

/// The result of deleting expired files and runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expired {
    /// Number of deleted files.
    pub files: i64,
    /// Whether all expired files and runs have been deleted.
    pub is_all: bool,
}

/// The unfinished work of a process that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnfinishedWork {
    /// Number of runs that are tried again.
    pub again: usize,
    /// Number of runs that have failed.
    pub failed: usize,
    /// Number of mails that may or may not have been sent.
    pub unsure: usize,
}

impl Store {
    /// Takes over the unfinished runs and mails of all other processes. Later results of these processes are ignored. `why` is the message of runs that fail.
    pub async fn take_up_report_runs(&self, now: Micros, why: &str, (making, mailing): (&[i64], &[i64])) -> Result<UnfinishedWork> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let rows = transaction.query(sql!("report_work/left"), &[&Stamp(now), &ATTEMPTS_MAX, &why, &making]).await?;
        let ids: Vec<i64> = rows.iter().map(|row| Ok(row.try_get("id")?)).collect::<Result<_>>()?;
        transaction.execute(sql!("report_work/drop_pieces"), &[&ids]).await?;
        let unsure = transaction.query(sql!("report_work/left_mail"), &[&UNSURE, &mailing]).await?;
        let mut left = UnfinishedWork::default();
        // Ordered by utility, like all other transactions that lock several audit chains.
        let mut failures: Vec<(i64, i64, &str, &str)> = Vec::new();
        for row in &rows {
            if RunState::stored(row.try_get("state")?)? == RunState::Failed {
                failures.push((row.try_get("client_id")?, row.try_get("id")?, "report_failed", why));
                left.failed += 1;
            } else {
                left.again += 1;
            }
        }
        for row in &unsure {
            failures.push((row.try_get("client_id")?, row.try_get("id")?, "report_mail_failed", UNSURE));
            left.unsure += 1;
        }
        failures.sort_unstable();
        for (client, run, action, message) in failures {
            let origin = Origin { actor: None, ..by_clock(ClientId(client), MemberId(0), String::new()) };
            let entry = Entry::new(&origin, action, format!("report run {run}"));
            audit::enter(&transaction, &entry.changing(None, Some(json!({ "message": message })))).await?;
        }
        transaction.commit().await?;
        Ok(left)
    }

    /// Lets doubtful runs wait again if their data are complete only after `until`, at most `limit` runs. Returns their number.
    pub async fn withdraw_early_report_runs(&self, (now, until): (Micros, Micros), limit: i64) -> Result<usize> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let early = transaction.prepare_cached(sql!("report_work/early")).await?;
        // Ordered by utility, like all other transactions that lock several audit chains.
        let rows = transaction.query(&early, &[&Stamp(now), &Stamp(until), &limit]).await?;
        let ids: Vec<i64> = rows.iter().map(|row| Ok(row.try_get("id")?)).collect::<Result<_>>()?;
        // A separate statement, so that pieces stored while the first one waited for a lock are deleted too.
        transaction.execute(sql!("report_work/drop_pieces"), &[&ids]).await?;
        for row in &rows {
            let origin = Origin { actor: None, ..by_clock(ClientId(row.try_get("client_id")?), MemberId(0), String::new()) };
            let entry = Entry::new(&origin, "report_run_withdrawn", format!("report run {}", row.try_get::<_, i64>("id")?));
            let what = json!({ "schedule": row.try_get::<_, i64>("schedule_id")?, "due": micros(row, "due")?.0 / 1_000, "why": "made by a clock that was ahead" });
            audit::enter(&transaction, &entry.changing(Some(what), None)).await?;
        }
        transaction.commit().await?;
        Ok(rows.len())
    }

    /// Returns schedules with due times to process, at most `limit`, the oldest due time first.
    pub async fn due_report_schedules(&self, now: Micros, limit: i64) -> Result<Vec<DueSchedule>> {
        self.query(sql!("report_work/due"), &[&Stamp(now), &limit]).await?.iter().map(due).collect()
    }

    /// Stores the decision about a schedule. Returns false, and stores nothing, if a user has changed the schedule meanwhile.
    pub async fn settle_report_schedule(&self, of: &DueSchedule, decided: &Settled, now: Micros) -> Result<bool> {
        let (client, id) = (of.client, of.id);
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let settle = transaction.prepare_cached(sql!("report_work/settle")).await?;
        let (settled, next) = (Stamp(decided.settled), decided.next_due.map(Stamp));
        let settled = transaction.query_opt(&settle, &[&client.0, &id, &Stamp(of.settled), &settled, &next, &of.zone]).await?;
        if settled.is_none() {
            return Ok(false);
        }
        if let Some(DueRun { due, period, ready }) = &decided.run {
            let begin = transaction.prepare_cached(sql!("report_work/begin")).await?;
            transaction.query_opt(&begin, &[&client.0, &id, &Stamp(*due), period, &ready.map(Stamp)]).await?;
        }
        let mut noted = 0;
        for (due, period, message) in &decided.missed {
            let note = transaction.prepare_cached(sql!("report_work/note")).await?;
            noted += transaction.execute(&note, &[&client.0, &id, &Stamp(*due), period, &Stamp(now), message]).await?;
        }
        tenant::release(&transaction).await?;
        if noted > 0 {
            let origin = by_clock(client, of.member, String::new());
            let entry = Entry::new(&origin, "report_runs_missed", format!("report schedule {id}"));
            audit::enter(&transaction, &entry.changing(None, Some(json!({ "runs": noted })))).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }
}

impl Store {
    /// Deletes expired files of all utilities, and all runs of each schedule except the newest `kept`. At most `portion` files and `portion` runs are deleted.
    pub async fn expire_report_files(&self, now: Micros, kept: i64, portion: i64) -> Result<Expired> {
        let row = self.query_opt(sql!("report_work/expire"), &[&Stamp(now), &portion]).await?;
        let pruned = self.execute(sql!("report_work/prune"), &[&kept, &portion]).await?;
        let (files, is_all) =
            row.map_or(Ok((0, true)), |row| Ok::<(i64, bool), crate::Error>((row.try_get("gone")?, row.try_get("is_all")?)))?;
        Ok(Expired { files, is_all: is_all && i64::try_from(pruned).is_ok_and(|pruned| pruned < portion) })
    }
}

/// Returns the origin for audit entries of an action without a request: the owner of the schedule as the user, and [`BY_CLOCK`] as the address.
pub(super) fn by_clock(client: ClientId, member: MemberId, correlation: String) -> Origin {
    Origin { client: Some(client), actor: Some(member), session: None, from: BY_CLOCK.to_owned(), correlation }
}

fn due(row: &Row) -> Result<DueSchedule> {
    Ok(DueSchedule {
        id: row.try_get("id")?,
        client: ClientId(row.try_get("client_id")?),
        member: MemberId(row.try_get("member_id")?),
        period: row.try_get("period")?,
        every: row.try_get("every")?,
        weekday: row.try_get("weekday")?,
        day_of_month: row.try_get("day_of_month")?,
        at_minute: row.try_get("at_minute")?,
        since: micros(row, "since")?,
        settled: micros(row, "settled")?,
        zone: row.try_get("time_zone")?,
        is_real_time: row.try_get("is_real_time")?,
    })
}
