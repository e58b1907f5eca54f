//! PUT /api/admin/energybudget/{type}/{id} and POST /api/admin/energybudgets/import: budgets of months, entered or from a file.

use std::collections::HashMap;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use grid::{Level, Scope};
use identity::{Area, RequestOrigin, View};
use registry::Field;
use serde_json::json;
use store::energy_budget::{BudgetEntry, BudgetLine, EnteredBudget, KWH_MAX, Month, parse_file};
use store::import::{FAULTS_MAX, Fault};
use wire::Envelope;
use wire::cable_health::ImportFault;
use wire::forecast::{BudgetDraft, BudgetsImported, EnteredBudgetRow};

use crate::body::Body;
use crate::error::Error;
use crate::extract::Scoped;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::state::Services;

/// Limit of a file, bytes.
pub(crate) const BODY_MAX_BYTES: usize = 5 * 1024 * 1024;

/// Stores the energy budget of a month of an area or asset, or removes it. Returns all budgets of the place, the newest month first.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/energybudget/{type}/{id}", tag = "admin", operation_id = "changeEnergyBudget", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, a level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset")),
    request_body = BudgetDraft,
    responses(
        (status = 200, description = "The stored budgets of the place", body = Envelope<Vec<EnteredBudgetRow>>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "The area or asset does not exist, or the caller cannot see it", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    _: Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    scoped: Scoped<Area>,
    Body(draft): Body<BudgetDraft>,
) -> Result<Json<Envelope<Vec<EnteredBudgetRow>>>, Error> {
    let refused = |what: &str| Error::BadRequest(what.to_owned());
    let month = Month::parse(&draft.month).ok_or_else(|| refused("month must be a month from 2000 to 2199, such as 2026-04"))?;
    if draft.budget_kwh.is_some_and(|kwh| !(kwh > 0.0 && kwh < KWH_MAX)) {
        return Err(refused("budgetKwh must be above 0 and below 1e12, or null"));
    }
    let (client, place) = (scoped.view.principal.client, scoped.target.0);
    services.store().put_energy_budget(client, place, (month, draft.budget_kwh), &trail.origin).await?;
    Ok(Json(Envelope::ok(rows(services.store().energy_budgets(client, place).await?))))
}

/// Returns budgets as rows of an answer.
pub(crate) fn rows(budgets: Vec<EnteredBudget>) -> Vec<EnteredBudgetRow> {
    budgets.into_iter().map(|budget| EnteredBudgetRow { month: budget.month.to_string(), budget_kwh: budget.kwh }).collect()
}

/// Imports a file of budgets, completely or not at all. A line replaces the stored budget of its place and month.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/admin/energybudgets/import", tag = "admin", operation_id = "importEnergyBudgets", security(("bearer" = [])),
    request_body(content = String, content_type = "text/csv",
        description = "Up to 5 MiB and 20,000 rows below the columns level, code, substation, month and kwh: places as in a file of the hierarchy"),
    responses(
        (status = 200, description = "The number of new, changed and unchanged budgets", body = Envelope<BudgetsImported>),
        (status = 400, description = "The file has errors, which `result` lists, and nothing is stored", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 413, description = "The file is too large", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn import(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    csv: Bytes,
) -> Result<Json<Envelope<BudgetsImported>>, Error> {
    let client = principal.client;
    let view = View { field: services.field(client).await?, principal };
    let entries = match parse_file(&csv).and_then(|lines| resolve(&view, &lines)) {
        Ok(entries) => entries,
        Err(faults) => return Err(refusal(faults)),
    };
    let counts = services.store().import_energy_budgets(client, &entries, &trail.origin).await?;
    Ok(Json(Envelope::ok(BudgetsImported { added: counts.added, changed: counts.changed, same: counts.same, faults: Vec::new() })))
}

fn refusal(faults: Vec<Fault>) -> Error {
    let message = faults.first().map_or_else(String::new, |first| format!("nothing is stored: {first}"));
    let faults = faults.into_iter().map(|fault| ImportFault { line: fault.line, column: fault.column, what: fault.what }).collect();
    let details = json!(BudgetsImported { added: 0, changed: 0, same: 0, faults });
    Error::Operate { status: StatusCode::BAD_REQUEST, message, details }
}

/// Finds the place of each line. A month of a place can occur once.
fn resolve(view: &View, lines: &[BudgetLine]) -> Result<Vec<BudgetEntry>, Vec<Fault>> {
    let (mut entries, mut faults, mut seen) = (Vec::with_capacity(lines.len()), Vec::new(), HashMap::new());
    for line in lines {
        let fault = |column: &str, what: String| Fault { line: line.line, column: column.to_owned(), what };
        match place(view, line) {
            Ok(place) => match seen.insert((place, line.month), line.line) {
                Some(first) => faults.push(fault("month", format!("{} of this place is already on line {first}", line.month))),
                None => entries.push(BudgetEntry { place, budget: EnteredBudget { month: line.month, kwh: line.kwh } }),
            },
            Err((column, what)) => faults.push(fault(column, what)),
        }
        if faults.len() >= FAULTS_MAX {
            break;
        }
    }
    if faults.is_empty() { Ok(entries) } else { Err(faults) }
}

/// Returns the place of a line that the caller can see, or the column and the text of its error.
fn place(view: &View, line: &BudgetLine) -> Result<Option<Scope>, (&'static str, String)> {
    let field: &Field = &view.field;
    let named = |level: Level, code: &str| field.nodes().find(|node| node.level == level && node.code == code && view.sees(node));
    let missing = |column, what: &str, code: &str| (column, format!("there is no {what} with the code \"{}\"", code.escape_debug()));
    match line.level.as_str() {
        "client" if line.code.is_empty() && line.substation.is_empty() => {
            let all = Area::of_caller(view).ok_or_else(|| ("level", "you cannot see the whole utility".to_owned()))?;
            Ok(all.0)
        }
        "client" => Err(("code", "is empty for the level client, and so is substation".to_owned())),
        "asset" => {
            let station =
                named(Level::Substation, &line.substation).ok_or_else(|| missing("substation", "substation", &line.substation))?;
            let asset = field.assets_at(station.id).find(|asset| asset.code == line.code);
            asset.map(|asset| Some(Scope::Asset(asset.id))).ok_or_else(|| missing("code", "asset in this substation", &line.code))
        }
        _ if !line.substation.is_empty() => Err(("substation", "is only for the level asset".to_owned())),
        level => {
            let found =
                Level::ALL.into_iter().find(|known| known.as_str() == level || *known == Level::Substation && level == "substation");
            let found = found.ok_or_else(|| {
                let allowed = Level::ALL.map(Level::as_str).join(", ");
                ("level", format!("\"{}\" is no level; allowed are client, {allowed} and asset", level.escape_debug()))
            })?;
            named(found, &line.code).map(|node| Some(Scope::Node(node.id))).ok_or_else(|| missing("code", level, &line.code))
        }
    }
}
