//! USER_LOGIN: sign-ins, sign-outs and refusals from the audit, oldest first, and how the sessions ended.

use std::collections::HashMap;
use std::time::Duration;

use grid::Micros;
use store::audit::AuditRecord;
use store::people::SessionEnds;

use crate::definition::{Column, ColumnKind, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::rows::{Rows, Stop, Value};
use crate::valid_request::ValidRequest;

/// Number of rows in a page.
const PAGE: i64 = 1_000;
/// The actions of the audit, each with its label.
const ACTIONS: [(&str, &str); 4] =
    [("sign_in", "Signed in"), ("sign_out", "Signed out"), ("sign_in_refused", "Refused"), ("client_switch", "Came from another utility")];

pub(crate) static USER_LOGIN: Definition = Definition {
    id: 5,
    key: "USER_LOGIN",
    name: "User Login 24x7",
    about: "Sign-ins, sign-outs and refusals from the audit, and the end of the sessions; for administrators.",
    frequencies: ANY,
    of: Places::Utility,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[],
    columns: &[
        Column::time("Time", "When, by the database's clock"),
        Column::text("User", "The sign-in name; empty for a refusal before the user was known"),
        Column::text("What", "Signed in, Signed out, Refused, or Came from another utility"),
        Column::text("Subject", "The session or the member, as in the audit"),
        Column::text("From", "The address of the client"),
        Column::time(
            "Session ended",
            "When the session ended; empty while it lasts, and for a session without a sign-out that is no longer kept",
        ),
        Column::text(
            "Ended by",
            "Signed out, Idle (not used for too long), Expired (at its absolute end), or Ended (another utility was entered, rights were changed)",
        ),
        Column { name: "Lasted", unit: "", kind: ColumnKind::Duration, meaning: "Session ended - Time" },
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let actions: Vec<&str> = ACTIONS.iter().map(|(action, _)| *action).collect();
    let mut after = 0;
    loop {
        let records = request.reports.store().audit_between(request.client(), &actions, request.span, after, PAGE).await?;
        let is_end = (records.len() as i64) < PAGE;
        after = records.last().map_or(after, |record| record.seq);
        let begun: Vec<i64> = records.iter().filter_map(session).collect();
        let ends = request.reports.store().session_ends(request.client(), &begun).await?;
        let ends: HashMap<i64, SessionEnds> = ends.into_iter().map(|ends| (ends.session, ends)).collect();
        for record in records {
            let what = ACTIONS.iter().find(|(action, _)| *action == record.action).map_or("", |(_, what)| what);
            let ended = session(&record).and_then(|session| over(ends.get(&session)?, request.calendar.now));
            let lasted = ended.map(|(at, _)| Duration::from_micros(u64::try_from(at.0 - record.at.0).unwrap_or(0)));
            let mut row = vec![record.at.into(), record.username.into(), what.into(), record.subject.into(), record.from.into()];
            row.extend([ended.map(|(at, _)| at).into(), ended.map(|(_, how)| how).into(), lasted.map_or(Value::Absent, Value::age)]);
            rows.put(row).await?;
        }
        if is_end {
            return Ok(());
        }
    }
}

/// Returns the session that started with a row of the audit.
fn session(record: &AuditRecord) -> Option<i64> {
    match record.action.as_str() {
        "sign_in" => record.subject.strip_prefix("session ")?.parse().ok(),
        "client_switch" => record.after.as_ref()?.get("session")?.as_i64(),
        _ => None,
    }
}

/// Returns when and how a session ended; `None` if it has not ended, or if its end is unknown.
fn over(ends: &SessionEnds, now: Micros) -> Option<(Micros, &'static str)> {
    let passed = |at: Option<Micros>| at.filter(|at| *at <= now);
    // The earliest end counts. At equal times, sign-out precedes the automatic ends.
    [(ends.signed_out, "Signed out"), (ends.ended, "Ended"), (passed(ends.idle_at), "Idle"), (passed(ends.until), "Expired")]
        .into_iter()
        .enumerate()
        .filter_map(|(nth, (at, how))| Some((at?, nth, how)))
        // The audit uses the database's clock and the session that of the portal. If a user signed out, a different end is ignored.
        .filter(|(_, nth, _)| *nth != 1 || ends.signed_out.is_none())
        .min()
        .map(|(at, _, how)| (at, how))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_by_what_comes_first() {
        let at = |minute: i64| Micros(minute * 60_000_000);
        let of = |signed_out: Option<i64>, ended: Option<i64>, idle_at: Option<i64>, until: Option<i64>| {
            let [signed_out, ended, idle_at, until] = [signed_out, ended, idle_at, until].map(|minute| minute.map(at));
            over(&SessionEnds { session: 1, signed_out, ended, idle_at, until }, at(100)).map(|(ended, how)| (ended.0 / 60_000_000, how))
        };
        for (found, expected) in [
            (of(None, None, Some(120), Some(700)), None),
            (of(Some(50), Some(49), Some(65), Some(700)), Some((50, "Signed out"))),
            (of(Some(50), None, None, None), Some((50, "Signed out"))),
            (of(None, Some(50), Some(65), Some(700)), Some((50, "Ended"))),
            (of(None, Some(90), Some(65), Some(700)), Some((65, "Idle"))),
            (of(None, None, Some(100), Some(700)), Some((100, "Idle"))),
            (of(None, None, Some(105), Some(99)), Some((99, "Expired"))),
            (of(None, None, None, None), None),
        ] {
            assert_eq!(found, expected);
        }
    }
}
