//! Equipment at one node: sources, machines, loads, inverters and shunts.

use network::EquipmentKind;
use network::description::{Consumption, Electrical, Generation, SequenceImpedance, Shunt, SourceVoltage};

use super::Import;
use super::objects::Object;

impl Import<'_> {
    pub(super) fn add_injections(&mut self) {
        let (mut without, mut shares, mut remote) = (0, 0, 0);
        for object in self.objects.iter() {
            let (kind, electrical) = match object.class.as_str() {
                "EnergySource" => (EquipmentKind::EnergySource, self.source(object)),
                "ExternalNetworkInjection" => {
                    let source = SourceVoltage { voltage_pu: self.held_voltage(object).unwrap_or(1.0), ..SourceVoltage::default() };
                    (EquipmentKind::EnergySource, Electrical::Source(source))
                }
                "EnergyConsumer" | "ConformLoad" | "NonConformLoad" | "StationSupply" => {
                    shares += usize::from(is_share_of_group(object));
                    (EquipmentKind::EnergyConsumer, self.load(object))
                }
                "AsynchronousMachine" => {
                    let consumption = Consumption {
                        kw: self.power(object, "RotatingMachine.p"),
                        kvar: self.power(object, "RotatingMachine.q"),
                        ..Default::default()
                    };
                    (EquipmentKind::EnergyConsumer, Electrical::Consumer(consumption))
                }
                "SynchronousMachine" => {
                    // The machine represents its unit.
                    self.objects.follow(object, "RotatingMachine.GeneratingUnit");
                    (EquipmentKind::GeneratingUnit, self.machine(object, "RotatingMachine", -1.0))
                }
                "EquivalentInjection" => (EquipmentKind::GeneratingUnit, self.machine(object, "EquivalentInjection", -1.0)),
                "PowerElectronicsConnection" => {
                    // CGMES refers from the unit to its connection, GridAPPS-D from the connection to the unit.
                    let forth = object.references("PowerElectronicsConnection.PowerElectronicsUnit").filter_map(|id| self.objects.get(id));
                    let back = self.index.of("PowerElectronicsUnit.PowerElectronicsConnection", &object.id).iter().copied();
                    let is_battery = forth.chain(back).any(|unit| unit.class == "BatteryUnit");
                    let kind = if is_battery { EquipmentKind::BatteryUnit } else { EquipmentKind::InverterUnit };
                    (kind, self.machine(object, "PowerElectronicsConnection", self.unit.inverter))
                }
                "LinearShuntCompensator" => (EquipmentKind::ShuntCompensator, shunt(object)),
                "NonlinearShuntCompensator" | "StaticVarCompensator" => {
                    without += 1;
                    (EquipmentKind::ShuntCompensator, Electrical::Nothing)
                }
                _ => continue,
            };
            let holds_voltage = match &electrical {
                Electrical::Generator(generation) => generation.voltage_pu.is_some(),
                Electrical::Source(_) => self.held_voltage(object).is_some(),
                _ => false,
            };
            remote += usize::from(holds_voltage && self.regulates_other_node(object));
            self.add(object, kind, electrical);
        }
        if without > 0 {
            self.note("ShuntCompensator", format!("{without} are not linear: their admittance is not taken"));
        }
        if shares > 0 {
            let reason =
                format!("{shares} have their power as a share of that of their load group (pfixedPct, qfixedPct): it is not taken");
            self.note("EnergyConsumer", reason);
        }
        if remote > 0 {
            let reason =
                format!("{remote} machines hold the voltage of another node; they are taken as holding that of their own, per unit");
            self.note("RegulatingControl", reason);
        }
    }

    /// Returns a power in kW or kvar; 0 if it is absent.
    fn power(&self, object: &Object, property: &str) -> f64 {
        // Not -0.0, which an absent value times -1 would be.
        object.number(property).unwrap_or(0.0) * self.unit.power + 0.0
    }

    fn source(&self, object: &Object) -> Electrical {
        let value = |name: &str| object.number(&format!("EnergySource.{name}"));
        let nominal = value("nominalVoltage").or_else(|| {
            self.objects.follow(object, "ConductingEquipment.BaseVoltage").and_then(|base| base.number("BaseVoltage.nominalVoltage"))
        });
        let voltage_pu = match (value("voltageMagnitude"), nominal) {
            (Some(voltage), Some(nominal)) if nominal > 0.0 && voltage > 0.0 => voltage / nominal,
            _ => 1.0,
        };
        let impedance = value("x").zip(value("r")).filter(|(x, r)| *x != 0.0 || *r != 0.0).map(|(x_ohm, r_ohm)| SequenceImpedance {
            r_ohm,
            x_ohm,
            r0_ohm: value("r0"),
            x0_ohm: value("x0"),
        });
        Electrical::Source(SourceVoltage { voltage_pu, angle_deg: value("voltageAngle").unwrap_or(0.0).to_degrees(), impedance })
    }

    /// Returns the voltage that a machine holds, per unit; `None` if no control for it is enabled.
    fn held_voltage(&self, object: &Object) -> Option<f64> {
        let control = self.objects.follow(object, "RegulatingCondEq.RegulatingControl")?;
        let is_voltage = control.enumerated("RegulatingControl.mode") == Some("voltage");
        let is_on =
            object.flag("RegulatingCondEq.controlEnabled").unwrap_or(true) && control.flag("RegulatingControl.enabled").unwrap_or(true);
        let target = control.number("RegulatingControl.targetValue").filter(|target| *target > 0.0)? * self.unit.voltage;
        // The target is a voltage at the regulated terminal.
        let node = self.regulated_node(object).or_else(|| self.node_of_machine(object))?;
        let nominal = self.description.nodes[*self.node_at.get(node)?].nominal_kv?;
        (is_voltage && is_on).then_some(target / nominal)
    }

    /// Returns the node of the terminal at which a machine regulates the voltage.
    fn regulated_node(&self, object: &Object) -> Option<&str> {
        let control = self.objects.follow(object, "RegulatingCondEq.RegulatingControl")?;
        let terminal = self.objects.follow(control, "RegulatingControl.Terminal")?;
        let ends = self.terminals.get(terminal.reference("Terminal.ConductingEquipment")?)?;
        ends.iter().find(|end| end.object.id == terminal.id).map(|end| end.node.as_str())
    }

    fn node_of_machine(&self, object: &Object) -> Option<&str> {
        Some(&self.terminals.get(object.id.as_str())?.first()?.node)
    }

    fn regulates_other_node(&self, object: &Object) -> bool {
        self.regulated_node(object).is_some_and(|node| self.node_of_machine(object) != Some(node))
    }

    /// Adds a machine. In CIM the power that leaves the node is positive.
    fn machine(&self, object: &Object, class: &str, sign: f64) -> Electrical {
        let property = |name: &str| format!("{class}.{name}");
        Electrical::Generator(Generation {
            kw: self.power(object, &property("p")) * sign + 0.0,
            kvar: self.power(object, &property("q")) * sign + 0.0,
            voltage_pu: self.held_voltage(object),
            rated_kva: object.number(&property("ratedS")).filter(|rated| *rated > 0.0).map(|rated| rated * self.unit.power),
            stored_kwh: None,
        })
    }

    fn load(&self, object: &Object) -> Electrical {
        let first = |names: [&str; 2]| names.into_iter().find_map(|name| object.number(&format!("EnergyConsumer.{name}"))).unwrap_or(0.0);
        let response = self.objects.follow(object, "EnergyConsumer.LoadResponse");
        let share = |name: &str| {
            let response = response.filter(|response| response.flag("LoadResponseCharacteristic.exponentModel") != Some(true))?;
            response.number(&format!("LoadResponseCharacteristic.{name}"))
        };
        // Shares of 1, or percent.
        let whole: f64 = ["pConstantImpedance", "pConstantCurrent", "pConstantPower"].into_iter().filter_map(share).sum();
        let scale = if whole > 1.5 { 100.0 } else { 1.0 };
        let parts = self.index.of("EnergyConsumerPhase.EnergyConsumer", &object.id);
        let mut by_phase = [[0.0; 2]; 3];
        let mut is_by_phase = false;
        for part in parts {
            let value = |name: &str| {
                part.number(&format!("EnergyConsumerPhase.{name}"))
                    .or_else(|| part.number(&format!("EnergyConsumerPhase.{name}fixed")))
                    .unwrap_or(0.0)
            };
            let at = match part.enumerated("EnergyConsumerPhase.phase") {
                Some("A") => 0,
                Some("B") => 1,
                Some("C") => 2,
                // The halves of a phase have no place in three.
                _ => continue,
            };
            is_by_phase = true;
            by_phase[at] = [value("p") * self.unit.power, value("q") * self.unit.power];
        }
        let (mut kw, mut kvar) = (first(["p", "pfixed"]) * self.unit.power, first(["q", "qfixed"]) * self.unit.power);
        if is_by_phase {
            (kw, kvar) = (by_phase.iter().map(|phase| phase[0]).sum(), by_phase.iter().map(|phase| phase[1]).sum());
        }
        Electrical::Consumer(Consumption {
            customers: object.number("EnergyConsumer.customerCount").map_or(0, |count| count.max(0.0) as u64),
            kw,
            kvar,
            by_phase: is_by_phase.then_some(by_phase),
            constant_impedance: share("pConstantImpedance").unwrap_or(0.0) / scale,
            constant_current: share("pConstantCurrent").unwrap_or(0.0) / scale,
            is_delta: object.enumerated("EnergyConsumer.phaseConnection") == Some("D"),
        })
    }
}

/// Returns whether a power of a consumer is known only as a share of its load group. IEC 61970-301, EnergyConsumer.pfixedPct: "Fixed active power as a
/// percentage of load group fixed active power."
fn is_share_of_group(object: &Object) -> bool {
    let has = |name: &str| object.number(&format!("EnergyConsumer.{name}")).is_some();
    [["p", "pfixed", "pfixedPct"], ["q", "qfixed", "qfixedPct"]]
        .into_iter()
        .any(|[power, fixed, share]| has(share) && !has(power) && !has(fixed))
}

fn shunt(object: &Object) -> Electrical {
    let value = |name: &str| object.number(&format!("LinearShuntCompensator.{name}"));
    let sections = object.number("ShuntCompensator.sections").or(object.number("ShuntCompensator.normalSections")).unwrap_or(1.0);
    if value("bPerSection").is_none() && value("gPerSection").is_none() {
        return Electrical::Nothing;
    }
    Electrical::Shunt(Shunt {
        g_s: value("gPerSection").unwrap_or(0.0) * sections + 0.0,
        b_s: value("bPerSection").unwrap_or(0.0) * sections + 0.0,
    })
}
