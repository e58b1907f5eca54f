//! Reads and checks what is asked of a report: of which nodes, over which days, and what else. What the caller does not see is like what is not there.

use std::collections::BTreeSet;

use grid::{AssetId, ClientId, Level, Micros, NodeId, Scope};
use serde::Deserialize;
use store::registry::AssetRecord;
use utoipa::ToSchema;

use super::by_key;
use super::definition::{Definition, Input};
use super::period::{FREQUENCIES, frequency_name, period};
use crate::area::Area;
use crate::error::Error;
use crate::extract::View;
use crate::routes::analytics::energy_meters::substations;
use crate::routes::analytics::reliability_calendar::{Calendar, Period};
use crate::routes::analytics::reliability_figures::feeders;
use crate::routes::report::reliability_by_frequency::area;
use crate::state::Services;

/// Nodes of one report.
const NODES_MAX: usize = 200;
/// The largest limit.
const LIMIT_MAX: i64 = 1_000_000;
const LIMIT_DEFAULT: i64 = 5;

/// One id or several.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Ids {
    /// One.
    One(i64),
    /// Several of one level.
    Many(Vec<i64>),
}

/// What is asked of a report.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReportQuestion {
    /// The report's key, such as `EVENT_LOG`. Where the path names the report it may be left out.
    #[serde(default)]
    report: Option<String>,
    /// `client`, `circle`, `division`, `town`, `subdivision`, `section`, `location` or `asset`.
    level: String,
    /// Nodes of that level: up to 200, of assets one.
    level_id: Ids,
    /// 1 daily, 2 monthly, 3 quarterly, 4 financial year, 5 none, 6 date range, 7 single date, 9 weekly.
    frequency: i64,
    /// By the frequency: 1 and 7 `YYYY-MM-DD`, 2 `YYYY-MM`, 3 `YYYY-Q1` to `YYYY-Q4`, 4 `YYYY-YYYY` (April to March), 5 empty (the year so far),
    /// 6 `YYYY-MM-DD,YYYY-MM-DD` (both included), 9 `YYYY-W01` to `YYYY-W53`.
    #[serde(default)]
    frequency_value: String,
    /// `historic`, the only type so far, unless told.
    #[serde(default)]
    report_type: Option<String>,
    /// Report 1: leaves momentary faults out.
    #[serde(default)]
    exclude_momentary: Option<bool>,
    /// Report 9: the fewest operations that are listed; 5 unless told.
    #[serde(default)]
    limit: Option<i64>,
}

/// A question that can be answered.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) services: Services,
    pub(crate) view: View,
    /// The level as it was named.
    pub(crate) level: String,
    /// Of one level, so that none lies within another; at least one.
    pub(crate) areas: Vec<Area>,
    pub(crate) calendar: Calendar,
    /// The days, and the instants between which they lie.
    pub(crate) period: Period,
    pub(crate) span: (Micros, Micros),
    /// The frequency and its value as they are told.
    pub(crate) frequency: String,
    pub(crate) exclude_momentary: bool,
    pub(crate) limit: i64,
}

impl ReportQuestion {
    /// From the one segment of a path, `level:ids:value` or `level:ids:value:input`, ids with commas between.
    pub(crate) fn of_segment(segment: &str, frequency: i64, definition: &Definition) -> Result<Self, Error> {
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
            frequency,
            frequency_value: value.to_owned(),
            report_type: None,
            exclude_momentary: None,
            limit: None,
        };
        Ok(match definition.input {
            Input::Momentary => Self { exclude_momentary: input.map(|input| input == "true"), ..question },
            Input::Limit => Self { limit: input.map(|input| input.parse().map_err(|_| wrong())).transpose()?, ..question },
            Input::None => question,
        })
    }

    /// The report that the question itself names.
    pub(crate) fn definition(&self) -> Result<&'static Definition, Error> {
        let named =
            self.report.as_deref().ok_or_else(|| Error::BadRequest("report must be the key of a report, such as EVENT_LOG".into()))?;
        by_key(named).ok_or_else(|| Error::BadRequest("there is no report of that key; pfcreport/reportslist names all".to_owned()))
    }

    /// Checks everything.
    pub(crate) fn check(self, definition: &'static Definition, services: &Services, view: &View) -> Result<Asked, Error> {
        let bad = |message: String| Err(Error::BadRequest(message));
        if self.report.as_deref().is_some_and(|key| !key.eq_ignore_ascii_case(definition.key)) {
            return bad(format!("report must be {} here, or be left out", definition.key));
        }
        if self.report_type.as_deref().is_some_and(|word| !word.eq_ignore_ascii_case("historic")) {
            return bad("reportType must be historic".to_owned());
        }
        if definition.of_utility && !view.principal.administers() {
            return Err(Error::Forbidden("only administrators may see this report"));
        }
        if definition.of_utility && !self.level.eq_ignore_ascii_case("client") {
            return bad(format!("level must be client for {}", definition.key));
        }
        if !definition.frequencies.contains(&self.frequency) {
            let of = |(id, name): &(i64, &str)| definition.frequencies.contains(id).then(|| format!("{id} ({name})"));
            let allowed: Vec<String> = FREQUENCIES.iter().filter_map(of).collect();
            return bad(format!("frequency must be one of {} for {}", allowed.join(", "), definition.key));
        }
        let limit = self.limit.unwrap_or(LIMIT_DEFAULT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return bad(format!("limit must lie between 1 and {LIMIT_MAX}"));
        }
        for (is_given, of, name) in
            [(self.exclude_momentary.is_some(), Input::Momentary, "excludeMomentary"), (self.limit.is_some(), Input::Limit, "limit")]
        {
            if is_given && definition.input != of {
                return bad(format!("{name} is no input of {}", definition.key));
            }
        }
        let areas = areas(view, &self.level, self.level_id)?;
        let calendar = Calendar::of(view, Services::now());
        let value = self.frequency_value.trim();
        let period = period(self.frequency, value, calendar.today())?;
        let span = calendar.span(period)?;
        let frequency = format!("{} {value}", frequency_name(self.frequency)).trim_end().to_owned();
        Ok(Asked {
            services: services.clone(),
            view: view.clone(),
            level: self.level.to_lowercase(),
            areas,
            calendar,
            period,
            span,
            frequency,
            exclude_momentary: self.exclude_momentary.unwrap_or(true),
            limit,
        })
    }
}

fn areas(view: &View, level: &str, ids: Ids) -> Result<Vec<Area>, Error> {
    let ids: BTreeSet<i64> = match ids {
        Ids::One(id) => [id].into(),
        Ids::Many(ids) if ids.len() > NODES_MAX => return Err(Error::BadRequest(format!("levelId must name up to {NODES_MAX} nodes"))),
        Ids::Many(ids) => ids.into_iter().collect(),
    };
    if ids.is_empty() {
        return Err(Error::BadRequest("levelId must name a node".to_owned()));
    }
    let known = ["client", "substation", "asset"].iter().any(|word| level.eq_ignore_ascii_case(word));
    if !known && !Level::ALL.iter().any(|known| level.eq_ignore_ascii_case(known.word())) {
        let allowed = "level must be client, circle, division, town, subdivision, section, location or asset";
        return Err(Error::BadRequest(allowed.to_owned()));
    }
    if level.eq_ignore_ascii_case("asset") && ids.len() > 1 {
        return Err(Error::BadRequest("levelId must name one asset".to_owned()));
    }
    ids.into_iter().map(|id| area(view, level, id).ok_or(Error::NotFound)).collect()
}

impl Asked {
    pub(crate) fn client(&self) -> ClientId {
        self.view.principal.client
    }

    /// The name of a place.
    pub(crate) fn name_of(&self, area: Area) -> String {
        let field = &self.view.field;
        let name = match area.0 {
            None => field.client().map(|client| client.name.clone()),
            Some(Scope::Node(node)) => field.node(node).map(|node| node.name.clone()),
            Some(Scope::Asset(asset)) => field.asset(asset).map(|asset| asset.name.clone()),
        };
        name.unwrap_or_default()
    }

    /// The name of a substation.
    pub(crate) fn location_name(&self, location: NodeId) -> String {
        self.view.field.node(location).map(|location| location.name.clone()).unwrap_or_default()
    }

    /// The substations of all its places, and of an asset its own; beside them the assets, if not all of them are meant.
    pub(crate) fn place(&self) -> (Vec<NodeId>, Option<Vec<AssetId>>) {
        if let [Area(Some(Scope::Asset(asset)))] = self.areas[..] {
            let location = self.view.field.asset(asset).map(|asset| asset.location);
            return (location.into_iter().collect(), Some(vec![asset]));
        }
        (self.areas.iter().flat_map(|area| substations(&self.view, *area)).map(|substation| substation.id).collect(), None)
    }

    /// The feeders of all its places, by substation and name.
    pub(crate) fn feeders(&self) -> Vec<AssetRecord> {
        let mut found: Vec<AssetRecord> = self.areas.iter().flat_map(|area| feeders(&self.view, *area)).cloned().collect();
        found.sort_by_cached_key(|asset| (self.location_name(asset.location), asset.name.clone(), asset.id));
        found
    }

    /// The names of its places, as many as one line takes.
    pub(crate) fn names(&self) -> String {
        const NAMED_MAX: usize = 10;
        let names: Vec<String> = self.areas.iter().take(NAMED_MAX).map(|area| self.name_of(*area)).collect();
        let more = self.areas.len().saturating_sub(NAMED_MAX);
        if more == 0 { names.join(", ") } else { format!("{} and {more} more", names.join(", ")) }
    }

    /// The ids of its places, for the audit.
    pub(crate) fn ids(&self) -> Vec<i64> {
        let id = |area: &Area| match area.0 {
            None => self.client().0,
            Some(Scope::Node(node)) => node.0,
            Some(Scope::Asset(asset)) => asset.0,
        };
        self.areas.iter().map(id).collect()
    }
}
