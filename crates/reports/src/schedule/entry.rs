//! Validation of saved requests and schedules. A request is stored only if the same user could make it now.

use std::collections::HashSet;

use analysis::calendar::{Calendar, Period};
use grid::Micros;
use identity::{Area, View};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;
use sheet::Format;
use store::report::{ScheduleDraft, SelectionDraft};

use crate::definition::Definition;
use crate::error::Error;
use crate::request::{Ids, ReportQuestion, areas};
use crate::schedule::due::{Days, Rhythm};
use crate::schedule::rhythm;
use crate::valid_request::ValidRequest;
use crate::{Reports, monthly};

const NAME_MAX: usize = 200;
const ADDRESSES_MAX: usize = 20;
/// Maximum length of a mail address, bytes (RFC 5321, section 4.5.3.1).
const ADDRESS_MAX: usize = 254;
const KEEP_DAYS_MAX: i16 = 365;
const KEEP_DAYS: i16 = 90;
/// The fields of a request that name its days; a schedule does not have them.
const OF_DAYS: [&str; 2] = ["frequency", "frequencyValue"];

/// The result of a schedule: rows of a report, or the monthly document.
pub enum ScheduledReport {
    /// The rows of a report.
    Rows(&'static Definition, Box<ValidRequest>),
    /// The monthly document for these areas.
    Month(Vec<Area>, Period),
}

/// The request for the monthly document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MonthQuestion {
    #[serde(rename = "report")]
    _report: String,
    level: String,
    level_id: Ids,
    #[serde(default)]
    report_type: Option<String>,
}

/// A request to save.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schema(as = ReportSelectionEntry))]
pub struct SelectionEntry {
    /// 1 to 200 characters.
    name: String,
    #[cfg_attr(feature = "schema", schema(value_type = ReportQuestion))]
    question: Value,
    /// `pdf`, `xlsx`, `xls` or `csv`.
    format: String,
}

/// A request whose period follows from a schedule.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(rename_all = "camelCase", as = ReportScheduleQuestion))]
#[allow(dead_code, reason = "what a question has, for the document; it is read as any other, with the days of its schedule")]
pub struct ScheduleQuestion {
    /// The report's key, or `MONTHLY_PERFORMANCE`: the document of a month, as PDF and with period `month` alone.
    report: String,
    /// As in a request for the report.
    level: String,
    /// As in a request for the report.
    #[cfg_attr(feature = "schema", schema(value_type = Ids))]
    level_id: Vec<i64>,
    /// Default `historic`.
    report_type: Option<String>,
    /// Only for reports with this input.
    exclude_momentary: Option<bool>,
    /// Only for reports with this input.
    limit: Option<i64>,
    /// Only for reports with this input.
    quantity: Option<String>,
    /// Only for reports with this input.
    sample_minutes: Option<i64>,
}

/// A schedule as entered by a user.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schema(as = ReportScheduleEntry))]
pub struct ScheduleEntry {
    /// 1 to 200 characters.
    name: String,
    #[cfg_attr(feature = "schema", schema(value_type = ScheduleQuestion))]
    question: Value,
    /// `day`, `week` (from Monday), `month`, `quarter` or `financialYear` (from April): the last one that has ended when it runs.
    period: String,
    /// `pdf`, `xlsx`, `xls` or `csv`.
    format: String,
    /// `day`, `week`, `month`, `quarter` (in its first month) or `financialYear` (in April).
    every: String,
    /// 1 (Monday) to 7, of `week` alone.
    #[serde(default)]
    weekday: Option<i16>,
    /// 1 to 28, of `month`, `quarter` and `financialYear` alone.
    #[serde(default)]
    day_of_month: Option<i16>,
    /// `HH:MM` by the utility's clock.
    time: String,
    /// Up to 20 addresses of users of the utility.
    #[serde(default)]
    mail_to: Vec<String>,
    /// Days for which its files are kept: 1 to 365, default 90.
    #[serde(default)]
    keep_days: Option<i16>,
    /// Whether it runs; default yes.
    #[serde(default)]
    enabled: Option<bool>,
}

impl SelectionEntry {
    /// Validates the request and returns it in its stored form.
    pub async fn checked(self, reports: &Reports, view: &View) -> Result<SelectionDraft, Error> {
        let (name, format) = (name(&self.name)?, format(&self.format)?);
        let question = without_nulls(&self.question)?;
        let request = read(&question)?;
        let definition = request.definition()?;
        request.check(definition, reports, view).await?;
        Ok(SelectionDraft { name, question, format })
    }
}

impl ScheduleEntry {
    /// Returns whether the entry only disables the stored schedule. Its request and recipients then need not be allowed any more.
    pub fn only_stops(&self, kept: &ScheduleDraft) -> bool {
        self.enabled == Some(false)
            && self.name.trim() == kept.name
            && without_nulls(&self.question).is_ok_and(|question| question == kept.question)
            && self.format == kept.format
            && (&self.period, &self.every, self.weekday, self.day_of_month) == (&kept.period, &kept.every, kept.weekday, kept.day_of_month)
            && minute(&self.time) == Some(kept.at_minute)
            && self.mail_to == kept.mail_to
            && self.keep_days.unwrap_or(KEEP_DAYS) == kept.keep_days
    }

    /// Validates the schedule and returns it in its stored form, with its rhythm.
    pub async fn checked(self, reports: &Reports, view: &View) -> Result<(ScheduleDraft, Rhythm), Error> {
        let bad = |message: String| Error::BadRequest(message);
        let (name, format) = (name(&self.name)?, format(&self.format)?);
        let question = without_nulls(&self.question)?;
        if let Some(key) = OF_DAYS.iter().find(|key| question.get(**key).is_some()) {
            return Err(bad(format!("question: {key} is not asked of a schedule; period says the days")));
        }
        let days =
            Days::parse(&self.period).ok_or_else(|| bad(format!("period must be {}", words(Days::ALL.into_iter().map(Days::as_str)))))?;
        if is_month(&question) && format != Format::Pdf.extension() {
            return Err(bad(format!("format must be pdf for {}", monthly::KEY)));
        }
        resolve(&question, days, wire::time::now(), reports, view).await?;
        let draft = ScheduleDraft {
            name,
            question,
            period: self.period,
            format,
            at_minute: minute(&self.time).ok_or_else(|| bad("time must be HH:MM, from 00:00 to 23:59".to_owned()))?,
            mail_to: addresses(reports, view, self.mail_to).await?,
            keep_days: self.keep_days.unwrap_or(KEEP_DAYS),
            enabled: self.enabled.unwrap_or(true),
            every: self.every,
            weekday: self.weekday,
            day_of_month: self.day_of_month,
        };
        if !(1..=KEEP_DAYS_MAX).contains(&draft.keep_days) {
            return Err(bad(format!("keepDays must lie between 1 and {KEEP_DAYS_MAX}")));
        }
        let due = rhythm(&draft.every, draft.weekday, draft.day_of_month, draft.at_minute).ok_or_else(|| {
            bad("every must be day, week with weekday from 1 (Monday) to 7, or month, quarter or financialYear with dayOfMonth from 1 to 28; and nothing else of these".to_owned())
        })?;
        Ok((draft, due))
    }
}

/// Returns the request of a schedule at an instant, for the days that have ended then. Validated with the rights of a view.
pub async fn resolve(question: &Value, days: Days, at: Micros, reports: &Reports, view: &View) -> Result<ScheduledReport, Error> {
    resolve_for(question, days, days_of(question, days, at, Calendar::of(view, at).zone())?, reports, view).await
}

/// Returns the days of a schedule at an instant; `None` if its report shows the present state.
pub fn days_of(question: &Value, days: Days, at: Micros, zone: &TimeZone) -> Result<Option<Period>, Error> {
    if is_real_time(question) {
        return Ok(None);
    }
    days.over(at, zone).map(Some).ok_or(Error::Internal)
}

/// Returns the request of a schedule for given days.
pub async fn resolve_for(
    question: &Value,
    days: Days,
    period: Option<Period>,
    reports: &Reports,
    view: &View,
) -> Result<ScheduledReport, Error> {
    if is_month(question) {
        return month_of(question, days, period, view);
    }
    // The key identifies the report independently of the days.
    let definition = match period {
        Some(_) => read(&with_days(question, 5, ""))?.definition()?,
        None => read(question)?.definition()?,
    };
    let Some(period) = period else {
        return Ok(ScheduledReport::Rows(definition, Box::new(read(question)?.check(definition, reports, view).await?)));
    };
    let best = days.frequencies(period).into_iter().find(|(id, _)| definition.frequencies.contains(id));
    let Some((frequency, value)) = best else {
        let may = |days: &Days| days.frequencies(period).iter().any(|(id, _)| definition.frequencies.contains(id));
        let allowed = words(Days::ALL.into_iter().filter(may).map(Days::as_str));
        return Err(Error::BadRequest(format!("period must be {allowed} for {}", definition.key)));
    };
    Ok(ScheduledReport::Rows(definition, Box::new(read(&with_days(question, frequency, &value))?.check(definition, reports, view).await?)))
}

fn is_month(question: &Value) -> bool {
    question["report"].as_str().is_some_and(|key| key.eq_ignore_ascii_case(monthly::KEY))
}

fn month_of(question: &Value, days: Days, period: Option<Period>, view: &View) -> Result<ScheduledReport, Error> {
    let bad = |message: String| Err(Error::BadRequest(message));
    let request: MonthQuestion =
        serde_json::from_value(question.clone()).map_err(|error| Error::BadRequest(format!("question: {error}")))?;
    if request.report_type.is_some_and(|word| !word.eq_ignore_ascii_case("historic")) {
        return bad(format!("reportType must be historic for {}", monthly::KEY));
    }
    let Some(month) = period.filter(|_| days == Days::Month) else { return bad(format!("period must be month for {}", monthly::KEY)) };
    let areas = areas(view, &request.level, request.level_id)?;
    monthly::check(&areas)?;
    Ok(ScheduledReport::Month(areas, month))
}

fn is_real_time(question: &Value) -> bool {
    question["reportType"].as_str().is_some_and(|word| word.eq_ignore_ascii_case("realtime"))
}

fn with_days(question: &Value, frequency: i64, value: &str) -> Value {
    let mut dated = question.clone();
    dated["frequency"] = frequency.into();
    dated["frequencyValue"] = value.into();
    dated
}

fn read(question: &Value) -> Result<ReportQuestion, Error> {
    serde_json::from_value(question.clone()).map_err(|error| Error::BadRequest(format!("question: {error}")))
}

/// Removes null fields, which count as absent.
fn without_nulls(question: &Value) -> Result<Value, Error> {
    let Value::Object(fields) = question else { return Err(Error::BadRequest("question must be an object".to_owned())) };
    Ok(fields.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), value.clone())).collect())
}

fn name(given: &str) -> Result<String, Error> {
    let name = given.trim();
    if (1..=NAME_MAX).contains(&name.chars().count()) && !name.chars().any(char::is_control) {
        return Ok(name.to_owned());
    }
    Err(Error::BadRequest(format!("name must have 1 to {NAME_MAX} characters, none of them a control character")))
}

fn format(given: &str) -> Result<String, Error> {
    let format: Format = given.parse().map_err(|error| Error::BadRequest(format!("format: {error}")))?;
    Ok(format.extension().to_owned())
}

/// Parses `HH:MM` to minutes from midnight.
fn minute(text: &str) -> Option<i16> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str, most: i16| {
        let is_plain = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number: &i16| is_plain && *number <= most)
    };
    Some(number(hour, 23)? * 60 + number(minute, 59)?)
}

/// Validates the recipients. Only users of the utility are allowed; otherwise a report could be sent to any address.
async fn addresses(reports: &Reports, view: &View, given: Vec<String>) -> Result<Vec<String>, Error> {
    if given.len() > ADDRESSES_MAX {
        return Err(Error::BadRequest(format!("mailTo takes up to {ADDRESSES_MAX} addresses")));
    }
    if given.iter().any(|address| address.len() > ADDRESS_MAX || address.chars().any(char::is_control)) {
        return Err(Error::BadRequest(format!("mailTo: an address has up to {ADDRESS_MAX} characters, none of them a control character")));
    }
    let mut seen = HashSet::new();
    let addresses: Vec<String> =
        given.into_iter().map(|address| address.trim().to_owned()).filter(|one| seen.insert(one.to_lowercase())).collect();
    let known = reports
        .records()
        .member_addresses(view.principal.client, &addresses.iter().map(|one| one.to_lowercase()).collect::<Vec<_>>())
        .await?;
    match addresses.iter().position(|address| !known.contains(&address.to_lowercase())) {
        Some(nth) => Err(Error::BadRequest(format!("mailTo: the address number {} is none of a person of this utility", nth + 1))),
        None => Ok(addresses),
    }
}

/// Formats a list such as `day, week or month`.
fn words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.split_last() {
        None => "left out".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_two_digits_and_two_digits() {
        for (text, expected) in [("00:00", Some(0)), ("06:05", Some(365)), ("23:59", Some(1_439))] {
            assert_eq!(minute(text), expected, "{text}");
        }
        for text in ["", "6:05", "24:00", "12:60", "12:5", "+1:00", "12:00:00", "1２:00"] {
            assert_eq!(minute(text), None, "{text}");
        }
    }

    #[test]
    fn words_are_told_as_people_do() {
        for (given, expected) in
            [(&["day"][..], "day"), (&["day", "week"], "day or week"), (&["a", "b", "c"], "a, b or c"), (&[], "left out")]
        {
            assert_eq!(words(given.iter().copied()), expected);
        }
    }
}
