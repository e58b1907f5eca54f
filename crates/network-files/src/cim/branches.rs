//! Switches, busbar sections, lines and series elements.

use std::collections::HashMap;

use network::description::{Electrical, Line, PhaseImpedance, SequenceImpedance, Switch};
use network::{EquipmentKind, Phases};

use super::Import;
use super::objects::Object;

/// Classes of switches.
const SWITCHES: [(&str, EquipmentKind); 12] = [
    ("Breaker", EquipmentKind::Breaker),
    ("DisconnectingCircuitBreaker", EquipmentKind::Breaker),
    ("Disconnector", EquipmentKind::Disconnector),
    ("LoadBreakSwitch", EquipmentKind::LoadBreakSwitch),
    ("Fuse", EquipmentKind::Fuse),
    ("Recloser", EquipmentKind::Recloser),
    ("Sectionaliser", EquipmentKind::Sectionaliser),
    ("Switch", EquipmentKind::Switch),
    ("ProtectedSwitch", EquipmentKind::Switch),
    ("Jumper", EquipmentKind::Switch),
    ("Cut", EquipmentKind::Switch),
    ("GroundDisconnector", EquipmentKind::GroundDisconnector),
];

/// The positions of a switch in a file: whether it is open, if that is known.
struct SwitchState {
    normal: Option<bool>,
    present: Option<bool>,
    /// The closed phases, if other phases are open.
    closed_phases: Option<Phases>,
}

impl<'o> Import<'o> {
    pub(super) fn add_branches(&mut self) {
        let limits = self.current_limits();
        let objects = self.objects;
        let mut differing = 0;
        for object in objects.iter() {
            let class = object.class.as_str();
            if let Some((_, kind)) = SWITCHES.iter().find(|(known, _)| *known == class) {
                differing += usize::from(self.add_switch(object, *kind));
                continue;
            }
            match class {
                "Ground" => self.add_ground(object),
                "BusbarSection" => self.add(object, EquipmentKind::BusbarSection, Electrical::Nothing),
                "ACLineSegment" => {
                    let electrical = self.line(object, limits.get(object.id.as_str()).copied());
                    self.add(object, EquipmentKind::LineSegment, electrical);
                }
                "SeriesCompensator" | "EquivalentBranch" => {
                    let value = |name: &str| object.number(&format!("{class}.{name}"));
                    let electrical = match (value("r"), value("x")) {
                        (None, None) => Electrical::Nothing,
                        (r, x) => Electrical::Series(SequenceImpedance {
                            r_ohm: r.unwrap_or(0.0),
                            x_ohm: x.unwrap_or(0.0),
                            r0_ohm: value("r0"),
                            x0_ohm: value("x0"),
                        }),
                    };
                    self.add(object, EquipmentKind::SeriesCompensator, electrical);
                }
                _ => {}
            }
        }
        if differing > 0 {
            self.note(
                "Switch",
                format!("{differing} switches have a present position that is not their normal one; the normal one is taken"),
            );
        }
    }

    /// Adds a switch. Returns whether its present position differs from the normal one.
    fn add_switch(&mut self, object: &'o Object, kind: EquipmentKind) -> bool {
        let SwitchState { normal, present, closed_phases } = self.switch_state(object);
        // An earth is never assumed.
        let is_open = normal.or(present).unwrap_or(kind == EquipmentKind::GroundDisconnector);
        let differs = normal.is_some() && present.is_some_and(|present| Some(present) != normal);
        let all = self.phases_of(object);
        let phases = closed_phases.unwrap_or(all);
        self.open_phases += all.iter().filter(|phase| !phases.contains(*phase)).count();
        if kind == EquipmentKind::GroundDisconnector {
            self.add_earth_switch(object, phases, is_open);
            return differs;
        }
        let breaking = object.number("ProtectedSwitch.breakingCapacity").map(|ampere| ampere / 1_000.0);
        let switch = Switch { is_normally_open: is_open, rated_a: object.number("Switch.ratedCurrent"), breaking_ka: breaking };
        self.add_with_phases(object, kind, phases, Electrical::Switch(switch));
        differs
    }

    /// Returns the positions of a switch. If the file has positions of its phases, these are used instead of the
    /// position of the whole switch.
    fn switch_state(&self, object: &Object) -> SwitchState {
        let (normal, present) = (object.flag("Switch.normalOpen"), object.flag("Switch.open"));
        let mut state = SwitchState { normal, present, closed_phases: None };
        let (mut open, mut closed) = (Phases::NONE, Phases::NONE);
        let (mut all_normal, mut all_present) = (Vec::new(), Vec::new());
        for part in self.index.of("SwitchPhase.Switch", &object.id) {
            let Some(phases) = part.phases("SwitchPhase.phaseSide1") else { continue };
            let of_normal = part.flag("SwitchPhase.normalOpen").or(normal);
            let of_present = part.flag("SwitchPhase.closed").map(|closed| !closed).or(present);
            all_normal.extend(of_normal);
            all_present.extend(of_present);
            match of_normal.or(of_present) {
                Some(true) => open = open.union(phases),
                _ => closed = closed.union(phases),
            }
        }
        if !open.is_empty() || !closed.is_empty() {
            let joined = |positions: &[bool]| (!positions.is_empty()).then(|| positions.iter().all(|is_open| *is_open));
            (state.normal, state.present) = (joined(&all_normal), joined(&all_present));
        }
        if !open.is_empty() && !closed.is_empty() {
            state.closed_phases = Some(closed);
        }
        state
    }

    /// Adds a note about phases that are left out. A switch has one position; if its phases have different positions,
    /// only the closed phases are imported.
    pub(super) fn note_open_phases(&mut self) {
        let count = self.open_phases;
        if count > 0 {
            self.note("SwitchPhase", format!("{count} phases are open while others of their switch are closed: they are left out"));
        }
    }

    fn line(&self, object: &Object, rated_a: Option<f64>) -> Electrical {
        let length_km = object.number("Conductor.length").map(|length| length * self.unit.length);
        let value = |name: &str| object.number(&format!("ACLineSegment.{name}"));
        let mut line = Line { length_km, rated_a, ..Line::default() };
        if let (Some(r), Some(x)) = (value("r"), value("x")) {
            line.series = SequenceImpedance { r_ohm: r, x_ohm: x, r0_ohm: value("r0"), x0_ohm: value("x0") };
            line.g_s = value("gch").unwrap_or(0.0);
            line.b_s = value("bch").unwrap_or(0.0);
            line.b0_s = value("b0ch");
            return Electrical::Line(line);
        }
        let Some(per_length) = self.objects.follow(object, "ACLineSegment.PerLengthImpedance") else {
            return if length_km.is_some() || rated_a.is_some() { Electrical::Line(line) } else { Electrical::Nothing };
        };
        // Per metre where lengths are metres, per kilometre where they are kilometres.
        let length = object.number("Conductor.length").unwrap_or(0.0);
        if per_length.class == "PerLengthSequenceImpedance" {
            let value = |name: &str| per_length.number(&format!("PerLengthSequenceImpedance.{name}")).map(|per| per * length);
            line.series = SequenceImpedance {
                r_ohm: value("r").unwrap_or(0.0),
                x_ohm: value("x").unwrap_or(0.0),
                r0_ohm: value("r0"),
                x0_ohm: value("x0"),
            };
            line.g_s = value("gch").unwrap_or(0.0);
            line.b_s = value("bch").unwrap_or(0.0);
            line.b0_s = value("b0ch");
            return Electrical::Line(line);
        }
        line.by_phase = Some(self.by_phase(object, per_length, length));
        Electrical::Line(line)
    }

    /// Returns the values by phase. The rows of the matrix are the phases of the segment in the order of their numbers.
    fn by_phase(&self, object: &Object, per_length: &Object, length: f64) -> PhaseImpedance {
        let mut phases: Vec<(u32, usize)> = self
            .index
            .of("ACLineSegmentPhase.ACLineSegment", &object.id)
            .iter()
            .enumerate()
            .filter_map(|(at, phase)| {
                let place = match phase.enumerated("ACLineSegmentPhase.phase")? {
                    "A" | "s1" => 0,
                    "B" | "s2" => 1,
                    "C" => 2,
                    _ => return None,
                };
                Some((phase.number("ACLineSegmentPhase.sequenceNumber").map_or(at as u32, |number| number as u32), place))
            })
            .collect();
        phases.sort_unstable();
        let rows: Vec<usize> = if phases.is_empty() { vec![0, 1, 2] } else { phases.into_iter().map(|(_, place)| place).collect() };
        let mut found = PhaseImpedance { r_ohm: [0.0; 6], x_ohm: [0.0; 6], b_s: [0.0; 6] };
        for data in self.index.of("PhaseImpedanceData.PhaseImpedance", &per_length.id) {
            let place = |name: &str| {
                let number = data.number(&format!("PhaseImpedanceData.{name}"))?;
                rows.get((number as usize).checked_sub(1)?).copied()
            };
            let (Some(row), Some(column)) = (place("row"), place("column")) else { continue };
            let (high, low) = (row.max(column), row.min(column));
            let at = high * (high + 1) / 2 + low;
            let value = |name: &str| data.number(&format!("PhaseImpedanceData.{name}")).unwrap_or(0.0) * length;
            (found.r_ohm[at], found.x_ohm[at], found.b_s[at]) = (value("r"), value("x"), value("b"));
        }
        found
    }

    /// Returns the permanent current limit of each piece of equipment that has one, A. It is the smallest limit of its
    /// ends.
    fn current_limits(&self) -> HashMap<&'o str, f64> {
        let objects = self.objects;
        let mut found: HashMap<&'o str, f64> = HashMap::new();
        for limit in objects.of_class("CurrentLimit") {
            let kind = objects.follow(limit, "OperationalLimit.OperationalLimitType");
            // Patl: permanently admissible. GridAPPS-D gives it a duration of more than a hundred years.
            let is_permanent = kind.is_none_or(|kind| {
                let name = kind.enumerated("OperationalLimitType.limitType").or_else(|| kind.enumerated("OperationalLimitType.kind"));
                match name {
                    Some(name) => name == "patl",
                    None => kind.number("OperationalLimitType.acceptableDuration").is_none_or(|seconds| seconds > 1e8),
                }
            });
            let value = limit.number("CurrentLimit.normalValue").or_else(|| limit.number("CurrentLimit.value"));
            let (Some(value), true) = (value.filter(|value| *value > 0.0), is_permanent) else { continue };
            let Some(set) = objects.follow(limit, "OperationalLimit.OperationalLimitSet") else { continue };
            let of_terminal =
                objects.follow(set, "OperationalLimitSet.Terminal").and_then(|terminal| terminal.reference("Terminal.ConductingEquipment"));
            if let Some(equipment) = of_terminal.or_else(|| set.reference("OperationalLimitSet.Equipment")) {
                limit.mark_used();
                let least = found.entry(equipment).or_insert(value);
                *least = least.min(value);
            }
        }
        // GridAPPS-D refers from the terminal to its limits.
        for terminal in objects.of_class("Terminal") {
            for set in terminal.references("ACDCTerminal.OperationalLimitSet") {
                for limit in self.index.look_at("OperationalLimit.OperationalLimitSet", set) {
                    let kind = objects.follow(limit, "OperationalLimit.OperationalLimitType");
                    let is_permanent =
                        kind.and_then(|kind| kind.number("OperationalLimitType.acceptableDuration")).is_none_or(|seconds| seconds > 1e8);
                    if let (Some(value), Some(equipment), true) =
                        (limit.number("CurrentLimit.value"), terminal.reference("Terminal.ConductingEquipment"), is_permanent)
                    {
                        limit.mark_used();
                        objects.get(set);
                        let least = found.entry(equipment).or_insert(value);
                        *least = least.min(value);
                    }
                }
            }
        }
        found
    }
}
