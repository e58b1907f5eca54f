//! Makes one run: with the rights that its owner has at this moment, its rows written into pieces as they come.

use auth::Principal;
use grid::Micros;
use sheet::{Format, Written, file_name};
use store::report::{Claimed, Finished};
use tokio_util::sync::CancellationToken;

use super::due::{Days, untold};
use super::entry::asked_of;
use super::pieces::{Pieces, Stopped};
use super::{DAY_MS, ScheduleSettings};
use crate::error::Error;
use crate::extract::View;
use crate::page::{Page, ReportExport};
use crate::reports::download::{report, write};
use crate::reports::rows::run;
use crate::state::Services;

/// Why a run ends without a file.
pub(crate) enum Unmade {
    /// For a reason that is told.
    Failed(String),
    /// It is not ours any more, and whoever has it tells.
    Lost,
}

impl From<Error> for Unmade {
    fn from(error: Error) -> Self {
        Self::Failed(match error {
            Error::NotFound => "A place of this report is not there any more, or its owner may not see it now.".to_owned(),
            error => format!("The report could not be made: {error}."),
        })
    }
}

impl From<store::Error> for Unmade {
    fn from(error: store::Error) -> Self {
        Error::from(error).into()
    }
}

/// Makes the file of a run, or says why there is none. What is to be known of a file stands in its end.
pub(crate) async fn make(
    services: &Services,
    settings: &ScheduleSettings,
    of: &Claimed,
    end: CancellationToken,
) -> Result<Finished, Unmade> {
    let unreadable = || Unmade::Failed("The schedule cannot be read, please save it anew.".to_owned());
    let view = view_of_owner(services, of).await?;
    let (days, format): (Days, Format) =
        (Days::of_word(&of.period_word).ok_or_else(unreadable)?, of.format.parse().map_err(|_| unreadable())?);
    let period = if of.period.is_empty() { None } else { Some(untold(&of.period).ok_or_else(unreadable)?) };
    let (definition, asked) = asked_of(&of.question, days, period, services, &view)?;
    let settled = services.0.deps.reports.clone();
    let report = report(definition, &asked, settled.rows_max);
    let file_name = file_name(definition.name, report.made, &report.zone, format);
    let mut reader = run(definition, asked);
    let Some(first) = reader.next().await? else { return Ok(Finished::Empty) };
    let mut pieces = Pieces::new(services.clone(), of.clone(), settings.kept_bytes_max, end);
    let written = tokio::task::spawn_blocking(move || {
        let written = write(format, report, first, &mut reader, (&mut pieces, &settled.folder));
        let written = written.and_then(|written| pieces.finish().map(|()| written).map_err(Into::into));
        (written, pieces.stopped)
    });
    let (written, stopped) = written.await.map_err(|_| Unmade::from(Error::Internal))?;
    let Written { rows, cut } = match (written, stopped) {
        (Ok(written), _) => written,
        (Err(_), Some(Stopped::Full)) => {
            let mib = settings.kept_bytes_max / (1024 * 1024);
            return Err(Unmade::Failed(format!(
                "The utility may keep {mib} MiB of files and this one would be beyond that: remove schedules, or keep their files for fewer days."
            )));
        }
        (Err(_), Some(Stopped::Lost)) => return Err(Unmade::Lost),
        (Err(_), Some(Stopped::Failed(error))) => return Err(error.into()),
        (Err(error), None) => return Err(Unmade::Failed(format!("The report could not be written: {error}."))),
    };
    Ok(Finished::Done {
        rows: i64::try_from(rows).unwrap_or(i64::MAX),
        file_name,
        media_type: format.media_type().to_owned(),
        expires: Micros(kept_until((settings.clock)(), i64::from(of.keep_days))),
        message: if cut { format!("The file is cut after {rows} rows.") } else { String::new() },
    })
}

fn kept_until(now: Micros, days: i64) -> i64 {
    now.plus_millis(days * DAY_MS).0
}

/// What the owner sees now. Who may not sign in, or does not have the page any more, gets nothing made.
async fn view_of_owner(services: &Services, of: &Claimed) -> Result<View, Unmade> {
    let refused = |why: &str| Unmade::Failed(why.to_owned());
    let owner = services.store().report_owner(of.client, of.member).await?;
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
    let pages = services.store().page_access(of.client, owner.role_id..=owner.role_id).await?;
    if !principal.has_role() || !pages.iter().any(|access| access.page.tab_key == ReportExport::KEY) {
        return Err(refused("Its owner does not have the page of reports now."));
    }
    let field = services.field(of.client).await?;
    Ok(View { principal, field })
}
