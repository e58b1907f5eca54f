//! The bodies of saved requests, schedules, runs and links.

use serde::Serialize;
use serde_json::Value;
use store::report::{LinkRecord, RunRecord, RunState, ScheduleRecord, SelectionRecord};
use wire::time::iso;

/// A saved request of the caller.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = ReportSelection))]
pub struct Selection {
    id: i64,
    name: String,
    #[cfg_attr(feature = "schema", schema(value_type = crate::request::ReportQuestion))]
    question: Value,
    /// `pdf`, `xlsx`, `xls` or `csv`.
    format: String,
    /// ISO 8601 UTC.
    created: String,
}

/// A schedule.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schema(as = ReportSchedule))]
pub struct Schedule {
    id: i64,
    name: String,
    #[cfg_attr(feature = "schema", schema(value_type = super::entry::ScheduleQuestion))]
    question: Value,
    /// `day`, `week`, `month`, `quarter` or `financialYear`: the last one that has ended when it runs.
    period: String,
    /// `pdf`, `xlsx`, `xls` or `csv`.
    format: String,
    /// `day`, `week`, `month`, `quarter` (in its first month) or `financialYear` (in April).
    every: String,
    /// Day of the week, 1 is Monday; only for `week`.
    weekday: Option<i16>,
    /// Day of the month; only for `month`, `quarter` and `financialYear`.
    day_of_month: Option<i16>,
    /// `HH:MM` by the utility's clock.
    time: String,
    mail_to: Vec<String>,
    /// Days.
    keep_days: i16,
    enabled: bool,
    /// The name of its owner; null if the utility has no such user.
    created_by: Option<String>,
    /// Whether it is the caller's.
    mine: bool,
    /// ISO 8601 UTC; null while it is not enabled.
    next_due: Option<String>,
    last_run: Option<Run>,
}

/// A run of a schedule.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schema(as = ReportRun))]
pub struct Run {
    id: i64,
    /// ISO 8601 UTC.
    due: String,
    /// When its data are complete, which is the earliest start; null if it does not wait.
    ready: Option<String>,
    started: Option<String>,
    finished: Option<String>,
    /// `waiting`, `running`, `done`, `empty` (there were no rows) or `failed`.
    state: String,
    rows: Option<i64>,
    bytes: Option<i64>,
    /// Null if there is no file, or if it is deleted.
    file_name: Option<String>,
    /// When the file is deleted; null if there is none.
    expires: Option<String>,
    /// A message about the run.
    message: String,
    /// Whether the mail was sent to all recipients.
    mailed: bool,
    /// First and last day, `2026-10-01,2026-10-31`; empty for the present state.
    period: String,
}

/// A link to a file that is good.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = ReportLink))]
pub struct Link {
    id: i64,
    /// ISO 8601 UTC.
    created: String,
    expires: String,
}

/// A new link.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = NewReportLink))]
pub struct NewLink {
    /// Its id.
    pub id: i64,
    /// The address, which is returned only once. Anyone who has it can fetch the file.
    pub url: String,
    /// ISO 8601 UTC.
    pub expires: String,
}

impl From<SelectionRecord> for Selection {
    fn from(SelectionRecord { id, draft, created }: SelectionRecord) -> Self {
        Self { id, name: draft.name, question: draft.question, format: draft.format, created: iso(created) }
    }
}

impl Schedule {
    /// Builds the row of a schedule for a user.
    pub fn for_viewer(record: ScheduleRecord, viewer: grid::MemberId) -> Self {
        let ScheduleRecord { id, member, author, draft, next_due, last_run, .. } = record;
        Self {
            id,
            name: draft.name,
            question: draft.question,
            period: draft.period,
            format: draft.format,
            every: draft.every,
            weekday: draft.weekday,
            day_of_month: draft.day_of_month,
            time: format!("{:02}:{:02}", draft.at_minute / 60, draft.at_minute % 60),
            mail_to: draft.mail_to,
            keep_days: draft.keep_days,
            enabled: draft.enabled,
            created_by: author,
            mine: member == viewer,
            next_due: next_due.filter(|_| draft.enabled).map(iso),
            last_run: last_run.map(Run::from),
        }
    }
}

impl From<RunRecord> for Run {
    fn from(run: RunRecord) -> Self {
        let has_file = run.kept && run.state == RunState::Done;
        Self {
            id: run.id,
            due: iso(run.due),
            ready: run.ready.map(iso),
            started: run.started.map(iso),
            finished: run.finished.map(iso),
            // The data of an unfinished run are not a file yet.
            bytes: run.bytes.filter(|_| run.state == RunState::Done),
            state: run.state.as_str().to_owned(),
            rows: run.rows,
            file_name: run.file_name.filter(|_| has_file),
            expires: run.expires.filter(|_| has_file).map(iso),
            message: run.message,
            mailed: run.mailed,
            period: run.period,
        }
    }
}

impl From<LinkRecord> for Link {
    fn from(LinkRecord { id, created, expires }: LinkRecord) -> Self {
        Self { id, created: iso(created), expires: iso(expires) }
    }
}
