//! POST /api/optimisebattery/{deviceId}/demandfile: stores a demand file of a site and returns its handle. This module also contains the job that deletes
//! expired files.

use std::time::Duration;

use analysis::low_carbon::Day;
use auth::{hash_token, new_handle};
use axum::Json;
use axum::body::Bytes;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{Multipart, State};
use axum::http::StatusCode;
use dispatch::FILE_MAX_BYTES;
use grid::Micros;
use identity::{RequestOrigin, throttle};
use permits::{Full, LimitOwner};
use serde_json::json;
use store::Store;
use store::demand_file::{DemandFile, Owner};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use wire::Envelope;
use wire::envelope::FileFault;
use wire::lowcarbon::DemandFileTaken;
use wire::time::iso;

use crate::error::Error;
use crate::page::{Optimiser, Writes};
use crate::routes::lowcarbon::VisibleSite;
use crate::state::Services;

/// Limit of the body, bytes: the largest file plus the other parts of the form.
pub(crate) const BODY_MAX_BYTES: usize = FILE_MAX_BYTES + 16 * 1024;
/// Time limit of an upload: 5 MiB at 100 kbit/s.
pub(crate) const CALL_MAX: Duration = Duration::from_mins(10);
/// Lifetime of a handle: one day, ms.
const KEPT_MS: i64 = 24 * 3_600_000;
/// Maximum number of files of one session per minute.
const PER_MINUTE: i64 = 30;
/// Maximum number of concurrent uploads of one utility.
const UPLOADS_OF_UTILITY_MAX: usize = 6;
/// Maximum number of concurrent uploads of one user. It is two, because a user may choose another file while the first one is still being sent.
const UPLOADS_OF_ONE_MAX: usize = 2;
/// The message if too many uploads are running.
const CROWDED: &str = "Other demand files are coming in just now. Please send yours again in a moment.";
/// The message if a user has too many uploads running.
const CROWDED_OWN: &str = "Two of your demand files are coming in just now. Please wait until one of them has arrived.";
/// Time after which the client may retry, s.
const CROWDED_S: u64 = 10;
/// Maximum number of characters of `lat` or `lon`.
const NUMBER_MAX: usize = 32;

/// Parses a demand file of a site and stores it for a day. The handle is valid for the same user and site only. A file with errors is not stored, and all
/// errors are returned.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/optimisebattery/{deviceId}/demandfile", tag = "lowcarbon", operation_id = "uploadDemandFile", security(("bearer" = [])),
    params(("deviceId" = i64, Path, description = "A site")),
    request_body(content = DemandForm, content_type = "multipart/form-data", description = "The file, and where the site is"),
    responses(
        (status = 200, description = "The handle", body = Envelope<DemandFileTaken>),
        (status = 400, description = "The file has errors, which are beside the message, or the form cannot be parsed", body = wire::envelope::Failure),
        (status = 404, description = "There is no such site", body = wire::envelope::Failure),
        (status = 413, description = "More than 5 MiB", body = wire::envelope::Failure),
        (status = 429, description = "More than thirty in a minute, or too many uploads at once: two of the caller, six of the utility or eight of all; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    VisibleSite { view, site }: VisibleSite,
    _: Writes<Optimiser>,
    trail: RequestOrigin,
    multipart: Multipart,
) -> Result<Json<Envelope<DemandFileTaken>>, Error> {
    throttle::by_minute(services.store(), "demand files", view.principal.session, PER_MINUTE).await?;
    // The permit is taken before the body is read, because the body is kept in memory.
    let _upload = services.0.uploads.take_for(&view.principal, UPLOADS_OF_UTILITY_MAX, UPLOADS_OF_ONE_MAX).map_err(|full| {
        let what = if matches!(full, Full::Of(LimitOwner::Member(_))) { CROWDED_OWN } else { CROWDED };
        Error::Crowded { what, retry_after_s: CROWDED_S }
    })?;
    let Form { file, place } = form(multipart).await?;
    let bytes = file.len();
    let turn = services.0.planning.clone().acquire_owned().await.map_err(|_| Error::Internal)?;
    let day = Day::today(&view, Services::now());
    let read = move || {
        let _turn = turn;
        dispatch::demand_file(&file, |date| day.hours_of(date))
    };
    let demand = tokio::task::spawn_blocking(read).await.map_err(|_| Error::Internal)?.map_err(|faults| faulty(&faults))?;
    let now = Services::now();
    let expires = now.plus_millis(KEPT_MS);
    let handle = new_handle();
    let owner = Owner { client: view.principal.client, member: view.principal.member, device_id: site.device_id };
    let kept = DemandFile { kw: demand.kw.into(), place };
    let audit_value = json!({ "bytes": bytes, "days": demand.days, "values": demand.values });
    let is_kept =
        services.store().put_demand_file(owner, &hash_token(&handle), &kept, (now, expires), (audit_value, &trail.origin)).await?;
    if !is_kept {
        return Err(Error::NotFound);
    }
    metrics::counter!("demand_files_taken_total").increment(1);
    Ok(Json(Envelope::ok(DemandFileTaken { handle, days: demand.days, values: demand.values, expires: iso(expires) })))
}

/// The parts of the form.
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[allow(dead_code, reason = "what a form has, for the document")]
pub(crate) struct DemandForm {
    /// CSV: 48 values in kW, or times and kW.
    #[cfg_attr(test, schema(value_type = String, format = Binary))]
    file: Vec<u8>,
    /// Degrees north; 0 for both is "not set".
    lat: Option<f64>,
    /// Degrees east.
    lon: Option<f64>,
}

/// The parsed form.
struct Form {
    file: Bytes,
    place: Option<(f64, f64)>,
}

/// Parses the form. Each part may occur once; unknown parts are refused.
async fn form(mut multipart: Multipart) -> Result<Form, Error> {
    let (mut file, mut lat, mut lon) = (None, None, None);
    while let Some(field) = multipart.next_field().await.map_err(|error| unreadable(&error))? {
        let name = field.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "file" if file.is_none() => file = Some(field.bytes().await.map_err(|error| unreadable(&error))?),
            "lat" if lat.is_none() => lat = Some(degrees(field, "lat", 90.0).await?),
            "lon" if lon.is_none() => lon = Some(degrees(field, "lon", 180.0).await?),
            "file" | "lat" | "lon" => return Err(Error::BadRequest(format!("{name} is there twice, once is allowed"))),
            _ => return Err(Error::BadRequest("Unknown form field; allowed: file, lat, lon.".to_owned())),
        }
    }
    let file = file.ok_or_else(|| Error::BadRequest("the form has no part named file".to_owned()))?;
    let place = match (lat.flatten(), lon.flatten()) {
        (Some(lat), Some(lon)) => Some((lat, lon)).filter(|(lat, lon)| *lat != 0.0 || *lon != 0.0),
        (None, None) => None,
        _ => return Err(Error::BadRequest("lat and lon go together".to_owned())),
    };
    Ok(Form { file, place })
}

/// Parses degrees; `None` if the part is empty.
async fn degrees(field: Field<'_>, name: &str, most: f64) -> Result<Option<f64>, Error> {
    let bytes = field.bytes().await.map_err(|error| unreadable(&error))?;
    let wrong = || Error::BadRequest(format!("{name} must be a number of degrees from -{most} to {most}, or empty"));
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong())?.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let read = text.parse().ok().filter(|degrees: &f64| text.len() <= NUMBER_MAX && (-most..=most).contains(degrees));
    read.map(Some).ok_or_else(wrong)
}

fn unreadable(error: &MultipartError) -> Error {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        Error::TooLarge("the file is too large; up to 5 MiB")
    } else {
        Error::BadRequest("the form cannot be read".to_owned())
    }
}

fn faulty(faults: &[dispatch::FileFault]) -> Error {
    let message = faults.first().map(ToString::to_string).unwrap_or_default();
    let to_fault = |fault: &dispatch::FileFault| FileFault { line: fault.line, column: fault.column.to_owned(), what: fault.what.clone() };
    Error::Faulty { message, faults: faults.iter().map(to_fault).collect() }
}

/// Deletes expired demand files, now and at each interval until `shutdown`. It continues after failures of the database.
pub async fn sweep(store: Store, every: Duration, clock: fn() -> Micros, shutdown: CancellationToken) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = ticks.tick() => {}
        }
        match store.expire_demand_files(clock()).await {
            Ok(gone) => metrics::counter!("demand_files_expired_total").increment(gone),
            Err(error) => tracing::warn!(%error, "demand files whose time is over wait for the database"),
        }
    }
}
