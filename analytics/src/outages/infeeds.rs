//! Finds when incoming lines became dead or live according to their measured voltages. The voltages are compared at regular intervals. If a line was dead only
//! between two comparisons, or while this service did not run, this is not detected.

use grid::outage::is_dead_voltage;
use grid::{AssetId, ClientId, Micros};
use store::Store;
use store::outage::{InfeedChange, InfeedVoltage};

/// Maximum number of values that are read to find the start of a state. It is the number of values of a day with a value every ten seconds.
const VALUES_MAX: i64 = 8_640;

/// Stores the changes of a utility's incoming lines since the last comparison. `further` are other assets that measure sources of its network.
pub(super) async fn record(store: &Store, client: ClientId, further: &[AssetId]) -> store::Result<()> {
    let voltages = store.infeed_voltages(client, further).await?;
    for line in voltages.chunk_by(|one, other| one.asset == other.asset) {
        // A line is dead if all of its phases are.
        let is_live = line.iter().any(|voltage| !is_dead(voltage, voltage.kv));
        let Some(first) = line.first().filter(|first| first.is_live != is_live) else { continue };
        let mut starts = Vec::new();
        for voltage in line.iter().filter(|voltage| is_dead(voltage, voltage.kv) != is_live) {
            starts.push(since(store, client, voltage).await?);
        }
        // Dead since the last phase lost its voltage, live since the first one has it.
        let at = if is_live { starts.into_iter().min() } else { starts.into_iter().max() };
        let Some(at) = at else { continue };
        let at = first.changed.map_or(at, |changed| at.max(changed.plus_millis(1)));
        let change = InfeedChange { asset: first.asset, at, is_live };
        tracing::info!(%client, asset = %first.asset, is_live, "an incoming line was measured dead, or live again");
        store.put_infeed_change(client, first.location, first.point, change).await?;
    }
    Ok(())
}

fn is_dead(of: &InfeedVoltage, kv: f64) -> bool {
    is_dead_voltage(&of.code, of.nominal_kv, kv)
}

/// Returns the time of the first value of the present state of a point.
async fn since(store: &Store, client: ClientId, voltage: &InfeedVoltage) -> store::Result<Micros> {
    let is_now_dead = is_dead(voltage, voltage.kv);
    let values = store.infeed_values(client, voltage.point, voltage.at, VALUES_MAX).await?;
    let known = values.into_iter().filter_map(|(at, kv)| Some((at, kv?)));
    let same = known.take_while(|(_, kv)| is_dead(voltage, *kv) == is_now_dead);
    Ok(same.map(|(at, _)| at).last().unwrap_or(voltage.at))
}
