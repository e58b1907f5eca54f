//! The network of a utility with the parts that belong to each of its substations.

use std::collections::HashMap;
use std::sync::Arc;

use network::description::Electrical;
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

/// A bay with a meter: the breaker at whose first terminal the current is measured, and the node of the line.
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
        let mut consumers = consumers(&description, &model);
        let stations = client.substations.iter().map(|substation| StationParts::new(&model, substation, &mut consumers)).collect();
        let sources = model.sources().map(|source| model.source_equipment(source));
        let sources = sources.filter(|source| model.kind(*source) == EquipmentKind::EnergySource).collect();
        Self { description, model, stations, sources }
    }
}

impl StationParts {
    /// Returns the parts of a substation. Removes the consumers of its feeders from the consumers of the utility.
    fn new(model: &Model, substation: &Substation, consumers: &mut HashMap<String, Vec<(EquipmentId, f64)>>) -> Self {
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
            consumers: (1..=plan.feeders.len()).map(|index| consumers.remove(&format!("{code}/F{index}")).unwrap_or_default()).collect(),
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

/// Returns the consumers of each feeder by the id of its container, each with its share of their load.
fn consumers(description: &Description, model: &Model) -> HashMap<String, Vec<(EquipmentId, f64)>> {
    let mut found: HashMap<String, Vec<(EquipmentId, f64)>> = HashMap::new();
    for (id, equipment) in model.all_equipment().zip(&description.equipment) {
        if let (Electrical::Consumer(consumption), Some(feeder)) = (&equipment.electrical, &equipment.container) {
            match found.get_mut(feeder) {
                Some(of_feeder) => of_feeder.push((id, consumption.kw)),
                None => drop(found.insert(feeder.clone(), vec![(id, consumption.kw)])),
            }
        }
    }
    for consumers in found.values_mut() {
        let all: f64 = consumers.iter().map(|(_, kw)| kw).sum();
        for (_, kw) in consumers {
            *kw /= all;
        }
    }
    found
}
