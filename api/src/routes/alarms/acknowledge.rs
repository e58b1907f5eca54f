//! POST /api/alarms/acknowledge.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use grid::Micros;
use grid::alarm::{Act, AlarmRecord, Outcome};
use identity::{RequestOrigin, View};
use wire::Envelope;
use wire::alarms::{AcknowledgeAlarms, AcknowledgedAlarms};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Diagram, Writes};
use crate::state::Services;

/// Limit of alarms in one request.
const IDS_MAX: usize = 1_000;

/// Acknowledges alarms up to the given offset. An alarm that was raised again after it is not acknowledged.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/alarms/acknowledge", tag = "alarms", operation_id = "acknowledgeAlarms", security(("bearer" = [])),
    request_body = AcknowledgeAlarms,
    responses(
        (status = 200, description = "Acknowledged and newer alarms", body = Envelope<AcknowledgedAlarms>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission, or another desk holds the area of the alarm", body = wire::envelope::Failure),
        (status = 404, description = "One of the alarms does not exist; none is acknowledged", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(AcknowledgeAlarms { ids, offset }): Body<AcknowledgeAlarms>,
) -> Result<Json<Envelope<AcknowledgedAlarms>>, Error> {
    let ids: Vec<i64> = ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    if !(1..=IDS_MAX).contains(&ids.len()) {
        return Err(Error::BadRequest(format!("ids must name 1 to {IDS_MAX} alarms")));
    }
    let name = super::name_of(&services, &view).await?;
    let step = |alarm: &mut AlarmRecord, at: Micros| {
        let is_behind = offset < alarm.raised_offset;
        let seen = alarm.life.count - i32::from(is_behind);
        alarm.life.step(Act::Acknowledge { seen, at })
    };
    let act = |alarm: &mut AlarmRecord, at: Micros| {
        let outcome = step(alarm, at);
        alarm.acknowledged_by = Some(name.clone());
        outcome.change()
    };
    let client = view.principal.client;
    let acted = services.store().act_on_alarms(client, &ids, &trail.origin, |found| super::may(&view, ids.len(), found), act).await??;
    let newer = acted
        .found
        .iter()
        .filter(|before| step(&mut (*before).clone(), Services::now()) == Outcome::Newer)
        .map(|before| before.id)
        .collect();
    let acknowledged = acted.committed.iter().flat_map(|committed| &committed.rows).map(|row| row.id).collect();
    if let Some(committed) = acted.committed {
        super::publish(&services, &view, committed);
    }
    Ok(Json(Envelope::ok(AcknowledgedAlarms { acknowledged, newer })))
}
