//! Equipment of pandapower that is at one bus: sources, generators, loads and shunts.

use network::EquipmentKind;
use network::description::{Consumption, Electrical, Equipment, Generation, SequenceImpedance, Shunt, SourceVoltage};

use super::{Bus, Import, terminal};
use crate::table::Row;
use crate::{ImportError, make_room};

/// The tables whose equipment is connected to one bus. Each has the columns that are imported.
const AT_BUS: [(&str, &[&str], AddRow); 12] = [
    ("ext_grid", &["vm_pu", "va_degree"], |import, row, bus| import.add_external_grid(row, bus)),
    ("gen", &["p_mw", "vm_pu", "sn_mva", "scaling", "slack"], |import, row, bus| import.add_generator(row, bus)),
    ("sgen", &["p_mw", "q_mvar", "sn_mva", "scaling", "type"], |import, row, bus| import.add_static_generator(row, bus)),
    ("asymmetric_sgen", &OF_PHASES, |import, row, bus| import.add_asymmetric_generator(row, bus)),
    ("storage", &["p_mw", "q_mvar", "sn_mva", "max_e_mwh", "scaling"], |import, row, bus| import.add_storage(row, bus)),
    ("load", &OF_LOADS, |import, row, bus| import.add_load(row, bus)),
    ("asymmetric_load", &OF_PHASES, |import, row, bus| import.add_asymmetric_load(row, bus)),
    ("shunt", &["p_mw", "q_mvar", "vn_kv", "step"], |import, row, bus| import.add_shunt(row, bus)),
    ("ward", &["ps_mw", "qs_mvar", "pz_mw", "qz_mvar"], |import, row, bus| import.add_ward(row, bus)),
    ("xward", &["ps_mw", "qs_mvar", "pz_mw", "qz_mvar", "r_ohm", "x_ohm", "vm_pu"], |import, row, bus| import.add_extended_ward(row, bus)),
    ("motor", &["pn_mech_mw", "loading_percent", "cos_phi", "efficiency_percent", "scaling"], |import, row, bus| {
        import.add_motor(row, bus)
    }),
    ("svc", &[], |import, row, bus| import.add(row, EquipmentKind::ShuntCompensator, [bus.node.as_str()], Electrical::Nothing)),
];

type AddRow = fn(&mut Import<'_>, Row<'_>, &Bus) -> Result<(), ImportError>;

const OF_LOADS: [&str; 8] =
    ["p_mw", "q_mvar", "scaling", "type", "const_z_percent", "const_i_percent", "const_z_p_percent", "const_i_p_percent"];

const OF_PHASES: [&str; 8] = ["p_a_mw", "q_a_mvar", "p_b_mw", "q_b_mvar", "p_c_mw", "q_c_mvar", "scaling", "type"];

impl Import<'_> {
    pub(super) fn add_all_at_bus(&mut self) -> Result<(), ImportError> {
        for (name, taken, add) in AT_BUS {
            let table = self.table(name)?;
            let columns: Vec<&str> = taken.iter().copied().chain(["bus"]).collect();
            self.note_columns(name, &table, &columns);
            for row in table.rows() {
                let reference = row.reference("bus", "bus")?;
                let Some(bus) = self.bus(&row.id(), &reference) else { continue };
                add(self, row, &bus)?;
            }
        }
        Ok(())
    }

    fn add_external_grid(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        let source =
            SourceVoltage { voltage_pu: row.number_or("vm_pu", 1.0)?, angle_deg: row.number_or("va_degree", 0.0)?, impedance: None };
        self.add(row, EquipmentKind::EnergySource, [bus.node.as_str()], Electrical::Source(source))
    }

    fn add_generator(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        // A generator that holds the voltage and the angle supplies as an external grid does.
        if row.flag("slack", false)? {
            return self.add_external_grid(row, bus);
        }
        let generation = Generation {
            kw: row.number_or("p_mw", 0.0)? * row.number_or("scaling", 1.0)? * 1_000.0,
            kvar: 0.0,
            voltage_pu: Some(row.number_or("vm_pu", 1.0)?),
            rated_kva: rated_kva(row)?,
            stored_kwh: None,
        };
        self.add(row, EquipmentKind::GeneratingUnit, [bus.node.as_str()], Electrical::Generator(generation))
    }

    fn add_static_generator(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        let (kw, kvar) = power(row)?;
        let generation = Generation { kw, kvar, voltage_pu: None, rated_kva: rated_kva(row)?, stored_kwh: None };
        self.add(row, EquipmentKind::InverterUnit, [bus.node.as_str()], Electrical::Generator(generation))
    }

    fn add_asymmetric_generator(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        let phases = phases(row)?;
        self.note(row.id(), "the powers of its phases are added: generation by phase is not taken");
        let generation = Generation { kw: sum(phases, 0), kvar: sum(phases, 1), ..Generation::default() };
        self.add(row, EquipmentKind::InverterUnit, [bus.node.as_str()], Electrical::Generator(generation))
    }

    /// Adds a storage. In pandapower, positive powers of a storage are consumed.
    fn add_storage(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        let (kw, kvar) = power(row)?;
        let stored_kwh = row.number("max_e_mwh")?.map(|mwh| mwh * 1_000.0);
        let generation = Generation { kw: 0.0 - kw, kvar: 0.0 - kvar, voltage_pu: None, rated_kva: rated_kva(row)?, stored_kwh };
        self.add(row, EquipmentKind::BatteryUnit, [bus.node.as_str()], Electrical::Generator(generation))
    }

    fn add_load(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        let (kw, kvar) = power(row)?;
        // pandapower has had shares of their own for active and reactive power since 3.2.
        let share = |of_both, of_active| Ok::<f64, ImportError>(row.number(of_both)?.or(row.number(of_active)?).unwrap_or(0.0) / 100.0);
        let consumption = Consumption {
            kw,
            kvar,
            constant_impedance: share("const_z_percent", "const_z_p_percent")?,
            constant_current: share("const_i_percent", "const_i_p_percent")?,
            is_delta: row.text("type") == Some("delta"),
            ..Consumption::default()
        };
        self.add(row, EquipmentKind::EnergyConsumer, [bus.node.as_str()], Electrical::Consumer(consumption))
    }

    fn add_asymmetric_load(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        let phases = phases(row)?;
        let consumption = Consumption {
            kw: sum(phases, 0),
            kvar: sum(phases, 1),
            by_phase: Some(phases),
            is_delta: row.text("type") == Some("delta"),
            ..Consumption::default()
        };
        self.add(row, EquipmentKind::EnergyConsumer, [bus.node.as_str()], Electrical::Consumer(consumption))
    }

    fn add_shunt(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        let steps = row.number_or("step", 1.0)?;
        let electrical = match row.positive("vn_kv")?.or(bus.nominal_kv) {
            None => Electrical::Nothing,
            Some(kv) => Electrical::Shunt(Shunt {
                g_s: row.number_or("p_mw", 0.0)? * steps / (kv * kv),
                b_s: 0.0 - row.number_or("q_mvar", 0.0)? * steps / (kv * kv),
            }),
        };
        self.add(row, EquipmentKind::ShuntCompensator, [bus.node.as_str()], electrical)
    }

    /// Adds a ward, which is a load of constant power and a load of constant impedance.
    fn add_ward(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        let (kw, kvar) = (row.number_or("ps_mw", 0.0)? * 1_000.0, row.number_or("qs_mvar", 0.0)? * 1_000.0);
        let consumption = Consumption { kw, kvar, ..Consumption::default() };
        self.add(row, EquipmentKind::EnergyConsumer, [bus.node.as_str()], Electrical::Consumer(consumption))?;
        let (p_mw, q_mvar) = (row.number_or("pz_mw", 0.0)?, row.number_or("qz_mvar", 0.0)?);
        if p_mw == 0.0 && q_mvar == 0.0 {
            return Ok(());
        }
        let Some(kv) = bus.nominal_kv else {
            self.note(row.id(), "pz_mw and qz_mvar are left out, because its bus has no nominal voltage");
            return Ok(());
        };
        let shunt = Shunt { g_s: p_mw / (kv * kv), b_s: 0.0 - q_mvar / (kv * kv) };
        self.add_part(row, "shunt", EquipmentKind::ShuntCompensator, &[&bus.node], Electrical::Shunt(shunt))
    }

    /// Adds an extended ward, which is a ward and a voltage behind an impedance that feeds no active power.
    fn add_extended_ward(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        self.add_ward(row, bus)?;
        let impedance =
            SequenceImpedance { r_ohm: row.number_or("r_ohm", 0.0)?, x_ohm: row.number_or("x_ohm", 0.0)?, ..Default::default() };
        let node = self.add_internal_node(format!("{}:node", row.source_id()), bus.nominal_kv);
        self.add_part(row, "impedance", EquipmentKind::SeriesCompensator, &[&bus.node, &node], Electrical::Series(impedance))?;
        let generation = Generation { voltage_pu: Some(row.number_or("vm_pu", 1.0)?), ..Generation::default() };
        self.add_part(row, "voltage", EquipmentKind::InverterUnit, &[&node], Electrical::Generator(generation))
    }

    /// Adds one of several parts that are created from one row of pandapower.
    fn add_part(
        &mut self,
        row: Row<'_>,
        part: &str,
        kind: EquipmentKind,
        nodes: &[&str],
        electrical: Electrical,
    ) -> Result<(), ImportError> {
        make_room(&self.description.equipment)?;
        self.description.equipment.push(Equipment {
            id: format!("{}:{part}", row.source_id()),
            name: row.name(),
            kind,
            container: None,
            terminals: nodes.iter().map(|node| terminal(node)).collect(),
            is_in_service: row.flag("in_service", true)?,
            electrical,
        });
        Ok(())
    }

    fn add_motor(&mut self, row: Row<'_>, bus: &Bus) -> Result<(), ImportError> {
        let share = row.number_or("loading_percent", 100.0)? / 100.0 * row.number_or("scaling", 1.0)?;
        let efficiency = row.positive("efficiency_percent")?.unwrap_or(100.0) / 100.0;
        let kw = row.number_or("pn_mech_mw", 0.0)? * 1_000.0 / efficiency * share;
        let cosine = row.positive("cos_phi")?.unwrap_or(1.0).min(1.0);
        let kvar = kw * (1.0 / (cosine * cosine) - 1.0).sqrt();
        let consumption = Consumption { kw, kvar, ..Consumption::default() };
        self.add(row, EquipmentKind::EnergyConsumer, [bus.node.as_str()], Electrical::Consumer(consumption))
    }
}

/// Returns active and reactive power, kW and kvar.
fn power(row: Row<'_>) -> Result<(f64, f64), ImportError> {
    let scaling = row.number_or("scaling", 1.0)? * 1_000.0;
    Ok((row.number_or("p_mw", 0.0)? * scaling, row.number_or("q_mvar", 0.0)? * scaling))
}

/// Returns active and reactive power of each phase, kW and kvar.
fn phases(row: Row<'_>) -> Result<[[f64; 2]; 3], ImportError> {
    let scaling = row.number_or("scaling", 1.0)? * 1_000.0;
    let mut found = [[0.0; 2]; 3];
    for (phase, (active, reactive)) in [("p_a_mw", "q_a_mvar"), ("p_b_mw", "q_b_mvar"), ("p_c_mw", "q_c_mvar")].into_iter().enumerate() {
        found[phase] = [row.number_or(active, 0.0)? * scaling, row.number_or(reactive, 0.0)? * scaling];
    }
    Ok(found)
}

fn sum(phases: [[f64; 2]; 3], part: usize) -> f64 {
    phases.iter().map(|phase| phase[part]).sum()
}

fn rated_kva(row: Row<'_>) -> Result<Option<f64>, ImportError> {
    Ok(row.number("sn_mva")?.map(|mva| mva * 1_000.0))
}
