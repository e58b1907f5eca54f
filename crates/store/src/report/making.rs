//! Creation and mailing of runs of all utilities. If another process has taken over a run, or a user has stopped it, the results of the earlier attempt are
//! ignored.

use grid::{ClientId, MemberId, Micros};
use serde_json::{Value, json};
use tokio_postgres::Row;

use super::work::by_clock;
use super::{MailState, ReportPermissions, RunState, made_as, piece_number};
use crate::audit::{self, Entry, Origin};
use crate::convert::{Stamp, micros, sql};
use crate::people::{MemberRecord, member};
use crate::{Result, Store, tenant};

/// A run to create.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    /// Id of the run.
    pub id: i64,
    /// Id of the utility.
    pub client: ClientId,
    /// Id of the schedule.
    pub schedule: i64,
    /// Id of the owner.
    pub member: MemberId,
    /// Number of the attempt, from 1.
    pub attempt: i16,
    /// Due time.
    pub due: Micros,
    /// First and last day of the period, separated by a comma.
    pub period: String,
    /// Name of the period, such as `month`.
    pub period_word: String,
    /// Name of the schedule.
    pub name: String,
    /// Report request as JSON, without the period.
    pub question: Value,
    /// File extension.
    pub format: String,
    /// How long the file is stored, days.
    pub keep_days: i16,
    /// Whether the file is sent by mail.
    pub to_mail: bool,
}

/// The result of storing a piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// The piece is stored.
    Kept,
    /// The files of the utility would exceed their limit.
    Full,
    /// The files of the owner would exceed the owner's share of the limit.
    FullOfOne,
    /// This attempt is no longer the current one: the run was stopped or taken over.
    Lost,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// The run has a file.
    Done {
        /// Number of rows; `None` for a document.
        rows: Option<i64>,
        /// The permissions of the owner with which the data were read.
        made_as: ReportPermissions,
        /// Name of the file.
        file_name: String,
        /// Media type, for `Content-Type`.
        media_type: String,
        /// When the file is deleted.
        expires: Micros,
        /// Message for the user, such as where the file was cut.
        message: String,
    },
    /// The report has no rows, so there is no file.
    Empty,
    /// The run failed for this reason.
    Failed(String),
}

/// A run whose file is to be sent by mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailing {
    /// Id of the run.
    pub id: i64,
    /// Id of the utility.
    pub client: ClientId,
    /// Id of the schedule.
    pub schedule: i64,
    /// Id of the owner.
    pub member: MemberId,
    /// Name of the schedule.
    pub name: String,
    /// E-mail addresses of the recipients.
    pub mail_to: Vec<String>,
    /// First and last day of the period, separated by a comma.
    pub period: String,
    /// Number of rows in the file.
    pub rows: Option<i64>,
    /// Size of the file, bytes.
    pub bytes: Option<i64>,
    /// Name of the file; `None` if the report had no rows.
    pub file_name: Option<String>,
    /// Media type, for `Content-Type`.
    pub media_type: Option<String>,
    /// The permissions of the owner with which the data were read; `None` without a file.
    pub made_as: Option<ReportPermissions>,
}

impl Claimed {
    /// Returns the origin for audit entries of this run.
    pub fn origin(&self) -> Origin {
        by_clock(self.client, self.member, format!("run {}", self.id))
    }
}

impl Mailing {
    /// Returns the origin for audit entries of this run.
    pub fn origin(&self) -> Origin {
        by_clock(self.client, self.member, format!("run {}", self.id))
    }
}

impl Store {
    /// Returns a waiting run that can start, and its utility. That utility has no run in progress and none in `queued`.
    pub async fn next_report_run(&self, now: Micros, queued: &[i64]) -> Result<Option<(i64, ClientId)>> {
        let row = self.query_opt(sql!("report_work/next"), &[&Stamp(now), &queued]).await?;
        row.map(|row| Ok((row.try_get("id")?, ClientId(row.try_get("client_id")?)))).transpose()
    }

    /// Starts an attempt of a waiting run; `None` if the run can no longer start. `is_doubtful` means that the clock may be ahead.
    pub async fn claim_report_run(&self, run: i64, now: Micros, is_doubtful: bool) -> Result<Option<Claimed>> {
        self.query_opt(sql!("report_work/claim"), &[&run, &Stamp(now), &is_doubtful]).await?.as_ref().map(claimed).transpose()
    }

    /// Returns those of the given runs that are in this state. A user may have stopped the others.
    pub async fn report_runs_in(&self, state: RunState, runs: &[i64]) -> Result<Vec<i64>> {
        let rows = self.query(sql!("report_work/under_way"), &[&runs, &state.as_str()]).await?;
        rows.iter().map(|row| Ok(row.try_get("id")?)).collect()
    }

    /// Returns a member with the present permissions of a session in this utility; `None` if the member could have no session there.
    pub async fn report_owner(&self, client: ClientId, id: MemberId) -> Result<Option<MemberRecord>> {
        self.query_opt(sql!("report_work/owner"), &[&client.0, &id.0]).await?.as_ref().map(member).transpose()
    }

    /// Stores the next piece of a file, if afterwards the files of the utility have at most `most` bytes, and those of the owner at most `most_of_one`.
    pub async fn append_report_piece(&self, of: &Claimed, number: usize, body: &[u8], (most, most_of_one): (i64, i64)) -> Result<Appended> {
        let number = piece_number(number)?;
        let params: crate::pool::Params<'_> = &[&of.client.0, &of.id, &of.attempt, &number, &body, &most, &most_of_one];
        let rows = self.query_bound(of.client, sql!("report_work/append"), params).await?;
        let Some(row) = rows.first() else { return Ok(Appended::Lost) };
        let (is_mine, is_kept): (bool, bool) = (row.try_get("is_mine")?, row.try_get("is_kept")?);
        Ok(match (is_kept, is_mine) {
            (true, _) => Appended::Kept,
            (false, false) => Appended::Lost,
            (false, true) if row.try_get("has_room")? => Appended::FullOfOne,
            (false, true) => Appended::Full,
        })
    }

    /// Stores the outcome of a run and adds an audit entry. If the outcome has no file, its pieces are deleted. Returns false if this attempt is no longer the
    /// current one.
    pub async fn finish_report_run(&self, of: &Claimed, end: &Finished, now: Micros) -> Result<bool> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, of.client).await?;
        let (state, rows, name, media, message, expires) = match end {
            Finished::Done { rows, file_name, media_type, expires, message, .. } => {
                (RunState::Done, *rows, Some(file_name), Some(media_type), message.as_str(), Some(Stamp(*expires)))
            }
            Finished::Empty => (RunState::Empty, Some(0), None, None, "There were no rows.", None),
            Finished::Failed(why) => (RunState::Failed, None, None, None, why.as_str(), None),
        };
        let made_as = if let Finished::Done { made_as, .. } = end { Some(*made_as) } else { None };
        let (node, role) = (made_as.and_then(|made| made.node).map(|node| node.0), made_as.map(|made| made.role));
        let mail = if of.to_mail && state != RunState::Failed { MailState::Waiting } else { MailState::None };
        let (word, mail) = (state.as_str(), mail.as_str());
        let finish = transaction.prepare_cached(sql!("report_work/finish")).await?;
        let row = transaction
            .query_opt(
                &finish,
                &[&of.client.0, &of.id, &of.attempt, &word, &rows, &name, &media, &message, &Stamp(now), &expires, &mail, &node, &role],
            )
            .await?;
        let Some(row) = row else { return Ok(false) };
        let bytes: Option<i64> = row.try_get("bytes")?;
        if bytes.is_none() {
            let drop = transaction.prepare_cached(sql!("report_work/drop_pieces")).await?;
            transaction.execute(&drop, &[&vec![of.id]]).await?;
        }
        tenant::release(&transaction).await?;
        let (origin, action) = (of.origin(), if state == RunState::Failed { "report_failed" } else { "report_made" });
        let entry = Entry::new(&origin, action, format!("report schedule {}", of.schedule));
        let after = json!({ "run": of.id, "state": word, "period": of.period, "rows": rows, "bytes": bytes, "message": message });
        audit::enter(&transaction, &entry.changing(None, Some(after))).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Claims the oldest run whose mail is to be sent. Each mail is sent at most once: if the process ends meanwhile, it is not sent again.
    pub async fn claim_report_mail(&self) -> Result<Option<Mailing>> {
        self.query_opt(sql!("report_work/claim_mail"), &[]).await?.as_ref().map(mailing).transpose()
    }

    /// Stores whether a mail was sent, to which addresses, and a message about problems, and adds an audit entry.
    pub async fn end_report_mail(&self, of: &Mailing, to: &[String], trouble: &str) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, of.client).await?;
        let mailed = transaction.prepare_cached(sql!("report_work/mailed")).await?;
        let word = if trouble.is_empty() { MailState::Sent } else { MailState::Failed }.as_str();
        if transaction.query_opt(&mailed, &[&of.client.0, &of.id, &word, &trouble]).await?.is_none() {
            return Ok(());
        }
        tenant::release(&transaction).await?;
        let (origin, action) = (of.origin(), if trouble.is_empty() { "report_mailed" } else { "report_mail_failed" });
        let entry = Entry::new(&origin, action, format!("report schedule {}", of.schedule));
        audit::enter(&transaction, &entry.changing(None, Some(json!({ "run": of.id, "to": to, "message": trouble })))).await?;
        transaction.commit().await?;
        Ok(())
    }
}

fn claimed(row: &Row) -> Result<Claimed> {
    Ok(Claimed {
        id: row.try_get("id")?,
        client: ClientId(row.try_get("client_id")?),
        schedule: row.try_get("schedule_id")?,
        member: MemberId(row.try_get("member_id")?),
        attempt: row.try_get("attempts")?,
        due: micros(row, "due")?,
        period: row.try_get("period")?,
        period_word: row.try_get("period_word")?,
        name: row.try_get("name")?,
        question: row.try_get("question")?,
        format: row.try_get("format")?,
        keep_days: row.try_get("keep_days")?,
        to_mail: row.try_get("to_mail")?,
    })
}

fn mailing(row: &Row) -> Result<Mailing> {
    Ok(Mailing {
        id: row.try_get("id")?,
        client: ClientId(row.try_get("client_id")?),
        schedule: row.try_get("schedule_id")?,
        member: MemberId(row.try_get("member_id")?),
        name: row.try_get("name")?,
        mail_to: row.try_get("mail_to")?,
        period: row.try_get("period")?,
        rows: row.try_get("rows")?,
        bytes: row.try_get("bytes")?,
        file_name: row.try_get("file_name")?,
        media_type: row.try_get("media_type")?,
        made_as: made_as(row)?,
    })
}
