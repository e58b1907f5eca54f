//! Saved reports: selections, schedules, their runs, the files and links to them. They belong to users of a utility, and the role of the tenant connections
//! cannot read such tables. So queries use connections for all utilities that are bound to the utility.

mod files;
mod making;
mod runs;
mod schedules;
mod selections;
mod work;

use grid::{MemberId, Micros, NodeId, enum_text};
use serde_json::Value;
use tokio_postgres::Row;

use crate::convert::{micros, micros_or_null};
use crate::{Error, Result};

pub use files::{LinkRecord, Opened};
pub use making::{Appended, Claimed, Finished, Mailing};
pub use runs::StoppedRun;
pub use schedules::Added;
pub use work::{DueRun, DueSchedule, Expired, Settled, UnfinishedWork};

/// Maximum size of a piece of a file, bytes.
pub const PIECE_MAX: usize = 1024 * 1024;

/// The content of a saved selection.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionDraft {
    /// Name, one line.
    pub name: String,
    /// Report request as JSON, in the format of the api.
    pub question: Value,
    /// File extension of the report.
    pub format: String,
}

/// A saved selection of a user.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionRecord {
    /// Id of the selection.
    pub id: i64,
    /// Content of the selection.
    pub draft: SelectionDraft,
    /// When it was first saved.
    pub created: Micros,
}

/// The settings of a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleDraft {
    /// Name, one line.
    pub name: String,
    /// Report request as JSON, in the format of the api, without the period.
    pub question: Value,
    /// Period of the report: `day`, `week`, `month`, `quarter` or `financialYear`.
    pub period: String,
    /// File extension of the report.
    pub format: String,
    /// How often it runs: `day`, `week` or `month`.
    pub every: String,
    /// Day of the week, 1 is Monday; only for `week`.
    pub weekday: Option<i16>,
    /// Day of the month, 1 to 28; only for `month`.
    pub day_of_month: Option<i16>,
    /// Time of the day in the utility's time zone, minutes from midnight.
    pub at_minute: i16,
    /// E-mail addresses that receive the file.
    pub mail_to: Vec<String>,
    /// How long files are stored, days.
    pub keep_days: i16,
    /// Whether the schedule is enabled.
    pub enabled: bool,
}

/// The due times of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    /// Due times before this are ignored.
    pub since: Micros,
    /// Due times up to this one have been processed.
    pub settled: Micros,
    /// The first due time after that; `None` while the schedule is disabled.
    pub next_due: Option<Micros>,
    /// The time zone from which the due time was computed.
    pub zone: String,
}

/// A stored schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleRecord {
    /// Id of the schedule.
    pub id: i64,
    /// Id of its owner.
    pub member: MemberId,
    /// Name of its owner, if the owner belongs to the utility.
    pub author: Option<String>,
    /// Settings of the schedule.
    pub draft: ScheduleDraft,
    /// When its present settings became effective.
    pub since: Micros,
    /// Due times up to this one have been processed.
    pub settled: Micros,
    /// The next due time.
    pub next_due: Option<Micros>,
    /// The latest run.
    pub last_run: Option<RunRecord>,
}

/// A run of a schedule, at a due time or at the request of a user.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// Id of the run.
    pub id: i64,
    /// Id of the schedule.
    pub schedule: i64,
    /// Due time.
    pub due: Micros,
    /// When the data of its period are complete. The run does not start earlier. `None` if it need not wait.
    pub ready: Option<Micros>,
    /// When its last attempt started.
    pub started: Option<Micros>,
    /// When it ended.
    pub finished: Option<Micros>,
    /// How far it is.
    pub state: RunState,
    /// Number of rows in the file.
    pub rows: Option<i64>,
    /// Size of the file, bytes.
    pub bytes: Option<i64>,
    /// Whether the file is still stored.
    pub kept: bool,
    /// When the file is deleted.
    pub expires: Option<Micros>,
    /// Name of the file.
    pub file_name: Option<String>,
    /// Media type, for `Content-Type`.
    pub media_type: Option<String>,
    /// Message for the user.
    pub message: String,
    /// Whether the file was sent by mail.
    pub mailed: bool,
    /// First and last day of the period, separated by a comma; empty for a report without a period.
    pub period: String,
}

/// The permissions with which a user reads the data of a utility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportPermissions {
    /// The node to whose area the user is limited; `None` for the whole utility.
    pub node: Option<NodeId>,
    /// Role number.
    pub role: i32,
}

/// A run and its request.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedRun {
    /// The run.
    pub run: RunRecord,
    /// Report request of the schedule when the run was added, as JSON.
    pub question: Value,
    /// Name of the period, such as `month`.
    pub period_word: String,
    /// The permissions of the owner with which the data of the file were read; `None` without a file.
    pub made_as: Option<ReportPermissions>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It has not started, or waits for another attempt.
    Waiting,
    /// Its file is being made.
    Running,
    /// Its file is complete.
    Done,
    /// There were no rows.
    Empty,
    /// It failed or was stopped.
    Failed,
}

enum_text! {
    /// Returns the state as it is stored and written in answers.
    RunState {
        Waiting = "waiting",
        Running = "running",
        Done = "done",
        Empty = "empty",
        Failed = "failed",
    }
}

impl RunState {
    /// Returns whether the run can still be stopped.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }

    fn stored(text: &str) -> Result<Self> {
        Self::parse(text).ok_or_else(|| Error::Data(format!("a run has no state {text:?}")))
    }
}

/// The state of the mail of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MailState {
    None,
    Waiting,
    Sending,
    Sent,
    Failed,
}

enum_text! {
    /// The text in the database.
    MailState {
        None = "none",
        Waiting = "waiting",
        Sending = "sending",
        Sent = "sent",
        Failed = "failed",
    }
}

impl MailState {
    fn stored(text: &str) -> Result<Self> {
        Self::parse(text).ok_or_else(|| Error::Data(format!("a mail has no state {text:?}")))
    }
}

fn selection(row: &Row) -> Result<SelectionRecord> {
    let draft = SelectionDraft { name: row.try_get("name")?, question: row.try_get("question")?, format: row.try_get("format")? };
    Ok(SelectionRecord { id: row.try_get("id")?, draft, created: micros(row, "created")? })
}

fn schedule(row: &Row) -> Result<ScheduleRecord> {
    let draft = ScheduleDraft {
        name: row.try_get("name")?,
        question: row.try_get("question")?,
        period: row.try_get("period_word")?,
        format: row.try_get("format")?,
        every: row.try_get("every")?,
        weekday: row.try_get("weekday")?,
        day_of_month: row.try_get("day_of_month")?,
        at_minute: row.try_get("at_minute")?,
        mail_to: row.try_get("mail_to")?,
        keep_days: row.try_get("keep_days")?,
        enabled: row.try_get("enabled")?,
    };
    let has_run = row.try_get::<_, Option<i64>>("id")?.is_some();
    Ok(ScheduleRecord {
        id: row.try_get("schedule_id")?,
        member: MemberId(row.try_get("member_id")?),
        author: row.try_get("author")?,
        draft,
        since: micros(row, "since")?,
        settled: micros(row, "settled")?,
        next_due: micros_or_null(row, "next_due")?,
        last_run: if has_run { Some(run(row)?) } else { None },
    })
}

fn run(row: &Row) -> Result<RunRecord> {
    let mail = MailState::stored(row.try_get("mail")?)?;
    Ok(RunRecord {
        id: row.try_get("id")?,
        schedule: row.try_get("run_of")?,
        due: micros(row, "due")?,
        ready: micros_or_null(row, "ready")?,
        started: micros_or_null(row, "started")?,
        finished: micros_or_null(row, "finished")?,
        state: RunState::stored(row.try_get("state")?)?,
        rows: row.try_get("rows")?,
        bytes: row.try_get("bytes")?,
        kept: row.try_get("kept")?,
        expires: micros_or_null(row, "expires")?,
        file_name: row.try_get("file_name")?,
        media_type: row.try_get("media_type")?,
        message: row.try_get("message")?,
        mailed: mail == MailState::Sent,
        period: row.try_get("period")?,
    })
}

fn made_as(row: &Row) -> Result<Option<ReportPermissions>> {
    let node = row.try_get::<_, Option<i64>>("made_node")?.map(NodeId);
    Ok(row.try_get::<_, Option<i32>>("made_role")?.map(|role| ReportPermissions { node, role }))
}

fn hash(bytes: &[u8; 32]) -> &[u8] {
    bytes.as_slice()
}

fn piece_number(number: usize) -> Result<i32> {
    i32::try_from(number).map_err(|_| Error::Data(format!("a file has no piece {number}")))
}
