//! The network of a utility with the parts that belong to each of its substations.

use std::sync::Arc;

use network::description::{Electrical, Equipment};
use network::{Description, EquipmentId, EquipmentKind, Model, NodeId};

use crate::utility::{Client, Plan, Substation, network};

/// The network of a utility in its normal state. It does not change; many simulations can share it.
#[derive(Debug)]
pub struct UtilityNetwork {
    pub(super) description: Description,
    pub(super) model: Arc<Model>,
    pub(super) stations: Vec<StationParts>,
    /// The neighbouring networks.
    pub(super) sources: Vec<EquipmentId>,
}

/// The parts of a network that belong to one substation and its feeders.
#[derive(Debug)]
pub(super) struct StationParts {
    pub(super) code: String,
    pub(super) plan: Plan,
    /// Its switches: asset code, and equipment.
    pub(super) switches: Vec<(String, EquipmentId)>,
    pub(super) incomers: Vec<LineParts>,
    pub(super) high: NodeId,
    pub(super) sections: Vec<NodeId>,
    pub(super) units: Vec<EquipmentId>,
    pub(super) feeders: Vec<LineParts>,
    /// For each feeder its consumers, with the share of the feeder's load that each has.
    pub(super) consumers: Vec<Vec<(EquipmentId, f64)>>,
    pub(super) capacitor: Option<EquipmentId>,
    /// Switches of lines that leave the higher-voltage busbar to other substations.
    pub(super) passing: Vec<EquipmentId>,
    pub(super) site: Option<SiteParts>,
}

/// A bay with a meter: the breaker whose first terminal has the current, and the node of the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineParts {
    pub(super) breaker: EquipmentId,
    pub(super) line: NodeId,
}

/// A low-carbon site.
#[derive(Debug, Clone, Copy)]
pub(super) struct SiteParts {
    /// The consumer whose load contains that of the site.
    pub(super) consumer: EquipmentId,
    pub(super) panels: EquipmentId,
    pub(super) battery: EquipmentId,
}

impl UtilityNetwork {
    /// Creates the network of a utility.
    ///
    /// # Panics
    ///
    /// If the network lacks equipment or a node of a substation's plan. Tests create the networks of all utilities of the demo.
    pub fn new(client: &Client) -> Self {
        let description = network(client);
        let model = Arc::new(description.to_model().expect("the demo's network is a model"));
        let stations = client.substations.iter().map(|substation| StationParts::new(&description, &model, substation)).collect();
        let sources = model.sources().map(|source| model.source_equipment(source));
        let sources = sources.filter(|source| model.kind(*source) == EquipmentKind::EnergySource).collect();
        Self { description, model, stations, sources }
    }
}

impl StationParts {
    fn new(description: &Description, model: &Model, substation: &Substation) -> Self {
        let (code, plan) = (&substation.code, &substation.plan);
        let equipment = |id: String| model.equipment(&format!("{code}/{id}")).unwrap_or_else(|| panic!("{code}/{id} is in the network"));
        let node = |id: String| model.node(&format!("{code}/{id}")).unwrap_or_else(|| panic!("{code}/{id} is in the network"));
        let line = |name: String| LineParts { breaker: equipment(format!("{name}CB")), line: node(format!("{name}/line")) };
        let switches = substation.points.iter().filter(|point| point.code == "Pos");
        let of_site = |site: &crate::utility::Site| SiteParts {
            consumer: equipment(format!("F{}/U1/customers", site.feeder + 1)),
            panels: equipment("SITE1PV".to_owned()),
            battery: equipment("SITE1BAT".to_owned()),
        };
        let lines_away = format!("{code}/LINE-");
        Self {
            code: code.clone(),
            switches: switches.map(|point| (point.asset.clone(), equipment(point.asset.clone()))).collect(),
            incomers: (1..=plan.incomers.len()).map(|index| line(format!("INC{index}"))).collect(),
            high: node("BUSH".to_owned()),
            sections: ["BUSA", "BUSB"].iter().take(plan.sections).map(|section| node((*section).to_owned())).collect(),
            units: (1..=plan.units.len()).map(|index| equipment(format!("TX{index}"))).collect(),
            feeders: (1..=plan.feeders.len()).map(|index| line(format!("F{index}"))).collect(),
            consumers: (1..=plan.feeders.len()).map(|index| consumers(description, model, &format!("{code}/F{index}/"))).collect(),
            capacitor: plan.cap.map(|_| equipment("CAP1".to_owned())),
            passing: model
                .all_equipment()
                .filter(|of| model.equipment_name(*of).starts_with(&lines_away))
                .filter(|of| model.kind(*of).is_switch())
                .collect(),
            site: plan.site.as_ref().map(of_site),
            plan: plan.clone(),
        }
    }
}

/// Returns the consumers whose ids begin with a text, each with its share of their load.
fn consumers(description: &Description, model: &Model, prefix: &str) -> Vec<(EquipmentId, f64)> {
    let kw = |equipment: &Equipment| match &equipment.electrical {
        Electrical::Consumer(consumption) if equipment.id.starts_with(prefix) => Some(consumption.kw),
        _ => None,
    };
    let own: Vec<(EquipmentId, f64)> =
        model.all_equipment().zip(&description.equipment).filter_map(|(id, equipment)| Some((id, kw(equipment)?))).collect();
    let all: f64 = own.iter().map(|(_, kw)| kw).sum();
    own.into_iter().map(|(id, kw)| (id, kw / all)).collect()
}
