//! USER_LOGIN: who signed in and out, and who was refused, from the audit, oldest first.

use super::ANY;
use crate::reports::definition::{Column, Definition, Input, Running};
use crate::reports::request::Asked;
use crate::reports::rows::{Rows, Stop};

/// Rows read at once.
const PAGE: i64 = 1_000;
/// The words of the audit, and ours.
const ACTIONS: [(&str, &str); 4] =
    [("sign_in", "Signed in"), ("sign_out", "Signed out"), ("sign_in_refused", "Refused"), ("client_switch", "Came from another utility")];

pub(crate) static USER_LOGIN: Definition = Definition {
    id: 5,
    key: "USER_LOGIN",
    name: "User Login 24x7",
    about: "Sign-ins, sign-outs and refusals, from the audit; for administrators.",
    frequencies: ANY,
    of_utility: true,
    of_asset: false,
    historic: true,
    real_time: false,
    input: Input::None,
    columns: &[
        Column::time("Time", "When, by the database's clock"),
        Column::text("User", "The sign-in name; empty where it was refused before it was known who it is"),
        Column::text("What", "Signed in, Signed out, Refused, or Came from another utility"),
        Column::text("Subject", "The session or the member as the audit has it"),
        Column::text("From", "The address that the call came from"),
    ],
    rows: |asked, rows| -> Running { Box::pin(read(asked, rows)) },
};

async fn read(asked: Asked, rows: Rows) -> Result<(), Stop> {
    let actions: Vec<&str> = ACTIONS.iter().map(|(action, _)| *action).collect();
    let mut after = 0;
    loop {
        let records = asked.services.store().audit_between(asked.client(), &actions, asked.span, after, PAGE).await?;
        let is_end = (records.len() as i64) < PAGE;
        after = records.last().map_or(after, |record| record.seq);
        for record in records {
            let what = ACTIONS.iter().find(|(action, _)| *action == record.action).map_or("", |(_, what)| what);
            rows.put(vec![record.at.into(), record.username.into(), what.into(), record.subject.into(), record.from.into()]).await?;
        }
        if is_end {
            return Ok(());
        }
    }
}
