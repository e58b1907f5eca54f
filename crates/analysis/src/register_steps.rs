//! Steps of energy registers that were refused because their line cannot carry so much, with the confirmations of users.

use std::collections::HashMap;

use grid::downsample::{Resolution, floor};
use grid::energy::{RefusedStep, refused_steps};
use grid::register::{Bound, ConfirmedStep};
use grid::{AssetId, Micros, NodeId, PointId, Scope};
use identity::{Area, View};
use store::Store;
use store::register_step::StepConfirmation;
use store::series::{REGISTERS_MAX, Registers};
use wire::energy::{RegisterStepRow, RegisterSteps};
use wire::time::iso;

use crate::energy_meters::{meters, substations};
use crate::error::Error;

/// Maximum number of returned steps. If there are more, the newest are returned.
const STEPS_MAX: usize = 200;
/// Maximum number of hours whose minutes are read.
const REFINED_MAX: usize = 200;
const HOUR_MS: i64 = 3_600_000;

/// A register of an asset.
#[derive(Debug, Clone, Copy)]
struct Register {
    asset: AssetId,
    point: PointId,
    is_import: bool,
    kwh: f64,
    bound: Bound<'static>,
}

/// Returns the registers of an area that the caller may see.
fn registers(view: &View, area: Area) -> Vec<Register> {
    let within: Vec<NodeId> = substations(view, area).into_iter().map(|substation| substation.id).collect();
    let is_in = |asset: AssetId| match area.0 {
        Some(Scope::Asset(one)) => asset == one,
        _ => view.field.asset(asset).is_some_and(|asset| within.contains(&asset.location)),
    };
    let of_meter = |(asset, meter): (AssetId, crate::energy_meters::Meter)| {
        let imported = Some((meter.imported, true));
        let exported = meter.exported.map(|exported| (exported, false));
        let register = move |((point, kwh), is_import)| Register { asset, point, is_import, kwh, bound: meter.bound.of_unit(kwh) };
        [imported, exported].into_iter().flatten().map(register)
    };
    let mut found: Vec<Register> = meters(view).into_iter().filter(|(asset, _)| is_in(*asset)).flat_map(of_meter).collect();
    found.sort_by_key(|register| register.point);
    found
}

fn steps_of(read: &Registers, register: &Register) -> Vec<RefusedStep> {
    let line = read.lines.iter().find(|line| line.point == register.point);
    line.map_or_else(Vec::new, |line| refused_steps(line.before, &line.cells, &register.bound))
}

/// Finds the refused steps of registers in a period. The two readings of each step are as close together as the stored
/// values allow.
async fn find(store: &Store, view: &View, registers: &[Register], span: (Micros, Micros)) -> Result<Vec<(Register, RefusedStep)>, Error> {
    let client = view.principal.client;
    let (mut found, mut refined) = (Vec::new(), 0);
    for some in registers.chunks(REGISTERS_MAX) {
        let points: Vec<PointId> = some.iter().map(|register| register.point).collect();
        let hours = store.registers(client, &points, span, Resolution::Hour.into()).await?;
        for register in some {
            for step in steps_of(&hours, register) {
                if step.within.is_none() || refined >= REFINED_MAX {
                    found.push((*register, step));
                    continue;
                }
                refined += 1;
                let hour = floor(step.after.0, HOUR_MS);
                let minutes = (hour, hour.plus_millis(HOUR_MS));
                let minutes = store.registers(client, &[register.point], minutes, Resolution::Minute.into()).await?;
                let within =
                    steps_of(&minutes, register).into_iter().filter(|fine| fine.after.0 > step.before.0 && fine.after.0 <= step.after.0);
                let within: Vec<RefusedStep> = within.collect();
                // Minutes expire before hours.
                let is_kept = minutes.lines.iter().any(|line| line.cells.iter().any(Option::is_some));
                if is_kept { found.extend(within.into_iter().map(|fine| (*register, fine))) } else { found.push((*register, step)) }
            }
        }
    }
    found.retain(|(_, step)| (span.0..span.1).contains(&step.after.0));
    found.sort_by(|(a, first), (b, second)| (second.after.0, a.point).cmp(&(first.after.0, b.point)));
    Ok(found)
}

/// Returns the refused and the confirmed steps of an area in a period, the newest first.
pub async fn steps(store: &Store, view: &View, area: Area, (from, to): (Micros, Micros)) -> Result<RegisterSteps, Error> {
    let registers = registers(view, area);
    let mut found = find(store, view, &registers, (from, to)).await?;
    let cut = found.len() > STEPS_MAX;
    found.truncate(STEPS_MAX);
    let mut points: Vec<PointId> = found.iter().map(|(register, _)| register.point).collect();
    points.dedup();
    let confirmed = store.confirmed_steps(view.principal.client, &points, (from, to)).await?;
    let confirmed: HashMap<(PointId, Micros), &StepConfirmation> = confirmed.iter().map(|of| ((of.point, of.step.at), of)).collect();
    let rows =
        found.iter().filter_map(|(register, step)| row(view, register, step, confirmed.get(&(register.point, step.after.0)).copied()));
    Ok(RegisterSteps { rows: rows.collect(), cut })
}

/// Returns the refused step of a register of an asset whose later reading is the reading at `at`; `None` if there is
/// none.
pub async fn step_at(store: &Store, view: &View, asset: AssetId, point: PointId, at: Micros) -> Result<Option<ConfirmedStep>, Error> {
    let area = Area(Some(Scope::Asset(asset)));
    let registers: Vec<Register> = registers(view, area).into_iter().filter(|register| register.point == point).collect();
    let hour = floor(at, HOUR_MS);
    let found = find(store, view, &registers, (hour, hour.plus_millis(HOUR_MS))).await?;
    // A caller has the time to the millisecond.
    let step = found.into_iter().find(|(_, step)| step.after.0.millis() == at.millis());
    Ok(step.map(|(_, step)| ConfirmedStep { at: step.after.0, amount: step.amount }))
}

fn row(view: &View, register: &Register, step: &RefusedStep, confirmed: Option<&StepConfirmation>) -> Option<RegisterStepRow> {
    let asset = view.field.asset(register.asset)?;
    Some(RegisterStepRow {
        asset_id: asset.id.0,
        asset_name: asset.name.clone(),
        point_id: register.point.0,
        is_import: register.is_import,
        from: iso(step.before.0),
        from_kwh: step.before.1 * register.kwh,
        at: iso(step.after.0),
        at_kwh: step.after.1 * register.kwh,
        amount_kwh: step.amount * register.kwh,
        allowed_kwh: step.allowed * register.kwh,
        confirmed_by: confirmed.map(|of| of.by.clone()),
        confirmed: confirmed.map(|of| iso(of.confirmed)),
        note: confirmed.map(|of| of.note.clone()),
    })
}
