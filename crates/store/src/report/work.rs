//! What the one who minds schedules of reports asks and enters, of all utilities: which are due, and what becomes of that. However many believe that they are
//! the one, a due time is run once.

use grid::{ClientId, MemberId, Micros};
use serde_json::json;
use tokio_postgres::Row;

use crate::audit::{self, Entry, Origin};
use crate::convert::{Stamp, micros, sql};
use crate::{Result, Store, tenant};

/// Where what nobody asks for comes from, as the audit tells it.
const BY_CLOCK: &str = "schedule";
/// Attempts of a run: what was left by a process that ended is tried again once.
const ATTEMPTS_MAX: i16 = 2;

/// A schedule of which something is to be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueSchedule {
    /// Its number.
    pub id: i64,
    /// The utility.
    pub client: ClientId,
    /// Whose it is.
    pub member: MemberId,
    /// As in a draft.
    pub period: String,
    /// As in a draft.
    pub every: String,
    /// As in a draft.
    pub weekday: Option<i16>,
    /// As in a draft.
    pub day_of_month: Option<i16>,
    /// As in a draft.
    pub at_minute: i16,
    /// Nothing before is due.
    pub since: Micros,
    /// Up to here it is decided.
    pub settled: Micros,
    /// The utility's zone now.
    pub zone: String,
    /// Whether its report tells what stands now, and is of no days.
    pub is_real_time: bool,
}

/// A due time that is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueRun {
    /// When it was due.
    pub due: Micros,
    /// First and last day, with a comma between.
    pub period: String,
    /// It is made no sooner; `None`: at once.
    pub ready: Option<Micros>,
}

/// What was decided about the due times of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The one that is run.
    pub run: Option<DueRun>,
    /// Those that went by, with their days and what is said of each.
    pub missed: Vec<(Micros, String, String)>,
    /// Up to here it is decided now.
    pub settled: Micros,
    /// The next one.
    pub next_due: Option<Micros>,
}

/// What went because its time was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expired {
    /// Files.
    pub files: i64,
    /// Whether nothing is left that should go.
    pub is_all: bool,
}

/// What was left by a process that ended in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Left {
    /// Runs that are made again.
    pub again: usize,
    /// Runs that are given up.
    pub failed: usize,
}

impl Store {
    /// Takes up what was left by those who worked before; nobody else may be at work. `why` is said of what is given up.
    pub async fn take_up_report_runs(&self, now: Micros, why: &str) -> Result<Left> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let rows = transaction.query(sql!("report_work/left"), &[&Stamp(now), &ATTEMPTS_MAX, &why]).await?;
        let ids: Vec<i64> = rows.iter().map(|row| Ok(row.try_get("id")?)).collect::<Result<_>>()?;
        transaction.execute(sql!("report_work/drop_pieces"), &[&ids]).await?;
        transaction
            .execute(sql!("report_work/left_mail"), &[&"The mail was under way when the server stopped, it may not have arrived."])
            .await?;
        let mut left = Left::default();
        // By utility, as every other who locks several chains.
        let mut failed: Vec<(i64, i64)> = Vec::new();
        for row in &rows {
            if row.try_get::<_, &str>("state")? == "failed" {
                failed.push((row.try_get("client_id")?, row.try_get("id")?));
            } else {
                left.again += 1;
            }
        }
        failed.sort_unstable();
        left.failed = failed.len();
        for (client, run) in failed {
            let origin = Origin { actor: None, ..by_clock(ClientId(client), MemberId(0), String::new()) };
            let entry = Entry::new(&origin, "report_failed", format!("report run {run}"));
            audit::enter(&transaction, &entry.changing(None, Some(json!({ "message": why })))).await?;
        }
        transaction.commit().await?;
        Ok(left)
    }

    /// Has runs that a clock which was ahead had made before their days had their figures made anew when their time comes, at most `limit` at once: all whose
    /// figures are there after `until` only. How many they were.
    pub async fn withdraw_early_report_runs(&self, (now, until): (Micros, Micros), limit: i64) -> Result<usize> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let early = transaction.prepare_cached(sql!("report_work/early")).await?;
        // In the order of utilities, as every other who locks several chains.
        let rows = transaction.query(&early, &[&Stamp(now), &Stamp(until), &limit]).await?;
        let ids: Vec<i64> = rows.iter().map(|row| Ok(row.try_get("id")?)).collect::<Result<_>>()?;
        // A statement of its own: what came while the first one waited for a run is gone as well.
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

    /// Schedules of which something is to be decided, at most `limit`; those that are due longest come first.
    pub async fn due_report_schedules(&self, now: Micros, limit: i64) -> Result<Vec<DueSchedule>> {
        self.query(sql!("report_work/due"), &[&Stamp(now), &limit]).await?.iter().map(due).collect()
    }

    /// Enters what was decided about a schedule; false where somebody has changed it meanwhile, and nothing is entered.
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
    /// Lets go the files whose time is over, of all utilities, and of each schedule all but the newest `kept` runs: at most `portion` of each kind.
    pub async fn expire_report_files(&self, now: Micros, kept: i64, portion: i64) -> Result<Expired> {
        let row = self.query_opt(sql!("report_work/expire"), &[&Stamp(now), &portion]).await?;
        let pruned = self.execute(sql!("report_work/prune"), &[&kept, &portion]).await?;
        let (files, is_all) =
            row.map_or(Ok((0, true)), |row| Ok::<(i64, bool), crate::Error>((row.try_get("gone")?, row.try_get("is_all")?)))?;
        Ok(Expired { files, is_all: is_all && i64::try_from(pruned).is_ok_and(|pruned| pruned < portion) })
    }
}

/// Who does what nobody asks for in this moment: the owner's schedule, by the clock.
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
