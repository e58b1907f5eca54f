//! Mails the result of a run: with the file if it is small enough, else with a link. If the mail fails, the file is kept, and the run has a message about the
//! failure.

use analysis::calendar::Calendar;
use auth::new_token;
use mail::{Attached, Mail};
use serde_json::json;
use store::audit::{Entry, Origin};
use store::report::{Mailing, ReportPermissions};

use crate::Reports;
use crate::schedule::make::has_page;
use crate::schedule::settings::ScheduleSettings;
use crate::schedule::{DAY_MS, LINK_DAYS_MAX, LINKS_MAX};

/// Limit of an attached file, bytes. In the mail it is larger by up to a half.
const ATTACHED_MAX: i64 = 8 * 1024 * 1024;

/// Returns the recipients to whom the mail was sent, and a message about the other recipients, which is empty if there are none.
pub(super) async fn post(reports: &Reports, settings: &ScheduleSettings, of: &Mailing) -> (Vec<String>, String) {
    match prepared(reports, settings, of).await {
        Ok((text, attached)) => {
            let origin = of.origin();
            let entry = Entry::new(&origin, "report_mailing", format!("report schedule {}", of.schedule));
            // The audit entry is written before the first mail is sent.
            if let Err(error) = reports.records().audit(&entry.changing(None, Some(json!({ "run": of.id, "to": of.mail_to })))).await {
                return (Vec::new(), unanswered(&error));
            }
            send(reports, of, &text, attached.as_ref()).await
        }
        Err(trouble) => (Vec::new(), trouble),
    }
}

async fn send(reports: &Reports, of: &Mailing, text: &str, attached: Option<&Attached>) -> (Vec<String>, String) {
    let known = reports.records().member_addresses(of.client, &of.mail_to.iter().map(|to| to.to_lowercase()).collect::<Vec<_>>()).await;
    let known = match known {
        Ok(known) => known,
        Err(error) => return (Vec::new(), unanswered(&error)),
    };
    let (mut sent, mut unsent, mut strangers) = (Vec::new(), Vec::new(), Vec::new());
    for to in &of.mail_to {
        if !known.contains(&to.to_lowercase()) {
            strangers.push(to.clone());
            continue;
        }
        let subject = if of.period.is_empty() { of.name.clone() } else { format!("{}, {}", of.name, days(&of.period)) };
        let mail = Mail { to: to.clone(), subject, text: text.to_owned() };
        // An unreachable server is waited for once, and not for each of twenty recipients.
        let is_patient = unsent.is_empty();
        match reports.mail.deliver(&mail, attached, is_patient).await {
            Ok(()) => sent.push(to.clone()),
            Err(()) => unsent.push(to.clone()),
        }
    }
    let sentence = |what: &str, to: &[String]| if to.is_empty() { String::new() } else { format!("{what} {}.", to.join(", ")) };
    let trouble = [sentence("The mail did not leave to", &unsent), sentence("Not mailed, as nobody of the utility has it:", &strangers)];
    (sent, trouble.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
}

/// Returns the text, and the file if it is small enough.
async fn prepared(reports: &Reports, settings: &ScheduleSettings, of: &Mailing) -> Result<(String, Option<Attached>), String> {
    let failed = |error: store::Error| unanswered(&error);
    let owner = reports.records().report_owner(of.client, of.member).await.map_err(failed)?;
    let Some(owner) = owner else {
        return Err("The mail was not sent: the owner of the schedule may not sign in now.".to_owned());
    };
    let permissions = ReportPermissions { node: owner.node, role: owner.role_id };
    if of.made_as.is_some_and(|made_as| made_as != permissions) {
        return Err("The mail was not sent: the owner of the schedule has other rights now.".to_owned());
    }
    if !has_page(reports, of.client, owner.role_id).await.map_err(failed)? {
        return Err("The mail was not sent: the owner of the schedule does not have the page of reports now.".to_owned());
    }
    let head = if of.period.is_empty() { of.name.clone() } else { format!("{}\n{}", of.name, days(&of.period)) };
    let (Some(name), Some(media_type), Some(bytes)) = (&of.file_name, &of.media_type, of.bytes) else {
        return Ok((format!("{head}\n\nThere were no rows.\n"), None));
    };
    // A document has no rows.
    let rows = of.rows.map(|rows| format!("Rows: {rows}\n")).unwrap_or_default();
    if bytes <= ATTACHED_MAX {
        let mut body = Vec::new();
        let mut number = 0;
        while let Some(piece) = reports.records().report_piece(of.client, of.id, number).await.map_err(failed)? {
            body.extend(piece);
            number += 1;
        }
        if i64::try_from(body.len()) != Ok(bytes) {
            return Err("The mail was not sent: the file is not there any more.".to_owned());
        }
        let attached = Attached { name: name.clone(), media_type: media_type.clone(), body };
        return Ok((format!("{head}\n\n{name}\n{rows}"), Some(attached)));
    }
    let ((token, hash), now) = (new_token(), (settings.clock)());
    let until = now.plus_millis(LINK_DAYS_MAX * DAY_MS);
    let origin: Origin = of.origin();
    let link = reports.records().put_report_link((of.client, of.member, permissions), of.id, &hash, (now, until), LINKS_MAX, &origin);
    let Some(link) = link.await.map_err(failed)? else {
        return Err("The mail was not sent: the file is too large for it, and no further link can be made.".to_owned());
    };
    let utility = reports.records().client(of.client).await.map_err(failed)?;
    let calendar = Calendar::named(utility.as_ref().map_or("UTC", |utility| &utility.time_zone), now);
    let text = format!(
        "{head}\n\n{name}\n{rows}\nThe file is too large for a mail. Until {} {} ({}) it is at\n{}\nWhoever has this address can read it.\n",
        calendar.day(link.expires),
        calendar.clock(link.expires),
        calendar.name,
        address(reports, &token)
    );
    Ok((text, None))
}

fn unanswered(error: &store::Error) -> String {
    error.log();
    "The mail was not sent: the database did not answer.".to_owned()
}

/// Returns the address of a link.
pub fn address(reports: &Reports, token: &str) -> String {
    format!("{}/api/reports/file/{token}", reports.settings.public_url)
}

/// Formats the first and the last day for users.
fn days(period: &str) -> String {
    match period.split_once(',') {
        Some((first, last)) if first == last => first.to_owned(),
        Some((first, last)) => format!("{first} to {last}"),
        None => period.to_owned(),
    }
}
