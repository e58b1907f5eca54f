//! Parses and validates a request for a report: its areas, its days and its other parameters. An area that the caller may not see is
//! reported as missing.

use std::collections::BTreeSet;

use analysis::calendar::{Calendar, Period};
use analysis::reliability_groups::area;
use grid::measure::Quantity;
use grid::{Level, Micros};
use identity::{Area, View};
use serde::Deserialize;

use crate::Reports;
use crate::catalogue::by_key;
use crate::definition::{Definition, Input, Places};
use crate::error::Error;
use crate::period::{FREQUENCIES, frequency_name, period};
use crate::valid_request::ValidRequest;

/// Maximum number of nodes in one report.
const NODES_MAX: usize = 200;
/// The name of the present state, as type and in place of a frequency.
pub const REAL_TIME: &str = "Realtime";
/// The id of the frequency "none".
const NONE: i64 = 5;
/// The largest limit.
const LIMIT_MAX: i64 = 1_000_000;
const LIMIT_DEFAULT: i64 = 5;
/// The allowed intervals between rows, minutes (specification 3, section 9).
const SAMPLE_MINUTES: [i64; 6] = [1, 5, 10, 15, 30, 60];
const SAMPLE_DEFAULT: i64 = 15;

/// One id or several.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Ids {
    /// A single id.
    One(i64),
    /// Several ids of one level.
    Many(Vec<i64>),
}

/// The request of a report.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReportQuestion {
    /// The report's key, such as `EVENT_LOG`. It can be omitted if the path names the report.
    #[serde(default)]
    report: Option<String>,
    /// `client`, `circle`, `division`, `town`, `subdivision`, `section`, `location` or `asset`.
    level: String,
    /// Nodes of that level: up to 200, of assets one.
    level_id: Ids,
    /// 1 daily, 2 monthly, 3 quarterly, 4 financial year, 5 none, 6 date range, 7 single date, 9 weekly. A realtime report has none.
    #[serde(default)]
    frequency: Option<i64>,
    /// By the frequency: 1 and 7 `YYYY-MM-DD`, 2 `YYYY-MM`, 3 `YYYY-Q1` to `YYYY-Q4`, 4 `YYYY-YYYY` (April to March), 5 empty (the year so far),
    /// 6 `YYYY-MM-DD,YYYY-MM-DD` (both included), 9 `YYYY-W01` to `YYYY-W53`.
    #[serde(default)]
    frequency_value: String,
    /// `historic` (default) or `realtime` (the present state), if the report has it.
    #[serde(default)]
    report_type: Option<String>,
    /// Report 1: leaves momentary faults out.
    #[serde(default)]
    exclude_momentary: Option<bool>,
    /// Report 9: the smallest number of operations in the list; default 5.
    #[serde(default)]
    limit: Option<i64>,
    /// Report 4: `voltage` or `current`; default both.
    #[serde(default)]
    quantity: Option<String>,
    /// Reports 31, 32 and 37: 1, 5, 10, 15, 30 or 60 minutes between rows; default 15. Report 37 needs the flag showGDSData.
    #[serde(default)]
    sample_minutes: Option<i64>,
}

impl ReportQuestion {
    /// Parses the single segment of a path, `level:ids:value` or `level:ids:value:input`, with ids separated by commas.
    pub fn of_segment(segment: &str, frequency: i64, definition: &Definition) -> Result<Self, Error> {
        let wrong = || {
            let value = if frequency == 6 { "YYYY-MM-DD_YYYY-MM-DD" } else { "YYYY-MM-DD" };
            Error::BadRequest(format!("the last part of the path must be level:ids:{value}, such as location:17,18:2026-11-01"))
        };
        let parts: Vec<&str> = segment.split(':').collect();
        let (level, ids, value, input) = match parts[..] {
            [level, ids, value] => (level, ids, value, None),
            [level, ids, value, input] if definition.input != Input::None => (level, ids, value, Some(input)),
            _ => return Err(wrong()),
        };
        let ids = ids.split(',').take(NODES_MAX + 1).map(|id| id.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
        let question = Self {
            report: None,
            level: level.to_owned(),
            level_id: Ids::Many(ids),
            frequency: Some(frequency),
            frequency_value: value.to_owned(),
            report_type: None,
            exclude_momentary: None,
            limit: None,
            quantity: None,
            sample_minutes: None,
        };
        let Some(input) = input else { return Ok(question) };
        let unread = |what: &str| Error::BadRequest(format!("{} must be {what}", definition.input.name().unwrap_or_default()));
        let number = || input.parse().map(Some).map_err(|_| unread("a number"));
        Ok(match definition.input {
            Input::None => question,
            Input::Momentary => Self { exclude_momentary: Some(input.parse().map_err(|_| unread("true or false"))?), ..question },
            Input::Limit => Self { limit: number()?, ..question },
            Input::Quantity => Self { quantity: Some(input.to_owned()), ..question },
            Input::Sample | Input::SampleOfGds => Self { sample_minutes: number()?, ..question },
        })
    }

    /// Returns the report that the request names.
    pub fn definition(&self) -> Result<&'static Definition, Error> {
        let named =
            self.report.as_deref().ok_or_else(|| Error::BadRequest("report must be the key of a report, such as EVENT_LOG".into()))?;
        by_key(named).ok_or_else(|| Error::BadRequest("there is no report of that key; pfcreport/reportslist names all".to_owned()))
    }

    /// Validates all parameters.
    pub async fn check(self, definition: &'static Definition, reports: &Reports, view: &View) -> Result<ValidRequest, Error> {
        let bad = |message: String| Err(Error::BadRequest(message));
        if self.report.as_deref().is_some_and(|key| !key.eq_ignore_ascii_case(definition.key)) {
            return bad(format!("report must be {} here, or be left out", definition.key));
        }
        let real_time = self.real_time(definition)?;
        if definition.of == Places::Utility && !view.principal.administers() {
            return Err(Error::Forbidden("only administrators may see this report"));
        }
        if definition.of == Places::Utility && !self.level.eq_ignore_ascii_case("client") {
            return bad(format!("level must be client for {}", definition.key));
        }
        if definition.of == Places::AboveAssets && self.level.eq_ignore_ascii_case("asset") {
            return bad(format!("level must be one above asset for {}: its rows are of substations", definition.key));
        }
        let inputs = self.inputs(definition, real_time)?;
        let calendar = Calendar::of(view, wire::time::now());
        let (period, span, frequency) = if real_time { self.now(&calendar)? } else { self.past(definition, &calendar)? };
        let areas = areas(view, &self.level, self.level_id)?;
        if definition.input == Input::SampleOfGds && self.sample_minutes.is_some() && !shows_gds(reports, view).await? {
            return Err(Error::Forbidden("sampleMinutes of this report requires the flag showGDSData"));
        }
        let kept_since = if real_time { None } else { reports.store().kept().await?.within(definition.levels, span.0) };
        Ok(ValidRequest {
            reports: reports.clone(),
            view: view.clone(),
            level: self.level.to_lowercase(),
            areas,
            calendar,
            real_time,
            period,
            span,
            kept_since,
            frequency,
            exclude_momentary: self.exclude_momentary.unwrap_or(true),
            limit: inputs.limit,
            quantity: inputs.quantity,
            sample_minutes: inputs.sample_minutes,
        })
    }

    /// Returns whether the report shows the present state. If the report has only one type, the request can omit it.
    fn real_time(&self, definition: &Definition) -> Result<bool, Error> {
        let allowed = [(definition.historic, "historic"), (definition.real_time, "realtime")];
        let allowed: Vec<&str> = allowed.into_iter().filter_map(|(has, word)| has.then_some(word)).collect();
        match self.report_type.as_deref() {
            None => Ok(!definition.historic),
            Some(word) => match allowed.iter().find(|allowed| word.eq_ignore_ascii_case(allowed)) {
                Some(word) => Ok(*word == "realtime"),
                None => Err(Error::BadRequest(format!("reportType must be {} for {}", allowed.join(" or "), definition.key))),
            },
        }
    }

    /// Returns the time of the request. It has no period.
    fn now(&self, calendar: &Calendar) -> Result<(Period, (Micros, Micros), String), Error> {
        if self.frequency.is_some_and(|id| id != NONE) || !self.frequency_value.trim().is_empty() {
            let message = "frequency must be left out of a realtime report, or be 5 (None) without frequencyValue";
            return Err(Error::BadRequest(message.to_owned()));
        }
        let first = calendar.today();
        let end = first.tomorrow().map_err(|_| Error::Internal)?;
        Ok((Period { first, end }, (calendar.now, calendar.now), REAL_TIME.to_owned()))
    }

    /// Returns the period of the frequency and its value, and its label.
    fn past(&self, definition: &Definition, calendar: &Calendar) -> Result<(Period, (Micros, Micros), String), Error> {
        let Some(id) = self.frequency.filter(|id| definition.frequencies.contains(id)) else {
            let of = |(id, name): &(i64, &str)| definition.frequencies.contains(id).then(|| format!("{id} ({name})"));
            let allowed: Vec<String> = FREQUENCIES.iter().filter_map(of).collect();
            return Err(Error::BadRequest(format!("frequency must be one of {} for {}", allowed.join(", "), definition.key)));
        };
        let value = self.frequency_value.trim();
        let period = period(id, value, calendar.today())?;
        let frequency_text = format!("{} {value}", frequency_name(id)).trim_end().to_owned();
        Ok((period, calendar.span(period)?, frequency_text))
    }

    /// Validates the further parameters.
    fn inputs(&self, definition: &Definition, real_time: bool) -> Result<Inputs, Error> {
        let bad = |message: String| Err(Error::BadRequest(message));
        for (is_given, name) in [
            (self.exclude_momentary.is_some(), "excludeMomentary"),
            (self.limit.is_some(), "limit"),
            (self.quantity.is_some(), "quantity"),
            (self.sample_minutes.is_some(), "sampleMinutes"),
        ] {
            if is_given && definition.input.name() != Some(name) {
                return bad(format!("{name} is no input of {}", definition.key));
            }
            if is_given && real_time {
                return bad(format!("{name} must be left out of a realtime report"));
            }
        }
        let limit = self.limit.unwrap_or(LIMIT_DEFAULT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return bad(format!("limit must lie between 1 and {LIMIT_MAX}"));
        }
        let known = [Quantity::Voltage, Quantity::Current];
        let quantity = self.quantity.as_deref().map(|word| known.into_iter().find(|known| word.eq_ignore_ascii_case(known.as_str())));
        if quantity == Some(None) {
            return bad("quantity must be voltage or current, or be left out for both".to_owned());
        }
        let sample_minutes = self.sample_minutes.unwrap_or(SAMPLE_DEFAULT);
        if !SAMPLE_MINUTES.contains(&sample_minutes) {
            return bad("sampleMinutes must be 1, 5, 10, 15, 30 or 60".to_owned());
        }
        Ok(Inputs { limit, quantity: quantity.flatten(), sample_minutes })
    }
}

/// The further parameters, with their defaults.
struct Inputs {
    limit: i64,
    quantity: Option<Quantity>,
    sample_minutes: i64,
}

/// Returns the flag showGDSData, as in the answer to a sign-in.
async fn shows_gds(reports: &Reports, view: &View) -> Result<bool, Error> {
    let principal = &view.principal;
    let member = reports.records().member(principal.client, principal.member).await?;
    let flags = [member.as_ref().map(|member| &member.flags), Some(&view.field.client().config)];
    Ok(flags.into_iter().flatten().find_map(|flags| flags.get("showGDSData")?.as_bool()).unwrap_or(false))
}

/// Returns the areas of the given ids of one level.
pub fn areas(view: &View, level: &str, ids: Ids) -> Result<Vec<Area>, Error> {
    let ids: BTreeSet<i64> = match ids {
        Ids::One(id) => [id].into(),
        Ids::Many(ids) if ids.len() > NODES_MAX => return Err(Error::BadRequest(format!("levelId must name up to {NODES_MAX} nodes"))),
        Ids::Many(ids) => ids.into_iter().collect(),
    };
    if ids.is_empty() {
        return Err(Error::BadRequest("levelId must name a node".to_owned()));
    }
    let known = ["client", "substation", "asset"].iter().any(|word| level.eq_ignore_ascii_case(word));
    if !known && !Level::ALL.iter().any(|known| level.eq_ignore_ascii_case(known.as_str())) {
        let allowed = "level must be client, circle, division, town, subdivision, section, location or asset";
        return Err(Error::BadRequest(allowed.to_owned()));
    }
    if level.eq_ignore_ascii_case("asset") && ids.len() > 1 {
        return Err(Error::BadRequest("levelId must name one asset".to_owned()));
    }
    ids.into_iter().map(|id| area(view, level, id).ok_or(Error::NotFound)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn definition(historic: bool, real_time: bool, input: Input) -> Definition {
        let known = by_key("EVENT_LOG").expect("a report");
        Definition { historic, real_time, input, columns: known.columns, frequencies: known.frequencies, ..*known }
    }

    fn question(more: &Value) -> ReportQuestion {
        let mut fields = json!({ "level": "location", "levelId": 17 });
        fields.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        serde_json::from_value(fields).expect("a question")
    }

    #[test]
    fn a_report_is_of_days_or_of_now_as_far_as_it_has_both() {
        for (historic, real_time, word, expected) in [
            (true, false, None, Ok(false)),
            (true, true, None, Ok(false)),
            (false, true, None, Ok(true)),
            (true, true, Some("Realtime"), Ok(true)),
            (true, true, Some("historic"), Ok(false)),
            (true, false, Some("realtime"), Err("reportType must be historic for EVENT_LOG")),
            (false, true, Some("historic"), Err("reportType must be realtime for EVENT_LOG")),
            (true, true, Some("tomorrow"), Err("reportType must be historic or realtime for EVENT_LOG")),
        ] {
            let parsed = question(&json!({ "reportType": word }));
            let found = parsed.real_time(&definition(historic, real_time, Input::None)).map_err(|error| error.to_string());
            assert_eq!(found, expected.map_err(str::to_owned), "{historic} {real_time} {word:?}");
        }
        let calendar = Calendar::named("Asia/Kolkata", Micros(0));
        for (more, is_taken) in [
            (json!({}), true),
            (json!({ "frequency": 5, "frequencyValue": " " }), true),
            (json!({ "frequency": 7 }), false),
            (json!({ "frequencyValue": "2026-11-01" }), false),
        ] {
            let found = question(&more).now(&calendar);
            let outcome = found.map(|(period, span, frequency)| (period.first.to_string(), span, frequency)).ok();
            assert_eq!(outcome, is_taken.then(|| ("1970-01-01".to_owned(), (Micros(0), Micros(0)), "Realtime".to_owned())), "{more}");
        }
    }

    #[test]
    fn what_is_asked_besides_fits_the_report_and_its_days() {
        let outcome = |input, real_time, more: Value| {
            let found = question(&more).inputs(&definition(true, true, input), real_time);
            found.map(|found| (found.limit, found.quantity, found.sample_minutes)).map_err(|error| error.to_string())
        };
        let (voltage, current) = (Some(Quantity::Voltage), Some(Quantity::Current));
        for (input, more, expected) in [
            (Input::Quantity, json!({}), (5, None, 15)),
            (Input::Quantity, json!({ "quantity": "Voltage" }), (5, voltage, 15)),
            (Input::Quantity, json!({ "quantity": "current" }), (5, current, 15)),
            (Input::Sample, json!({ "sampleMinutes": 60 }), (5, None, 60)),
            (Input::SampleOfGds, json!({ "sampleMinutes": 1 }), (5, None, 1)),
            (Input::Limit, json!({ "limit": 7 }), (7, None, 15)),
        ] {
            assert_eq!(outcome(input, false, more.clone()), Ok(expected), "{more}");
        }
        for (input, real_time, more, says) in [
            (Input::Quantity, false, json!({ "quantity": "power" }), "quantity must be voltage or current, or be left out for both"),
            (Input::Quantity, true, json!({ "quantity": "voltage" }), "quantity must be left out of a realtime report"),
            (Input::Sample, false, json!({ "quantity": "voltage" }), "quantity is no input of EVENT_LOG"),
            (Input::Sample, false, json!({ "sampleMinutes": 7 }), "sampleMinutes must be 1, 5, 10, 15, 30 or 60"),
            (Input::None, false, json!({ "sampleMinutes": 15 }), "sampleMinutes is no input of EVENT_LOG"),
            (Input::Limit, false, json!({ "limit": 0 }), "limit must lie between 1 and 1000000"),
        ] {
            assert_eq!(outcome(input, real_time, more.clone()), Err(says.to_owned()), "{more}");
        }
    }

    #[test]
    fn the_fourth_part_of_a_path_is_the_input() {
        let of = |input, text: &str| {
            let parsed = ReportQuestion::of_segment(text, 7, &definition(true, false, input));
            parsed
                .map(|parsed| (parsed.quantity, parsed.sample_minutes, parsed.limit, parsed.exclude_momentary))
                .map_err(|error| error.to_string())
        };
        assert_eq!(of(Input::Quantity, "location:17:2026-11-01"), Ok((None, None, None, None)));
        assert_eq!(of(Input::Quantity, "location:17:2026-11-01:voltage"), Ok((Some("voltage".to_owned()), None, None, None)));
        assert_eq!(of(Input::Sample, "asset:5:2026-11-01:15"), Ok((None, Some(15), None, None)));
        assert_eq!(of(Input::SampleOfGds, "asset:5:2026-11-01:1"), Ok((None, Some(1), None, None)));
        assert_eq!(of(Input::Limit, "client:1:2026-11-01:9"), Ok((None, None, Some(9), None)));
        assert_eq!(of(Input::Momentary, "client:1:2026-11-01:false"), Ok((None, None, None, Some(false))));
        for (input, text, says) in [
            (Input::Sample, "asset:5:2026-11-01:often", "sampleMinutes must be a number"),
            (Input::Momentary, "client:1:2026-11-01:no", "excludeMomentary must be true or false"),
            (Input::None, "asset:5:2026-11-01:15", "the last part of the path must be level:ids:YYYY-MM-DD"),
        ] {
            let found = of(input, text).expect_err("refused");
            assert!(found.starts_with(says), "{text}: {found}");
        }
    }
}
