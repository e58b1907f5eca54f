//! The version of a utility's network that is active, in the form in which services use it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use grid::measure::Quantity;
use grid::{ClientId, Micros, Point, PointId};
use network::customers::CustomersWithoutSupply;
use network::description::{Container, ContainerKind, Description, Measurement, POSITION};
use network::live::{Bindings, NodeVoltage, Presence, Voltage};
use network::{BuildError, EquipmentId, EquipmentKind, Model, NetworkState, NodeId, Phases};
use store::network::{ActiveVersion, VersionNumber};
use store::temporary_change::TemporaryRecord;

use crate::Image;
use crate::boundary::nodes_between;
use crate::network_customers::NetworkCustomers;
use crate::station_codes::StationCodes;
use crate::temporary::{NetworkIdentity, Temporary};

/// Codes of voltages between two phases, and from a phase to earth.
const VOLTAGES: [&str; 6] = ["Vry", "Vyb", "Vbr", "Vr", "Vy", "Vb"];

/// Returns the phases that a voltage is measured at, by its code.
fn measured_phases(code: &str) -> Option<Phases> {
    let letters = match code {
        "Vry" => "AB",
        "Vyb" => "BC",
        "Vbr" => "CA",
        "Vr" => "A",
        "Vy" => "B",
        "Vb" => "C",
        _ => return None,
    };
    Phases::parse(letters)
}

/// How many containers a container may be in.
const CONTAINER_DEPTH_MAX: usize = 16;

/// The active version of a network with its temporary changes. It never changes.
#[derive(Debug)]
pub struct ActiveNetwork {
    client: ClientId,
    version: VersionNumber,
    since: Micros,
    model: Arc<Model>,
    description: Description,
    container_by_id: HashMap<Box<str>, u32>,
    /// The position of the container of each piece of equipment.
    containers_of: Vec<Option<u32>>,
    measured: Vec<Measured>,
    /// Measured values.
    values: Vec<MeasuredValue>,
    /// Neighbouring networks in service, in order.
    sources: Vec<EquipmentId>,
    /// Sources, generators and batteries in service whose voltage does not say whether they are present, in order.
    unmeasured_sources: Vec<EquipmentId>,
    customers: NetworkCustomers,
    /// The nodes of each substation and its feeders, by the id of the substation.
    stations: BTreeMap<String, Vec<NodeId>>,
    station_codes: StationCodes,
    /// The ids of the substations that the nodes between substations are at.
    between: HashMap<NodeId, Vec<Box<str>>>,
    /// Switches in service, and all earth switches, in order.
    switches: Vec<EquipmentId>,
    /// The normal state, once it was needed.
    normal: OnceLock<NetworkState>,
    temporary: Temporary,
    /// Numbers of the manual entries whose equipment was missing in a version since.
    lapsed: HashSet<i64>,
    /// The stored version without the temporary changes; `None` if there are none.
    stored: Option<Arc<Self>>,
}

/// A voltage, current or power that is measured at equipment.
#[derive(Debug)]
struct MeasuredValue {
    equipment: EquipmentId,
    is_voltage: bool,
    /// The position of the measurement in the description.
    measurement: u32,
}

/// A point that measures a voltage, current or power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredAt {
    /// The point.
    pub point: PointId,
    /// The equipment at which it measures.
    pub equipment: EquipmentId,
    /// The node of the terminal at which it measures; `None` if the network does not name the terminal.
    pub node: Option<NodeId>,
    /// Whether it is a voltage.
    pub is_voltage: bool,
}

/// A measurement that determines states.
#[derive(Debug)]
struct Measured {
    equipment: EquipmentId,
    /// The code of the voltage of a source; `None` for a position.
    voltage: Option<&'static str>,
    /// The position of the measurement in the description.
    measurement: u32,
}

/// The points of the equipment of a network.
#[derive(Debug, Default)]
pub struct EquipmentPoints {
    /// The points of each piece of equipment, each with whether it reports the position.
    of: HashMap<EquipmentId, Vec<(PointId, bool)>>,
    /// The equipment whose position a point reports, in the order of the measurements.
    moved_by: HashMap<PointId, Vec<EquipmentId>>,
}

impl EquipmentPoints {
    /// Returns the points of a piece of equipment.
    pub fn all(&self, equipment: EquipmentId) -> impl Iterator<Item = PointId> {
        self.of.get(&equipment).into_iter().flatten().map(|(point, _)| *point)
    }

    /// Returns the equipment whose positions some points report.
    pub fn with_position(&self, points: &HashSet<PointId>) -> Vec<EquipmentId> {
        self.with(|(point, is_position)| is_position && points.contains(&point))
    }

    /// Returns the equipment at which some points measure anything.
    pub fn measured_by(&self, points: &HashSet<PointId>) -> Vec<EquipmentId> {
        self.with(|(point, _)| points.contains(&point))
    }

    fn with(&self, is_one: impl Fn((PointId, bool)) -> bool) -> Vec<EquipmentId> {
        let found = self.of.iter().filter(|(_, points)| points.iter().any(|point| is_one(*point)));
        let mut found: Vec<EquipmentId> = found.map(|(equipment, _)| *equipment).collect();
        found.sort_unstable();
        found
    }

    /// Returns the equipment whose position a point reports.
    pub fn moved_by(&self, point: PointId) -> &[EquipmentId] {
        self.moved_by.get(&point).map_or(&[], Vec::as_slice)
    }

    /// Returns the points that report the position of a switch.
    pub fn positions(&self, equipment: EquipmentId) -> impl Iterator<Item = PointId> {
        self.of.get(&equipment).into_iter().flatten().filter(|(_, is_position)| *is_position).map(|(point, _)| *point)
    }

    /// Returns the point that reports the position of a switch.
    pub fn position(&self, equipment: EquipmentId) -> Option<PointId> {
        self.of.get(&equipment)?.iter().find(|(_, is_position)| *is_position).map(|(point, _)| *point)
    }
}

impl ActiveNetwork {
    /// Makes a network from what is stored. May take seconds.
    pub fn new(client: ClientId, active: ActiveVersion, description: Description) -> Result<Self, BuildError> {
        let own = description.equipment.len();
        Self::build(client, active, description, own, Temporary::default())
    }

    /// Makes the network of a version with temporary changes. Changes that do not fit it have no effect. May take seconds.
    pub fn with_temporary(stored: &Arc<Self>, changes: &[TemporaryRecord]) -> Result<Self, BuildError> {
        let (client, own) = (stored.client, stored.description.equipment.len());
        let active = ActiveVersion { version: stored.version, since: stored.since, until: None };
        let (description, temporary) = Temporary::apply(&stored.description, changes);
        let built = Self::build(client, active, description, own, temporary).or_else(|error| {
            tracing::error!(%error, %client, version = stored.version.0, "the network cannot be built with its temporary changes: they have no effect");
            let temporary = Temporary::without_effect(changes, &format!("the network cannot be built with it: {error}"));
            Self::build(client, active, stored.description.clone(), own, temporary)
        })?;
        Ok(Self { lapsed: stored.lapsed.clone(), stored: Some(Arc::clone(stored)), ..built })
    }

    /// Sets the numbers of the manual entries that have lapsed: a version was active since the entry that does not have their equipment. What has the same id now
    /// may be another device.
    #[must_use]
    pub fn with_lapsed(self, entries: impl IntoIterator<Item = i64>) -> Self {
        Self { lapsed: entries.into_iter().collect(), ..self }
    }

    /// Returns whether a manual entry for equipment does not count any more.
    pub fn is_lapsed(&self, entry: i64) -> bool {
        self.lapsed.contains(&entry)
    }

    /// `own` is the number of pieces of equipment of the stored version, which come first.
    fn build(
        client: ClientId,
        active: ActiveVersion,
        description: Description,
        own: usize,
        temporary: Temporary,
    ) -> Result<Self, BuildError> {
        let model = description.to_model()?;
        let ids: HashMap<&str, u32> =
            description.containers.iter().enumerate().map(|(at, container)| (&*container.id, at as u32)).collect();
        let of_container = |id: &Option<String>| id.as_deref().and_then(|id| ids.get(id).copied());
        let containers_of = description.equipment.iter().map(|of| of_container(&of.container)).collect();
        let in_service = |id: &str| {
            let equipment = model.equipment(id)?;
            description.equipment[equipment.index()].is_in_service.then_some(equipment)
        };
        // The position of an earth switch always counts: a part that is out of service can be earthed.
        let has_position = |of: EquipmentId| {
            let kind = model.kind(of);
            kind == EquipmentKind::GroundDisconnector || kind.is_switch() && description.equipment[of.index()].is_in_service
        };
        let measured = (0..).zip(&description.measurements).filter_map(|(at, measurement)| {
            let equipment =
                model.equipment(&measurement.equipment).filter(|of| has_position(*of)).or_else(|| in_service(&measurement.equipment))?;
            let voltage = VOLTAGES.into_iter().find(|code| *code == measurement.quantity);
            let counts = match model.kind(equipment) {
                EquipmentKind::EnergySource => voltage.is_some() || measurement.quantity == POSITION,
                // The position of a generator or a battery says whether it is present.
                kind => {
                    measurement.quantity == POSITION && (kind.is_switch() || kind.may_feed() || kind == EquipmentKind::GroundDisconnector)
                }
            };
            (counts && measurement.point.is_some()).then_some(Measured { equipment, voltage, measurement: at })
        });
        let measured: Vec<Measured> = measured.collect();
        let value = |(at, measurement): (u32, &Measurement)| {
            let is_voltage = match Quantity::of_code(&measurement.quantity) {
                Quantity::Voltage => true,
                Quantity::Current | Quantity::ActivePower | Quantity::ReactivePower | Quantity::ApparentPower => false,
                _ => return None,
            };
            let equipment = in_service(&measurement.equipment).filter(|of| model.kind(*of) != EquipmentKind::EnergySource)?;
            measurement.point.is_some().then_some(MeasuredValue { equipment, is_voltage, measurement: at })
        };
        let values = (0..).zip(&description.measurements).filter_map(value).collect();
        let has_voltage: HashSet<EquipmentId> = measured.iter().filter(|of| of.voltage.is_some()).map(|of| of.equipment).collect();
        let in_service = model.sources().map(|source| model.source_equipment(source));
        let in_service: Vec<EquipmentId> = in_service.filter(|of| description.equipment[of.index()].is_in_service).collect();
        let unmeasured_sources = in_service.iter().copied().filter(|of| !has_voltage.contains(of)).collect();
        let sources = in_service.into_iter().filter(|of| model.kind(*of) == EquipmentKind::EnergySource).collect();
        let stations = stations(&description, &model);
        let station_codes = StationCodes::new(&description);
        let between = nodes_between(&description, &model);
        // What a crew has placed is where it is: nothing reports or confirms its position.
        let switches = model.all_equipment().take(own).filter(|of| has_position(*of)).collect();
        let (version, since) = (active.version, active.since);
        let container_by_id = ids.into_iter().map(|(id, at)| (id.into(), at)).collect();
        let customers = NetworkCustomers::new(&description, &model);
        Ok(Self {
            client,
            version,
            since,
            model: Arc::new(model),
            description,
            container_by_id,
            containers_of,
            measured,
            values,
            sources,
            unmeasured_sources,
            customers,
            switches,
            normal: OnceLock::new(),
            stations,
            station_codes,
            between,
            temporary,
            lapsed: HashSet::new(),
            stored: None,
        })
    }

    /// Returns what distinguishes it from other networks of the utility.
    pub fn identity(&self) -> NetworkIdentity {
        NetworkIdentity { version: self.version, since: self.since, temporary: self.temporary.numbers().collect() }
    }

    /// Returns the stored version without the temporary changes. Its nodes and equipment have the same positions here. Drawings are compared with it, and
    /// feeders laid out by it: a change does not move what is drawn.
    pub fn stored(&self) -> &Self {
        self.stored.as_deref().unwrap_or(self)
    }

    /// Returns the temporary changes, by their numbers, also those that do not fit.
    pub fn temporary(&self) -> impl Iterator<Item = &TemporaryRecord> {
        self.temporary.changes.values()
    }

    /// Returns the temporary change that a piece of equipment is.
    pub fn temporary_of(&self, equipment: EquipmentId) -> Option<&TemporaryRecord> {
        self.temporary.of_equipment(self.model.equipment_name(equipment))
    }

    /// Returns why a temporary change has no effect; `None` if it has.
    pub fn misfit(&self, number: i64) -> Option<&str> {
        self.temporary.misfits.get(&number).map(String::as_str)
    }

    /// Returns the stored version, so that it can be kept with other temporary changes.
    pub(crate) fn to_stored(self: &Arc<Self>) -> Arc<Self> {
        Arc::clone(self.stored.as_ref().unwrap_or(self))
    }

    /// The utility.
    pub fn client(&self) -> ClientId {
        self.client
    }

    /// The number of the version.
    pub fn version(&self) -> VersionNumber {
        self.version
    }

    /// The time from which it is active.
    pub fn since(&self) -> Micros {
        self.since
    }

    /// The model of connectivity.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the network in its normal state.
    pub fn normal(&self) -> &NetworkState {
        self.normal.get_or_init(|| NetworkState::new(Arc::clone(&self.model)))
    }

    /// Returns the switches in service, and all earth switches.
    pub fn switches(&self) -> impl Iterator<Item = EquipmentId> + '_ {
        self.switches.iter().copied()
    }

    /// Returns the sources, generators and batteries in service whose voltage does not say whether they are present. A position or a user says it.
    pub fn unmeasured_sources(&self) -> impl Iterator<Item = EquipmentId> + '_ {
        self.unmeasured_sources.iter().copied()
    }

    /// Returns whether a user can enter the position of equipment: of a switch or an earth switch, or whether a source is present.
    pub fn has_manual_position(&self, equipment: EquipmentId) -> bool {
        self.switches.binary_search(&equipment).is_ok() || self.unmeasured_sources.binary_search(&equipment).is_ok()
    }

    /// The network as its source describes it.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Substations, feeders and the like.
    pub fn containers(&self) -> &[Container] {
        &self.description.containers
    }

    /// Returns the nodes of the substation with a code and of its feeders, with those at the other ends of their lines and switches, in order.
    pub fn nodes_of_station(&self, code: &str) -> &[NodeId] {
        self.station_codes.id_of(code).and_then(|id| self.stations.get(id)).map_or(&[], Vec::as_slice)
    }

    /// Returns the codes that the hierarchy can have for the substation with an id, the likelier first.
    pub fn codes_of_station<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a str> {
        self.station_codes.of(id)
    }

    /// Returns the codes of the substations that a node between substations is at; `None` if all of its equipment is in one.
    pub fn substations_between(&self, node: NodeId) -> Option<impl Iterator<Item = &str>> {
        Some(self.between.get(&node)?.iter().flat_map(|station| self.codes_of_station(station)))
    }

    /// Returns the container of a piece of equipment.
    pub fn container_of(&self, equipment: EquipmentId) -> Option<&Container> {
        self.containers_of[equipment.index()].map(|at| &self.description.containers[at as usize])
    }

    /// Returns the position in [`ActiveNetwork::containers`] of the container with an id, if it is of a kind.
    pub fn container(&self, id: &str, kind: ContainerKind) -> Option<u32> {
        self.container_by_id.get(id).copied().filter(|at| self.containers()[*at as usize].kind == kind)
    }

    /// Returns the id of the substation that a piece of equipment belongs to.
    pub fn substation_of(&self, equipment: EquipmentId) -> Option<&str> {
        self.above(equipment, ContainerKind::Substation).map(|at| &*self.containers()[at as usize].id)
    }

    /// Returns the position in [`ActiveNetwork::containers`] of the feeder that a piece of equipment belongs to.
    pub fn feeder_of(&self, equipment: EquipmentId) -> Option<u32> {
        self.above(equipment, ContainerKind::Feeder)
    }

    /// Returns the ids of the containers that a piece of equipment is in, the nearest first.
    pub fn containers_above(&self, equipment: EquipmentId) -> Vec<&str> {
        let mut above = Vec::new();
        let mut at = self.containers_of[equipment.index()];
        while let Some(container) = at.map(|at| &self.containers()[at as usize]).filter(|_| above.len() < CONTAINER_DEPTH_MAX) {
            above.push(&*container.id);
            at = container.parent.as_deref().and_then(|parent| self.container_by_id.get(parent).copied());
        }
        above
    }

    pub(crate) fn above(&self, equipment: EquipmentId, kind: ContainerKind) -> Option<u32> {
        self.around(self.containers_of[equipment.index()]?, kind)
    }

    /// Returns the container of a kind that a container is or is in.
    pub(crate) fn around(&self, container: u32, kind: ContainerKind) -> Option<u32> {
        let mut at = container;
        // A circle of parents is an error of the description; the search ends anyway.
        for _ in 0..CONTAINER_DEPTH_MAX {
            let container = &self.containers()[at as usize];
            if container.kind == kind {
                return Some(at);
            }
            at = *self.container_by_id.get(container.parent.as_deref()?)?;
        }
        None
    }

    /// Returns the name of a piece of equipment; its id if it has none.
    pub fn name_of(&self, equipment: EquipmentId) -> &str {
        let name = self.description.equipment[equipment.index()].name.as_str();
        if name.is_empty() { self.model.equipment_name(equipment) } else { name }
    }

    /// Returns the position in [`ActiveNetwork::containers`] of the feeder that a line at a node belongs to.
    pub fn feeder_at(&self, node: NodeId) -> Option<u32> {
        self.customers.feeder_at(node)
    }

    /// Returns whether the network has any customers.
    pub fn has_customers(&self) -> bool {
        self.customers.containers().next().is_some()
    }

    /// Returns the customers of a container, such as a feeder; `None` if the network has none of them.
    pub fn customers_of(&self, container: u32) -> Option<u64> {
        self.customers.of(container)
    }

    /// Counts the customers without supply of each container.
    pub fn customers_without_supply(&self, state: &NetworkState) -> CustomersWithoutSupply {
        self.customers.count(state)
    }

    /// The customers by feeder and substation.
    pub(crate) fn customers(&self) -> &NetworkCustomers {
        &self.customers
    }

    /// Returns the containers with customers of the substation with a code.
    pub(crate) fn containers_with_customers_at(&self, code: &str) -> &[u32] {
        let station = self.station_codes.id_of(code).and_then(|id| self.container(id, ContainerKind::Substation));
        station.map_or(&[], |station| self.customers.of_station(station))
    }

    /// Finds the points of its measurements. Those that the utility does not have are left out, and a source without a voltage or a position is unknown.
    pub fn bind(&self, image: &Image) -> Bindings {
        let voltages = self.values.iter().filter(|value| value.is_voltage).map(|value| value.measurement);
        let named = self.measured.iter().map(|measured| measured.measurement).chain(voltages);
        let points = self.points(image, named.filter_map(|measurement| self.point_name(measurement)));
        let mut bindings = Bindings::default();
        let mut voltages: HashMap<EquipmentId, Vec<Voltage>> = HashMap::new();
        let mut has_position = HashSet::new();
        for measured in &self.measured {
            let Some(point) = self.point_name(measured.measurement).and_then(|name| points.get(name).copied()) else { continue };
            match measured.voltage {
                None if point.encoding().is_some() => {
                    let phases = self.description.measurements[measured.measurement as usize].phases;
                    bindings.positions.push((point.id, measured.equipment, phases));
                    has_position.insert(measured.equipment);
                }
                None => {}
                Some(code) => {
                    let node = self.model.terminals_of(measured.equipment)[0].0;
                    let Some(nominal_kv) = self.model.nominal_kv(node) else { continue };
                    let voltage = Voltage { point: point.id, code: code.to_owned(), nominal_kv: f64::from(nominal_kv) };
                    voltages.entry(measured.equipment).or_default().push(voltage);
                }
            }
        }
        for source in self.sources.iter().filter(|source| !has_position.contains(*source)) {
            let presence = voltages.remove(source).map_or(Presence::Unknown, Presence::Measured);
            bindings.sources.push((*source, presence));
        }
        let voltage = |value: &MeasuredValue| self.node_voltage(value, points.get(self.point_name(value.measurement)?)?.id);
        bindings.voltages = self.values.iter().filter(|value| value.is_voltage).filter_map(voltage).collect();
        bindings
    }

    /// Returns the voltage of a node; `None` if the network does not say at which node it is measured, or what its nominal voltage is.
    fn node_voltage(&self, value: &MeasuredValue, point: PointId) -> Option<NodeVoltage> {
        let measurement = &self.description.measurements[value.measurement as usize];
        let phases = measured_phases(&measurement.quantity)?.intersection(measurement.phases);
        let node = self.measured_node(value)?;
        let nominal_kv = f64::from(self.model.nominal_kv(node)?);
        let voltage = Voltage { point, code: measurement.quantity.clone(), nominal_kv };
        Some(NodeVoltage { node, phases, voltage })
    }

    /// Returns the node at which a value is measured: that of its terminal, or of the only terminal of its equipment.
    fn measured_node(&self, value: &MeasuredValue) -> Option<NodeId> {
        let terminals = self.model.terminals_of(value.equipment);
        match (self.description.measurements[value.measurement as usize].terminal, terminals) {
            (Some(terminal), _) => terminals.get(usize::from(terminal).checked_sub(1)?).map(|(node, _)| *node),
            (None, [(node, _)]) => Some(*node),
            (None, _) => None,
        }
    }

    /// Returns the nominal voltage at the first terminal of equipment.
    pub fn nominal_kv(&self, equipment: EquipmentId) -> Option<f32> {
        self.model.terminals_of(equipment).first().and_then(|(node, _)| self.model.nominal_kv(*node))
    }

    /// Returns whether equipment is a source in service.
    pub fn is_source(&self, equipment: EquipmentId) -> bool {
        self.sources.binary_search(&equipment).is_ok()
    }

    /// Returns the equipment in a container, and in the containers within it. The cost is that of the whole network.
    pub fn equipment_in(&self, container: &str) -> Vec<EquipmentId> {
        let containers = &self.description.containers;
        let Some(whole) = self.container_by_id.get(container).copied() else { return Vec::new() };
        let parent = |at: u32| self.container_by_id.get(containers[at as usize].parent.as_deref()?).copied();
        let is_inside = |at: u32| std::iter::successors(Some(at), |at| parent(*at)).take(CONTAINER_DEPTH_MAX).any(|at| at == whole);
        let inside: HashSet<u32> = (0..containers.len() as u32).filter(|at| is_inside(*at)).collect();
        self.model.all_equipment().filter(|of| self.containers_of[of.index()].is_some_and(|at| inside.contains(&at))).collect()
    }

    /// Finds the points that measure voltages, currents and powers, except at sources. Those that the utility does not have are left out.
    pub fn measured_at(&self, image: &Image) -> Vec<MeasuredAt> {
        let points = self.points(image, self.values.iter().filter_map(|value| self.point_name(value.measurement)));
        let at = |value: &MeasuredValue| {
            let terminals = self.model.terminals_of(value.equipment);
            let terminal = self.description.measurements[value.measurement as usize].terminal;
            let node = terminal.and_then(|terminal| terminals.get(usize::from(terminal).checked_sub(1)?)).map(|(node, _)| *node);
            let point = points.get(self.point_name(value.measurement)?)?.id;
            Some(MeasuredAt { point, equipment: value.equipment, node, is_voltage: value.is_voltage })
        };
        self.values.iter().filter_map(at).collect()
    }

    /// Finds the points of all measurements. Those that the utility does not have are left out.
    pub fn equipment_points(&self, image: &Image) -> EquipmentPoints {
        let measurements = &self.description.measurements;
        let points = self.points(image, measurements.iter().filter_map(|measurement| measurement.point.as_deref()));
        let mut found = EquipmentPoints::default();
        for measurement in measurements {
            let point = measurement.point.as_deref().and_then(|name| points.get(name));
            let Some((point, equipment)) = point.zip(self.model.equipment(&measurement.equipment)) else { continue };
            let is_position = measurement.quantity == POSITION;
            found.of.entry(equipment).or_default().push((point.id, is_position));
            if is_position {
                found.moved_by.entry(point.id).or_default().push(equipment);
            }
        }
        found
    }

    /// Returns the name of the point of a measurement: `gateway/device/metric`.
    fn point_name(&self, measurement: u32) -> Option<&str> {
        self.description.measurements[measurement as usize].point.as_deref()
    }

    /// Returns the points of the utility with these names, by name: `gateway/device/metric`.
    fn points<'a, 'b>(&self, image: &'a Image, named: impl Iterator<Item = &'b str>) -> HashMap<String, &'a Point> {
        let named: HashSet<&str> = named.collect();
        let gateways: HashSet<&str> = named.iter().filter_map(|point| point.split('/').next()).collect();
        let own = image.gateways().filter(|gateway| gateway.client == self.client && gateways.contains(gateway.code.as_str()));
        let points = own.flat_map(|gateway| {
            let code = gateway.code.as_str();
            image.points_from(gateway.id).map(move |point| (format!("{code}/{}", point.address()), point.as_ref()))
        });
        points.filter(|(name, _)| named.contains(name.as_str())).collect()
    }
}

/// Returns the nodes of each substation: those of the equipment in it, and in the containers within it.
fn stations(description: &Description, model: &Model) -> BTreeMap<String, Vec<NodeId>> {
    let containers: HashMap<&str, &Container> = description.containers.iter().map(|container| (&*container.id, container)).collect();
    let station_of = |id: &str| {
        let mut at = containers.get(id)?;
        // A chain of parents that closes on itself ends here.
        for _ in 0..containers.len() {
            match (at.kind, at.parent.as_deref()) {
                (ContainerKind::Substation, _) => return Some(at.id.as_str()),
                (_, parent) => at = containers.get(parent?)?,
            }
        }
        None
    };
    let mut station_of_container: HashMap<&str, Option<&str>> = HashMap::new();
    let mut stations: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    for (equipment, of) in model.all_equipment().zip(&description.equipment) {
        let Some(container) = of.container.as_deref() else { continue };
        let Some(station) = *station_of_container.entry(container).or_insert_with(|| station_of(container)) else { continue };
        let nodes = model.terminals_of(equipment).iter().map(|(node, _)| *node);
        match stations.get_mut(station) {
            Some(held) => held.extend(nodes),
            None => drop(stations.insert(station.to_owned(), nodes.collect())),
        }
    }
    for nodes in stations.values_mut() {
        nodes.sort_unstable();
        nodes.dedup();
        nodes.shrink_to_fit();
    }
    stations
}
