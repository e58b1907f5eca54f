//! Plans a day for a call: reads its demand file, and waits for a permit to compute.

use analysis::low_carbon::{PlanInputs, PlanQuestion};
use dispatch::Plan;
use grid::Micros;
use store::demand_file::{DemandFile, Owner};
use wire::lowcarbon::{Optimised, OptimiserRequest};

use crate::error::Error;
use crate::routes::lowcarbon::VisibleSite;
use crate::state::Services;

/// Maximum number of characters of a handle.
const HANDLE_MAX: usize = 100;
const GONE: &str = "That file is not there any more. Please choose it again.";

/// Collects the inputs of the requested plan. Pass the same `now` for two plans that are compared.
pub(super) async fn inputs(
    services: &Services,
    visible: &VisibleSite,
    request: &OptimiserRequest,
    now: Micros,
) -> Result<PlanInputs, Error> {
    let VisibleSite { view, site } = visible;
    let question = PlanQuestion::read(view, site, request, now)?;
    let file = demand_file(services, visible, request.demand_file.as_deref(), now).await?;
    Ok(PlanInputs::collect(services.store(), view, site, question, file, now).await?)
}

async fn demand_file(services: &Services, visible: &VisibleSite, handle: Option<&str>, now: Micros) -> Result<Option<DemandFile>, Error> {
    let Some(handle) = handle.map(str::trim).filter(|handle| !handle.is_empty()) else { return Ok(None) };
    if handle.len() > HANDLE_MAX {
        return Err(Error::Gone(GONE));
    }
    let principal = &visible.view.principal;
    let owner = Owner { client: principal.client, member: principal.member, device_id: visible.site.device_id };
    let found = services.store().demand_file(owner, &auth::hash_token(handle), now).await?;
    found.map(Some).ok_or(Error::Gone(GONE))
}

/// Computes a plan on a separate thread. The number of simultaneous plans is limited. If the caller stops waiting, the computation continues to its end.
pub(super) async fn planned(services: &Services, inputs: PlanInputs) -> Result<(Plan, Optimised), Error> {
    let permit = services.0.planning.clone().acquire_owned().await.map_err(|_| Error::Internal)?;
    let solve = move || {
        let _permit = permit;
        inputs.solve()
    };
    Ok(tokio::task::spawn_blocking(solve).await.map_err(|_| Error::Internal)??)
}
