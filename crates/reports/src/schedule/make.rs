//! Creates the file of one run with the present rights of its owner. Rows are written into pieces as they arrive.

use std::io::Write as _;

use analysis::calendar::{Calendar, Period};
use auth::Principal;
use grid::{ClientId, Micros};
use identity::{Area, View};
use sheet::{Format, Written, file_name};
use store::report::{Claimed, Finished, ReportPermissions};
use tokio_util::sync::CancellationToken;

use crate::definition::Definition;
use crate::download::{report, write};
use crate::engine::run_until;
use crate::error::Error;
use crate::imprint::Imprint;
use crate::schedule::DAY_MS;
use crate::schedule::due::{Days, parse_period};
use crate::schedule::entry::{ScheduledReport, resolve_for};
use crate::schedule::pieces::{Pieces, StoreError, of_one};
use crate::schedule::settings::ScheduleSettings;
use crate::valid_request::ValidRequest;
use crate::{PAGE, Reports, monthly};

/// Why a run ends without a file.
pub(super) enum NoFileReason {
    /// It failed; the text is shown to the user.
    Failed(String),
    /// Another process has taken the run over and will store its result.
    Lost,
}

impl From<Error> for NoFileReason {
    fn from(error: Error) -> Self {
        error.log();
        Self::Failed(match error {
            Error::NotFound => "A place of this report is not there any more, or its owner may not see it now.".to_owned(),
            error => format!("The report could not be made: {error}."),
        })
    }
}

impl From<store::Error> for NoFileReason {
    fn from(error: store::Error) -> Self {
        Error::from(error).into()
    }
}

/// Creates the file of a run and returns the end of the run, with its message.
pub(super) async fn make(
    reports: &Reports,
    settings: &ScheduleSettings,
    of: &Claimed,
    end: CancellationToken,
) -> Result<Finished, NoFileReason> {
    let unreadable = || NoFileReason::Failed("The schedule is invalid. Open it and save it again.".to_owned());
    let view = view_of_owner(reports, of).await?;
    let (days, format): (Days, Format) =
        (Days::parse(&of.period_word).ok_or_else(unreadable)?, of.format.parse().map_err(|_| unreadable())?);
    let period = if of.period.is_empty() { None } else { Some(parse_period(&of.period).ok_or_else(unreadable)?) };
    let report_to_make = resolve_for(&of.question, days, period, reports, &view).await?;
    let pieces = Pieces::new(reports.clone(), of.clone(), settings.kept_bytes_max, end.clone());
    let made = match report_to_make {
        ScheduledReport::Rows(definition, request) => rows(reports, definition, *request, format, (pieces, end), settings).await?,
        ScheduledReport::Month(areas, month) => Some(document(reports, &view, areas, month, pieces, settings).await?),
    };
    let Some(Made { name, rows, message }) = made else { return Ok(Finished::Empty) };
    Ok(Finished::Done {
        rows,
        made_as: ReportPermissions { node: view.principal.node, role: view.principal.role_id },
        file_name: name,
        media_type: format.media_type().to_owned(),
        expires: Micros(kept_until((settings.clock)(), i64::from(of.keep_days))),
        message,
    })
}

/// A stored file.
struct Made {
    name: String,
    /// The number of rows; `None` for a document.
    rows: Option<i64>,
    message: String,
}

/// Writes the rows of a report; `None` if there are none, unless its head contains the time since which its history is
/// kept.
async fn rows(
    reports: &Reports,
    definition: &'static Definition,
    request: ValidRequest,
    format: Format,
    (mut pieces, end): (Pieces, CancellationToken),
    settings: &ScheduleSettings,
) -> Result<Option<Made>, NoFileReason> {
    let settled = reports.settings.clone();
    let imprint = Imprint::of(reports, &request.view).await?;
    let report = report(definition, &request, settled.rows_max, imprint);
    let name = file_name(definition.name, report.made, &report.zone, format);
    let has_expired = request.kept_since.is_some();
    let mut reader = run_until(definition, request, end.clone());
    let first = reader.next().await;
    if end.is_cancelled() {
        return Err(NoFileReason::Lost);
    }
    let first = first?;
    if first.is_none() && !has_expired {
        return Ok(None);
    }
    let written = tokio::task::spawn_blocking(move || {
        let written = write(definition, (format, report), first, &mut reader, (&mut pieces, &settled.folder));
        (written.and_then(|written| pieces.finish().map(|()| written).map_err(Into::into)), pieces.stopped)
    });
    let (written, stopped) = written.await.map_err(|_| NoFileReason::from(Error::Internal))?;
    if written.is_err() && end.is_cancelled() {
        return Err(NoFileReason::Lost);
    }
    let Written { rows, cut } = kept(written, stopped, settings)?;
    let message = if cut { format!("The file is cut after {rows} rows.") } else { String::new() };
    Ok(Some(Made { name, rows: Some(i64::try_from(rows).unwrap_or(i64::MAX)), message }))
}

/// Writes the monthly document.
async fn document(
    reports: &Reports,
    view: &View,
    areas: Vec<Area>,
    month: Period,
    mut pieces: Pieces,
    settings: &ScheduleSettings,
) -> Result<Made, NoFileReason> {
    let calendar = Calendar::of(view, wire::time::now());
    let name = file_name(&monthly::title(month), calendar.now, calendar.zone(), Format::Pdf);
    let pdf = monthly::file(reports, view, areas, month).await?;
    let written = tokio::task::spawn_blocking(move || {
        let written = pieces.write_all(&pdf).and_then(|()| pieces.finish());
        (written.map_err(sheet::Error::from), pieces.stopped)
    });
    let (written, stopped) = written.await.map_err(|_| NoFileReason::from(Error::Internal))?;
    kept(written, stopped, settings)?;
    Ok(Made { name, rows: None, message: String::new() })
}

/// Returns the result of writing, or the reason why the file is not kept.
fn kept<T>(written: Result<T, sheet::Error>, stopped: Option<StoreError>, settings: &ScheduleSettings) -> Result<T, NoFileReason> {
    match (written, stopped) {
        (Ok(written), _) => Ok(written),
        (Err(_), Some(StoreError::Full)) => {
            let mib = settings.kept_bytes_max / (1024 * 1024);
            Err(NoFileReason::Failed(format!(
                "The utility may keep {mib} MiB of files and this one would be beyond that: remove schedules, or keep their files for fewer days."
            )))
        }
        (Err(_), Some(StoreError::FullOfOne)) => {
            let mib = of_one(settings.kept_bytes_max) / (1024 * 1024);
            Err(NoFileReason::Failed(format!(
                "One person may keep {mib} MiB of files, half of what the utility may, and this one would be beyond that: remove schedules, or keep their files for \
                 fewer days."
            )))
        }
        (Err(_), Some(StoreError::Lost)) => Err(NoFileReason::Lost),
        (Err(_), Some(StoreError::Failed(error))) => Err(error.into()),
        (Err(error), None) => Err(NoFileReason::Failed(format!("The report could not be written: {error}."))),
    }
}

fn kept_until(now: Micros, days: i64) -> i64 {
    now.plus_millis(days * DAY_MS).0
}

/// Returns whether a role has the page of reports.
pub async fn has_page(reports: &Reports, client: ClientId, role: i32) -> store::Result<bool> {
    let pages = reports.records().page_access(client, role..=role).await?;
    Ok(pages.iter().any(|access| access.page.tab_key == PAGE))
}

/// Returns the present view of the owner. Fails if the owner may not sign in or no longer has the page.
async fn view_of_owner(reports: &Reports, of: &Claimed) -> Result<View, NoFileReason> {
    let refused = |why: &str| NoFileReason::Failed(why.to_owned());
    let owner = reports.records().report_owner(of.client, of.member).await?;
    let owner = owner.ok_or_else(|| refused("Its owner may not sign in to this utility now."))?;
    let principal = Principal {
        session: 0,
        member: owner.id,
        client: of.client,
        role_id: owner.role_id,
        node: owner.node,
        can_operate: false,
        demo: owner.demo,
    };
    if !principal.has_role() || !has_page(reports, of.client, owner.role_id).await? {
        return Err(refused("Its owner does not have the page of reports now."));
    }
    let field = reports.fields.get(of.client).await?;
    Ok(View { principal, field })
}
