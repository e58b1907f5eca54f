//! Reports that are asked again: what people have saved, what is made by itself, what came of it, the files and the links to them. All of it belongs to a
//! person of a utility, so the role that only reads does not see it: questions are bound to the utility instead.

mod files;
mod making;
mod runs;
mod schedules;
mod selections;
mod work;

use grid::{MemberId, Micros, NodeId};
use serde_json::Value;
use tokio_postgres::Row;

use crate::convert::{micros, micros_or_null};
use crate::{Error, Result};

pub use files::{LinkRecord, Opened};
pub use making::{Appended, Claimed, Finished, Mailing};
pub use runs::StoppedRun;
pub use schedules::Added;
pub use work::{DueRun, DueSchedule, Expired, Left, Settled};

/// Bytes of one piece of a file at most.
pub const PIECE_MAX: usize = 1024 * 1024;

/// What somebody saves to ask it again.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionDraft {
    /// One line.
    pub name: String,
    /// As the api reads it.
    pub question: Value,
    /// The extension of the file.
    pub format: String,
}

/// A question that somebody has saved.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionRecord {
    /// Its number.
    pub id: i64,
    /// What it is.
    pub draft: SelectionDraft,
    /// When it was saved first.
    pub created: Micros,
}

/// What is decided about a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleDraft {
    /// One line.
    pub name: String,
    /// As the api reads it, without its days.
    pub question: Value,
    /// A word for its days: `day`, `week`, `month`, `quarter`, `financialYear`.
    pub period: String,
    /// The extension of the file.
    pub format: String,
    /// `day`, `week` or `month`.
    pub every: String,
    /// 1 is Monday; of `week` alone.
    pub weekday: Option<i16>,
    /// 1 to 28; of `month` alone.
    pub day_of_month: Option<i16>,
    /// Minutes from midnight, by the utility's clock.
    pub at_minute: i16,
    /// Who gets it by mail.
    pub mail_to: Vec<String>,
    /// So long its files are kept.
    pub keep_days: i16,
    /// Whether it is made at all.
    pub enabled: bool,
}

/// When a schedule is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    /// Nothing before is due.
    pub since: Micros,
    /// Up to here it is decided.
    pub settled: Micros,
    /// The first due time behind that; `None` while it is not enabled.
    pub next_due: Option<Micros>,
    /// The zone by which that was worked out.
    pub zone: String,
}

/// A schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleRecord {
    /// Its number.
    pub id: i64,
    /// Whose it is.
    pub member: MemberId,
    /// Their name, where the utility has it.
    pub author: Option<String>,
    /// What is decided about it.
    pub draft: ScheduleDraft,
    /// Since when it is due as it is.
    pub since: Micros,
    /// Up to here it is decided what becomes of its due times.
    pub settled: Micros,
    /// The next one.
    pub next_due: Option<Micros>,
    /// The newest run.
    pub last_run: Option<RunRecord>,
}

/// What came of a due time, or of somebody's wish.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// Its number.
    pub id: i64,
    /// Of which schedule.
    pub schedule: i64,
    /// When it was due.
    pub due: Micros,
    /// From when on the figures of its days are complete, it is made no sooner; `None` where it waits for none.
    pub ready: Option<Micros>,
    /// When it was begun, the last time.
    pub started: Option<Micros>,
    /// When it ended.
    pub finished: Option<Micros>,
    /// `waiting`, `running`, `done`, `empty` or `failed`.
    pub state: String,
    /// Rows of the file.
    pub rows: Option<i64>,
    /// Bytes of the file.
    pub bytes: Option<i64>,
    /// Whether the file is there.
    pub kept: bool,
    /// When the file goes.
    pub expires: Option<Micros>,
    /// What it is called.
    pub file_name: Option<String>,
    /// For `Content-Type`.
    pub media_type: Option<String>,
    /// What is to be known about it.
    pub message: String,
    /// Whether it left by mail.
    pub mailed: bool,
    /// First and last day, with a comma between; empty where it is of no days.
    pub period: String,
}

/// As what somebody sees a utility: what they are shown follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The node they are confined to; `None` for the whole utility.
    pub node: Option<NodeId>,
    /// Role number.
    pub role: i32,
}

/// A run, and by what it was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedRun {
    /// The run.
    pub run: RunRecord,
    /// The question of its schedule when it was entered.
    pub question: Value,
    /// The word for its days.
    pub period_word: String,
    /// As what its owner saw what lies in the file; `None` where none has been made.
    pub made_as: Option<Standing>,
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
    let mail: String = row.try_get("mail")?;
    Ok(RunRecord {
        id: row.try_get("id")?,
        schedule: row.try_get("run_of")?,
        due: micros(row, "due")?,
        ready: micros_or_null(row, "ready")?,
        started: micros_or_null(row, "started")?,
        finished: micros_or_null(row, "finished")?,
        state: row.try_get("state")?,
        rows: row.try_get("rows")?,
        bytes: row.try_get("bytes")?,
        kept: row.try_get("kept")?,
        expires: micros_or_null(row, "expires")?,
        file_name: row.try_get("file_name")?,
        media_type: row.try_get("media_type")?,
        message: row.try_get("message")?,
        mailed: mail == "sent",
        period: row.try_get("period")?,
    })
}

fn made_as(row: &Row) -> Result<Option<Standing>> {
    let node = row.try_get::<_, Option<i64>>("made_node")?.map(NodeId);
    Ok(row.try_get::<_, Option<i32>>("made_role")?.map(|role| Standing { node, role }))
}

fn hash(bytes: &[u8; 32]) -> &[u8] {
    bytes.as_slice()
}

fn piece_number(number: usize) -> Result<i32> {
    i32::try_from(number).map_err(|_| Error::Data(format!("a file has no piece {number}")))
}
