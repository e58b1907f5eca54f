//! POST /api/network/change: stores a change of the network as a new version, or tries it.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Query, Request, State};
use axum::http::StatusCode;
use identity::RequestOrigin;
use network::Description;
use network::changes::{ChangeSet, Difference, Part, PartChanges, PartDifference};
use serde::Deserialize;
use store::ReadClass;
use store::network::Plan;
use store::temporary_change::unfit_changes;
use wire::Envelope;
use wire::network::{NetworkChanged, NetworkDifference, NetworkPartIds};

use super::answers::{findings, with_unfit};
use super::check::computed;
use crate::error::Error;
use crate::heavy::slot;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::state::Services;

/// Limit of the body, bytes. A network of 100,000 nodes has about 40 MB.
pub(crate) const BODY_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Limit of concurrent changes of one utility: their bodies are kept in memory.
const CHANGES_OF_UTILITY_MAX: usize = 2;
/// Limit of concurrent changes of one user.
const CHANGES_OF_ONE_MAX: usize = 2;
/// Time after which the client may retry, s.
const CROWDED_S: u64 = 10;
/// Number of ids that are answered of each kind of change.
const IDS_MAX: usize = 100;

/// The parameters of a change.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct How {
    /// Only returns findings and what would change.
    #[serde(default, rename = "dryRun")]
    dry_run: bool,
}

/// [`wire::network::NetworkChange`], parsed at once: a large network as JSON values would need several times its memory.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Change {
    based_on: i32,
    #[serde(default)]
    note: String,
    whole: Option<Description>,
    parts: Option<PartChanges>,
}

/// Stores a change of the network as a new version, as a whole; for roles 1 and 2. It is used after its activation.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/network/change", tag = "network", operation_id = "changeNetwork", security(("bearer" = [])),
    params(How), request_body = wire::network::NetworkChange,
    responses(
        (status = 200, description = "What was changed, with findings", body = Envelope<NetworkChanged>),
        (status = 409, description = "Another version is the newest. Nothing is stored", body = wire::envelope::Failure),
        (status = 413, description = "More than 64 MiB", body = wire::envelope::Failure),
        (status = 429, description = "Too many changes at once: two of the utility or three of all; see Retry-After", body = wire::envelope::Failure),
        (status = 422, description = "Findings prevent storing; `result` has them. Nothing is stored", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Query(how): Query<How>,
    request: Request,
) -> Result<Json<Envelope<NetworkChanged>>, Error> {
    let _upload = services.0.network_uploads.take_for(&principal, CHANGES_OF_UTILITY_MAX, CHANGES_OF_ONE_MAX).map_err(|_| {
        let what = "Other changes of networks are coming in just now. Please send yours again when they have been stored.";
        Error::Crowded { what, retry_after_s: CROWDED_S }
    })?;
    let body = Bytes::from_request(request, &()).await.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Error::TooLarge("the change is too large; up to 64 MiB"),
        _ => Error::BadRequest("the body cannot be read".to_owned()),
    })?;
    // Only now: a slow client keeps no slot of heavy work while its body arrives.
    let _slot = slot(&services, &principal).await?;
    let change = computed(move || serde_json::from_slice::<Change>(&body)).await?;
    let Change { based_on, note, whole, parts } = change.map_err(|error| Error::BadRequest(error.to_string()))?;
    let change = match (whole, parts) {
        (Some(whole), None) => ChangeSet::Whole(whole),
        (None, Some(parts)) => ChangeSet::Parts(parts),
        _ => return Err(Error::BadRequest("give either whole or parts".to_owned())),
    };
    let client = principal.client;
    // A standby may be behind, and the next version is based on the newest.
    let store = services.store().in_class(ReadClass::Background);
    let plan = store.plan_network(client, Some(based_on), change).await?;
    let version = if how.dry_run { None } else { store.apply_network(client, &plan, &note, Services::now(), &trail.origin).await? };
    let changes = services.store().temporary_changes(client).await?;
    let mut answer = computed(move || {
        let answer = answer(&plan);
        NetworkChanged { findings: with_unfit(answer.findings, &unfit_changes(plan.network(), &changes)), ..answer }
    })
    .await?;
    answer.version = version.map(|version| version.0);
    Ok(Json(Envelope::ok(answer)))
}

fn answer(plan: &Plan) -> NetworkChanged {
    let Difference { containers, nodes, equipment, measurements } = plan.difference();
    NetworkChanged {
        version: None,
        based_on: plan.based_on().map_or(0, |version| version.0),
        containers: difference(&containers),
        nodes: difference(&nodes),
        equipment: difference(&equipment),
        measurements: difference(&measurements),
        findings: findings(plan.findings()),
    }
}

fn difference<T: Part>(difference: &PartDifference<'_, T>) -> NetworkDifference {
    let PartDifference { added, changed, removed } = difference;
    let of =
        |count: usize, ids: &mut dyn Iterator<Item = &str>| NetworkPartIds { count, ids: ids.take(IDS_MAX).map(str::to_owned).collect() };
    NetworkDifference {
        added: of(added.len(), &mut added.iter().map(|part| part.id())),
        changed: of(changed.len(), &mut changed.iter().map(|part| part.id())),
        removed: of(removed.len(), &mut removed.iter().copied()),
    }
}
