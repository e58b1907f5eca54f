//! The network of low voltage behind a distribution transformer: ways with fuses, poles, and a service connection at each pole.

use network::EquipmentKind;

use super::conductor;
use super::draft::Draft;
use super::feeder;
use crate::physics::load::Class;
use crate::utility::area::SupplyArea;
use crate::utility::geography::{Chance, moved};

/// The nominal voltage of customers, kV.
const KV: f64 = feeder::LOW_KV.0;

/// What a distribution transformer supplies.
#[derive(Debug, Clone, Copy)]
pub(super) struct TransformerLoad {
    pub(super) customers: u64,
    pub(super) kw: f64,
}

/// A network to be added.
pub(super) struct LowVoltageNetwork<'a> {
    /// Returns the id of a part at the place of the transformer.
    pub(super) id: &'a dyn Fn(&str) -> String,
    /// The node behind the transformer.
    pub(super) low: &'a str,
    pub(super) place: [f64; 2],
    pub(super) supplied: TransformerLoad,
    pub(super) area: SupplyArea,
    pub(super) class: Class,
}

/// Adds a network. Each pole has at least one customer. The last poles of a way, which is a feeder of the low-voltage board, are on a side street.
pub(super) fn add(draft: &mut Draft, of: &LowVoltageNetwork<'_>, chance: &mut Chance) {
    let TransformerLoad { customers, kw } = of.supplied;
    if customers == 0 {
        return;
    }
    let statistics = of.area.statistics();
    let (least, most) = statistics.poles;
    let number = u64::from(statistics.ways * (least + (chance.next() * f64::from(most - least + 1)) as u32));
    let services = number.min(customers);
    let ways = u64::from(statistics.ways).min(services);
    let first_heading = chance.next() * std::f64::consts::TAU;
    let mut service = 0;
    for way in 0..ways {
        let poles = services * (way + 1) / ways - services * way / ways;
        let id = |part: &str| (of.id)(&format!("L{}/{part}", way + 1));
        let heading = first_heading + std::f64::consts::TAU * way as f64 / ways as f64;
        let at = |pole: u64| moved(of.place, statistics.pole_km * pole as f64, heading);
        let start = draft.node(&id("P0"), KV, Some(of.place));
        draft.switch(&id("FUSE"), EquipmentKind::Fuse, [of.low, &start], false);
        for pole in 1..=poles {
            // The side street leaves the street in its middle, after two thirds of the poles.
            let from = if pole == poles * 2 / 3 + 1 && poles > 3 { poles / 3 } else { pole - 1 };
            let here = draft.node(&id(&format!("P{pole}")), KV, Some(at(pole)));
            draft.line(&id(&format!("S{pole}")), [&id(&format!("P{from}")), &here], statistics.pole_km, conductor::street(of.area));
            let end = draft.node(&id(&format!("P{pole}/service")), KV, Some(at(pole)));
            draft.line(&id(&format!("P{pole}/cable")), [&here, &end], statistics.service_km, conductor::service(of.area));
            let own = customers * (service + 1) / services - customers * service / services;
            service += 1;
            let load = kw * own as f64 / customers as f64;
            feeder::consumer(draft, &id(&format!("P{pole}/customers")), &end, (own, load), of.class);
        }
    }
}
