//! Runs of schedules, as users read, start and stop them.

use grid::{ClientId, MemberId, Micros};
use serde_json::json;

use super::{AskedRun, RunRecord, made_as, run};
use crate::audit::{self, Entry, Origin};
use crate::convert::{Stamp, sql};
use crate::{Result, Store, tenant};

/// The result of stopping a run.
#[derive(Debug, Clone, PartialEq)]
pub enum StoppedRun {
    /// The run was stopped and has no file.
    Now(RunRecord),
    /// The run had ended already and is unchanged.
    Before(RunRecord),
}

impl Store {
    /// Returns the newest runs of a schedule, newest first. The caller has checked the owner of the schedule.
    pub async fn report_runs(&self, client: ClientId, schedule: i64, limit: i64) -> Result<Vec<RunRecord>> {
        self.query_bound(client, sql!("report/runs"), &[&client.0, &schedule, &limit]).await?.iter().map(run).collect()
    }

    /// Returns a run of a schedule of `member`, or of any user with `None`.
    pub async fn report_run(&self, client: ClientId, member: Option<MemberId>, id: i64) -> Result<Option<AskedRun>> {
        let params: crate::pool::Params<'_> = &[&client.0, &member.map(|member| member.0), &id];
        let rows = self.query_bound(client, sql!("report/run"), params).await?;
        let requested_run = |row: &tokio_postgres::Row| {
            let (question, period_word) = (row.try_get("question")?, row.try_get("period_word")?);
            Ok(AskedRun { run: run(row)?, question, period_word, made_as: made_as(row)? })
        };
        rows.first().map(requested_run).transpose()
    }

    /// Adds a run of a schedule that is due now, with an audit entry. `None` while a run of the schedule is waiting or in progress.
    pub async fn ask_report_run(
        &self,
        (client, member): (ClientId, MemberId),
        schedule: i64,
        now: Micros,
        period: &str,
        origin: &Origin,
    ) -> Result<Option<RunRecord>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        // With the lock, the second of two simultaneous requests finds the run of the first one.
        let lock = transaction.prepare_cached(sql!("report/schedule_lock")).await?;
        transaction.query_opt(&lock, &[&client.0, &None::<i64>, &schedule]).await?;
        let ask = transaction.prepare_cached(sql!("report/run_ask")).await?;
        let row = transaction.query_opt(&ask, &[&client.0, &schedule, &Stamp(now), &member.0, &period]).await?;
        let Some(row) = row else { return Ok(None) };
        let created = run(&row)?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "report_run_asked", format!("report schedule {schedule}"));
        audit::enter(&transaction, &entry.changing(None, Some(json!({ "run": created.id, "period": period })))).await?;
        transaction.commit().await?;
        Ok(Some(created))
    }

    /// Stops a waiting or running run of a schedule of `member`, or of any user with `None`, and adds an audit entry. `why` becomes its message. Later results
    /// of its worker are ignored. `None` if there is no such run.
    pub async fn stop_report_run(
        &self,
        (client, member): (ClientId, Option<MemberId>),
        id: i64,
        now: Micros,
        why: &str,
        origin: &Origin,
    ) -> Result<Option<StoppedRun>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let lock = transaction.prepare_cached(sql!("report/run_lock")).await?;
        let row = transaction.query_opt(&lock, &[&client.0, &member.map(|member| member.0), &id]).await?;
        let Some(row) = row else { return Ok(None) };
        let before = run(&row)?;
        if !before.state.is_open() {
            return Ok(Some(StoppedRun::Before(before)));
        }
        let stop = transaction.prepare_cached(sql!("report/run_stop")).await?;
        let stopped = run(&transaction.query_one(&stop, &[&client.0, &id, &why, &Stamp(now)]).await?)?;
        // A separate statement, so that pieces stored while waiting for the lock are deleted too.
        let clear = transaction.prepare_cached(sql!("report/run_clear")).await?;
        transaction.execute(&clear, &[&client.0, &id]).await?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "report_run_stopped", format!("report schedule {}", stopped.schedule));
        let (was, is) =
            (json!({ "run": id, "state": before.state.as_str() }), json!({ "run": id, "state": stopped.state.as_str(), "message": why }));
        audit::enter(&transaction, &entry.changing(Some(was), Some(is))).await?;
        transaction.commit().await?;
        Ok(Some(StoppedRun::Now(stopped)))
    }
}
