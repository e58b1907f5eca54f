//! Schedules of reports, as their owners and administrators read and change them.

use std::collections::HashSet;

use grid::{ClientId, MemberId};
use postgres_types::ToSql;
use serde_json::{Value, json};

use super::{ScheduleDraft, ScheduleRecord, Timing, schedule};
use crate::audit::{self, Entry, Origin};
use crate::convert::{Stamp, sql};
use crate::pool::Params;
use crate::{Result, Store, tenant};

/// The result of adding a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// The schedule was added with this id.
    As(i64),
    /// The user or the utility has the maximum number of schedules.
    Full,
}

impl ScheduleDraft {
    /// Returns whether the due times are the same as those of another draft.
    pub fn is_due_as(&self, other: &Self) -> bool {
        let of = |draft: &Self| (draft.every.clone(), draft.weekday, draft.day_of_month, draft.at_minute, draft.enabled);
        of(self) == of(other)
    }

    /// Returns the columns of a schedule, in the order of the statements that add and change one.
    fn params(&self) -> [&(dyn ToSql + Sync); 11] {
        let Self { name, question, period, format, every, weekday, day_of_month, at_minute, mail_to, keep_days, enabled } = self;
        [name, question, period, format, every, weekday, day_of_month, at_minute, mail_to, keep_days, enabled]
    }

    /// Returns the schedule for the audit.
    fn audit_value(&self) -> Value {
        json!({
            "name": self.name, "question": self.question, "period": self.period, "format": self.format, "every": self.every, "weekday": self.weekday,
            "dayOfMonth": self.day_of_month, "atMinute": self.at_minute, "mailTo": self.mail_to, "keepDays": self.keep_days, "enabled": self.enabled,
        })
    }
}

impl Store {
    /// Returns the schedules of `member` in a utility, ordered by name. With `None`, returns the schedules of all users. Each schedule has its newest run.
    pub async fn report_schedules(&self, client: ClientId, member: Option<MemberId>) -> Result<Vec<ScheduleRecord>> {
        let params: Params<'_> = &[&client.0, &member.map(|member| member.0), &None::<i64>];
        self.query_bound(client, sql!("report/schedules"), params).await?.iter().map(schedule).collect()
    }

    /// Returns one schedule.
    pub async fn report_schedule(&self, client: ClientId, member: Option<MemberId>, id: i64) -> Result<Option<ScheduleRecord>> {
        let params: Params<'_> = &[&client.0, &member.map(|member| member.0), &Some(id)];
        self.query_bound(client, sql!("report/schedules"), params).await?.first().map(schedule).transpose()
    }

    /// Adds a schedule and an audit entry, unless the user has `most.0` schedules already or the utility `most.1`.
    pub async fn add_report_schedule(
        &self,
        (client, member): (ClientId, MemberId),
        draft: &ScheduleDraft,
        timing: &Timing,
        most: (i64, i64),
        origin: &Origin,
    ) -> Result<Added> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let lock = transaction.prepare_cached(sql!("client/lock")).await?;
        transaction.query_opt(&lock, &[&client.0]).await?;
        let put = transaction.prepare_cached(sql!("report/schedule_put")).await?;
        let (settled, next_due) = (Stamp(timing.settled), timing.next_due.map(Stamp));
        let owner: Params<'_> = &[&client.0, &member.0];
        let timing: Params<'_> = &[&settled, &next_due, &timing.zone, &most.0, &most.1];
        let row = transaction.query_opt(&put, &[owner, &draft.params(), timing].concat()).await?;
        let Some(row) = row else { return Ok(Added::Full) };
        let id: i64 = row.try_get("id")?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "report_schedule_added", format!("report schedule {id}"));
        audit::enter(&transaction, &entry.changing(None, Some(draft.audit_value()))).await?;
        transaction.commit().await?;
        Ok(Added::As(id))
    }

    /// Replaces a schedule of `member`, or of any user with `None`, and adds an audit entry. `timed` gets the locked schedule and returns its new due times.
    /// Returns false if there is no such schedule.
    pub async fn change_report_schedule(
        &self,
        (client, member): (ClientId, Option<MemberId>),
        id: i64,
        draft: &ScheduleDraft,
        origin: &Origin,
        timed: impl FnOnce(&ScheduleRecord) -> Timing + Send,
    ) -> Result<bool> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let lock = transaction.prepare_cached(sql!("report/schedule_lock")).await?;
        let row = transaction.query_opt(&lock, &[&client.0, &member.map(|member| member.0), &id]).await?;
        let Some(row) = row else { return Ok(false) };
        let before = schedule(&row)?;
        let timing = timed(&before);
        let change = transaction.prepare_cached(sql!("report/schedule_change")).await?;
        let (settled, next_due, since) = (Stamp(timing.settled), timing.next_due.map(Stamp), Stamp(timing.since));
        let schedule: Params<'_> = &[&client.0, &id];
        let timing: Params<'_> = &[&settled, &next_due, &timing.zone, &since];
        transaction.execute(&change, &[schedule, &draft.params(), timing].concat()).await?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "report_schedule_changed", format!("report schedule {id}"));
        audit::enter(&transaction, &entry.changing(Some(before.draft.audit_value()), Some(draft.audit_value()))).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Deletes a schedule of `member`, or of any user with `None`, with its runs, files and links, and adds an audit entry. Returns false if there is no such
    /// schedule.
    pub async fn remove_report_schedule(&self, client: ClientId, member: Option<MemberId>, id: i64, origin: &Origin) -> Result<bool> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let lock = transaction.prepare_cached(sql!("report/schedule_lock")).await?;
        let row = transaction.query_opt(&lock, &[&client.0, &member.map(|member| member.0), &id]).await?;
        let Some(row) = row else { return Ok(false) };
        let before = schedule(&row)?.draft.audit_value();
        let remove = transaction.prepare_cached(sql!("report/schedule_remove")).await?;
        transaction.execute(&remove, &[&client.0, &id]).await?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "report_schedule_removed", format!("report schedule {id}"));
        audit::enter(&transaction, &entry.changing(Some(before), None)).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Returns the given addresses (in lower case) that belong to users of the utility who are not disabled.
    pub async fn member_addresses(&self, client: ClientId, addresses: &[String]) -> Result<HashSet<String>> {
        let rows = self.query_bound(client, sql!("report/addresses"), &[&client.0, &addresses]).await?;
        rows.iter().map(|row| Ok(row.try_get("email")?)).collect()
    }
}
