//! Transformers with their ends, or with a tank for each phase.

use network::description::{Connection, Electrical, SequenceImpedance, Tap, Transformer, TransformerEnd};
use network::{EquipmentKind, Phases};

use super::Import;
use super::new_terminal::End;
use super::objects::Object;
use crate::transformer_ends::joined;

/// The properties of tap changers that refer to their end. An end has the first one.
const TAP_CHANGERS: [&str; 2] = ["RatioTapChanger.TransformerEnd", "PhaseTapChanger.TransformerEnd"];

impl<'o> Import<'o> {
    pub(super) fn add_transformers(&mut self) {
        for object in self.objects.of_class("PowerTransformer") {
            let tanks = self.index.of("TransformerTank.PowerTransformer", &object.id).to_vec();
            if tanks.is_empty() {
                self.add_transformer(object);
            }
            for tank in tanks {
                self.add_tank(object, tank);
            }
        }
        self.note_further_tap_changers();
    }

    /// Adds a note about ends with several tap changers. The description has one for each end.
    fn note_further_tap_changers(&mut self) {
        let ends = self.objects.iter().filter(|object| ["PowerTransformerEnd", "TransformerTankEnd"].contains(&object.class.as_str()));
        let changers = |end: &Object| TAP_CHANGERS.iter().map(|property| self.index.look_at(property, &end.id).len()).sum::<usize>();
        let further: usize = ends.map(|end| changers(end).saturating_sub(1)).sum();
        if further > 0 {
            self.note("TapChanger", format!("{further} left out, because an end has one only; a ratio tap changer is taken first"));
        }
    }

    /// Returns ends in the order of their numbers.
    fn sorted(&self, property: &str, id: &str) -> Vec<&'o Object> {
        let mut ends = self.index.of(property, id).to_vec();
        ends.sort_by_key(|end| {
            end.number("TransformerEnd.endNumber").or(end.number("TransformerEndInfo.endNumber")).map_or(0, |number| number as u32)
        });
        ends
    }

    fn end_of(&self, transformer: &Object, end: &Object) -> Option<End<'o>> {
        let terminal = end.reference("TransformerEnd.Terminal")?;
        self.ends(transformer).into_iter().find(|found| found.object.id == terminal)
    }

    fn add_transformer(&mut self, object: &'o Object) {
        let objects = self.sorted("PowerTransformerEnd.PowerTransformer", &object.id);
        let found: Vec<(&Object, End<'o>)> = objects.iter().filter_map(|end| Some((*end, self.end_of(object, end)?))).collect();
        if found.len() != objects.len() || objects.is_empty() {
            // Connected, but without values: the ends do not fit the terminals.
            self.add(object, EquipmentKind::PowerTransformer, Electrical::Nothing);
            return;
        }
        let unit = self.unit;
        let mut ends: Vec<TransformerEnd> = Vec::new();
        for (end, _) in &found {
            let value = |name: &str| end.number(&format!("PowerTransformerEnd.{name}"));
            ends.push(TransformerEnd {
                rated_kv: value("ratedU").unwrap_or(0.0) * unit.voltage,
                rated_kva: value("ratedS").filter(|rated| *rated > 0.0).map(|rated| rated * unit.power),
                connection: connection(end.enumerated("PowerTransformerEnd.connectionKind"), end),
                clock: value("phaseAngleClock").map_or(0, |clock| (clock as i64).rem_euclid(12) as u8),
                series: SequenceImpedance {
                    r_ohm: value("r").unwrap_or(0.0),
                    x_ohm: value("x").unwrap_or(0.0),
                    r0_ohm: value("r0"),
                    x0_ohm: value("x0"),
                },
                g_s: value("g").unwrap_or(0.0),
                b_s: value("b").unwrap_or(0.0),
                tap: self.tap(end),
            });
        }
        self.add_mesh(&found, &mut ends);
        for (at, (end, _)) in found.iter().enumerate() {
            if let Some(series) = self.star(end, "TransformerStarImpedance.TransformerEnd", "TransformerEnd.StarImpedance") {
                ends[at].series = series;
            }
        }
        for (at, (end, _)) in found.iter().enumerate() {
            for core in self.index.of("TransformerCoreAdmittance.TransformerEnd", &end.id) {
                ends[at].g_s = core.number("TransformerCoreAdmittance.g").unwrap_or(0.0);
                ends[at].b_s = core.number("TransformerCoreAdmittance.b").unwrap_or(0.0);
            }
        }
        let terminals = found.iter().map(|(_, end)| end.with_phases(end.object.phases("Terminal.phases").unwrap_or(Phases::ABC))).collect();
        let electrical = if ends.iter().all(|end| end.rated_kv > 0.0) {
            Electrical::Transformer(Transformer { ends: joined(ends) })
        } else {
            Electrical::Nothing
        };
        self.add_at(object, EquipmentKind::PowerTransformer, terminals, electrical);
    }

    /// Applies impedances between pairs of ends, which refer to the voltage of the first end of the pair.
    fn add_mesh(&self, found: &[(&'o Object, End<'o>)], ends: &mut [TransformerEnd]) {
        let position = |id: &str| found.iter().position(|(end, _)| end.id == id);
        let mut pairs = [None; 3];
        for (from, (end, _)) in found.iter().enumerate() {
            for mesh in self.index.of("TransformerMeshImpedance.FromTransformerEnd", &end.id) {
                let Some(to) = mesh.reference("TransformerMeshImpedance.ToTransformerEnd").and_then(position) else { continue };
                let value = |name: &str| mesh.number(&format!("TransformerMeshImpedance.{name}"));
                // At the voltage of the first end.
                let ratio = (ends[0].rated_kv / ends[from].rated_kv).powi(2);
                let scaled = |name: &str| value(name).map(|ohm| ohm * ratio);
                let series = SequenceImpedance {
                    r_ohm: scaled("r").unwrap_or(0.0),
                    x_ohm: scaled("x").unwrap_or(0.0),
                    r0_ohm: scaled("r0"),
                    x0_ohm: scaled("x0"),
                };
                if let Some(pair) = pair_of(&mut pairs, from, to) {
                    *pair = Some(series);
                }
            }
        }
        set_star(ends, pairs);
    }

    /// Returns the impedance of an end, or of its type, in the star equivalent. The reference can be in either of the two objects.
    fn star(&self, end: &Object, back: &str, forth: &str) -> Option<SequenceImpedance> {
        let star = self.index.of(back, &end.id).first().copied().or_else(|| self.objects.follow(end, forth))?;
        let value = |name: &str| star.number(&format!("TransformerStarImpedance.{name}"));
        Some(SequenceImpedance {
            r_ohm: value("r").unwrap_or(0.0),
            x_ohm: value("x").unwrap_or(0.0),
            r0_ohm: value("r0"),
            x0_ohm: value("x0"),
        })
    }

    fn tap(&self, end: &Object) -> Option<Tap> {
        let changer = TAP_CHANGERS.iter().find_map(|property| self.index.of(property, &end.id).first())?;
        let value = |name: &str| changer.number(&format!("TapChanger.{name}")).map(|number| number.round() as i32);
        let neutral = value("neutralStep").unwrap_or(0);
        let step = value("step").or(value("normalStep")).unwrap_or(neutral);
        // IEC 61970-301:2020, PhaseTapChangerLinear.stepPhaseShiftIncrement: "A positive value indicates a positive angle variation from the Terminal at
        // the PowerTransformerEnd, where the TapChanger is located, into the transformer." The winding leads the terminal. `Tap::step_degrees` is the angle
        // by which the terminal leads the winding.
        let (step_percent, lead_of_winding) = match changer.class.as_str() {
            "RatioTapChanger" => (changer.number("RatioTapChanger.stepVoltageIncrement").unwrap_or(0.0), 0.0),
            "PhaseTapChangerLinear" => (0.0, changer.number("PhaseTapChangerLinear.stepPhaseShiftIncrement").unwrap_or(0.0)),
            // The added voltage is at a right angle: small steps change the angle by their size.
            _ => (0.0, (changer.number("PhaseTapChangerNonLinear.voltageStepIncrement").unwrap_or(0.0) / 100.0).atan().to_degrees()),
        };
        let (low, high) = (value("lowStep").unwrap_or(step.min(neutral)), value("highStep").unwrap_or(step.max(neutral)));
        Some(Tap { step, neutral, low, high, step_percent, step_degrees: 0.0 - lead_of_winding })
    }

    /// Adds a tank, which is a transformer for one or several phases.
    fn add_tank(&mut self, transformer: &'o Object, tank: &'o Object) {
        let objects = self.sorted("TransformerTankEnd.TransformerTank", &tank.id);
        let found: Vec<(&Object, End<'o>)> = objects.iter().filter_map(|end| Some((*end, self.end_of(transformer, end)?))).collect();
        let first = found.first().and_then(|(end, _)| tank_phases(end)).unwrap_or(Phases::ABC);
        // The halves s1 and s2 of a winding with a centre tap, and a winding between phases, have the phase of the first end.
        let terminals = found
            .iter()
            .map(|(end, at)| at.with_phases(tank_phases(end).filter(|phases| !phases.intersection(first).is_empty()).unwrap_or(first)))
            .collect();
        let info = self.objects.follow(tank, "TransformerTank.TransformerTankInfo").map(|info| info.id.as_str());
        let infos = info.map(|info| self.sorted("TransformerEndInfo.TransformerTankInfo", info)).unwrap_or_default();
        let electrical = if infos.len() == found.len() && found.len() >= 2 { self.tank(&infos, &found) } else { Electrical::Nothing };
        self.add_at(tank, EquipmentKind::PowerTransformer, terminals, electrical);
    }

    fn tank(&self, infos: &[&'o Object], found: &[(&'o Object, End<'o>)]) -> Electrical {
        let value = |info: &Object, name: &str| info.number(&format!("TransformerEndInfo.{name}"));
        let mut ends: Vec<TransformerEnd> = infos
            .iter()
            .zip(found)
            .map(|(info, (end, _))| TransformerEnd {
                rated_kv: value(info, "ratedU").unwrap_or(0.0) * self.unit.voltage,
                rated_kva: value(info, "ratedS").map(|rated| rated * self.unit.power),
                connection: connection(info.enumerated("TransformerEndInfo.connectionKind"), end),
                clock: value(info, "phaseAngleClock").map_or(0, |clock| (clock as i64).rem_euclid(12) as u8),
                tap: self.tap(end),
                ..TransformerEnd::default()
            })
            .collect();
        if ends.iter().any(|end| end.rated_kv <= 0.0) {
            return Electrical::Nothing;
        }
        let resistance = |at: usize| value(infos[at], "r").unwrap_or(0.0) * (ends[0].rated_kv / ends[at].rated_kv).powi(2);
        let mut pairs = [None; 3];
        for (from, info) in infos.iter().enumerate() {
            for test in self.index.of("ShortCircuitTest.EnergisedEnd", &info.id) {
                let to = test.references("ShortCircuitTest.GroundedEnds").find_map(|id| infos.iter().position(|info| info.id == id));
                let (Some(to), Some(ohm)) = (to, test.number("ShortCircuitTest.leakageImpedance")) else { continue };
                let whole = ohm * (ends[0].rated_kv / ends[from].rated_kv).powi(2);
                let r_ohm = resistance(from) + resistance(to);
                let x_ohm = (whole * whole - r_ohm * r_ohm).max(0.0).sqrt();
                if let Some(pair) = pair_of(&mut pairs, from, to) {
                    *pair = Some(SequenceImpedance { r_ohm, x_ohm, r0_ohm: None, x0_ohm: None });
                }
            }
        }
        set_star(&mut ends, pairs);
        let stars: Vec<_> = infos
            .iter()
            .zip(found)
            .map(|(info, (end, _))| {
                self.star(end, "TransformerStarImpedance.TransformerEnd", "TransformerEnd.StarImpedance").or_else(|| {
                    self.star(info, "TransformerStarImpedance.TransformerEndInfo", "TransformerEndInfo.TransformerStarImpedance")
                })
            })
            .collect();
        // They are computed from the tests, so they count instead.
        if stars.iter().any(Option::is_some) {
            ends.iter_mut().zip(stars).for_each(|(end, star)| end.series = star.unwrap_or_default());
        }
        for (at, info) in infos.iter().enumerate() {
            let Some(test) = self.index.of("NoLoadTest.EnergisedEnd", &info.id).first() else { continue };
            // kW and percent of the rating, as IEC 61968-11 has them.
            let kva = ends[at].rated_kva.unwrap_or(0.0);
            let losses = test.number("NoLoadTest.loss").unwrap_or(0.0);
            let whole = test.number("NoLoadTest.excitingCurrent").unwrap_or(0.0) / 100.0 * kva;
            let square = ends[at].rated_kv.powi(2) * 1_000.0;
            ends[at].g_s = losses / square;
            ends[at].b_s = 0.0 - (whole * whole - losses * losses).max(0.0).sqrt() / square;
        }
        Electrical::Transformer(Transformer { ends: joined(ends) })
    }
}

/// Returns the phases of an end of a tank.
fn tank_phases(end: &Object) -> Option<Phases> {
    end.phases("TransformerTankEnd.orderedPhases").or_else(|| end.phases("TransformerTankEnd.phases"))
}

/// Returns the connection. A star whose kind has no `n` is earthed if the end is earthed.
fn connection(kind: Option<&str>, end: &Object) -> Connection {
    let is_earthed = end.flag("TransformerEnd.grounded") == Some(true);
    match kind {
        Some("D") => Connection::Delta,
        Some("Y") if is_earthed => Connection::StarEarthed,
        Some("Yn") => Connection::StarEarthed,
        Some("Z") if is_earthed => Connection::ZigzagEarthed,
        Some("Z") => Connection::Zigzag,
        Some("Zn") => Connection::ZigzagEarthed,
        Some("I" | "A") => Connection::Single,
        _ => Connection::Star,
    }
}

/// Computes the star equivalent from the impedances between the ends 1 and 2, 1 and 3, and 2 and 3, all at the voltage of the first end.
fn set_star(ends: &mut [TransformerEnd], pairs: [Option<SequenceImpedance>; 3]) {
    match (ends.len(), pairs) {
        (2, [Some(series), ..]) => ends[0].series = series,
        (3, [Some(one_two), Some(one_three), Some(two_three)]) => {
            let half = |one: SequenceImpedance, two: SequenceImpedance, other: SequenceImpedance, ratio: f64| SequenceImpedance {
                r_ohm: 0.5 * (one.r_ohm + two.r_ohm - other.r_ohm) / ratio,
                x_ohm: 0.5 * (one.x_ohm + two.x_ohm - other.x_ohm) / ratio,
                r0_ohm: None,
                x0_ohm: None,
            };
            let ratio = |end: &TransformerEnd, first: f64| (first / end.rated_kv).powi(2);
            let first = ends[0].rated_kv;
            let (second, third) = (ratio(&ends[1], first), ratio(&ends[2], first));
            ends[0].series = half(one_two, one_three, two_three, 1.0);
            ends[1].series = half(one_two, two_three, one_three, second);
            ends[2].series = half(one_three, two_three, one_two, third);
        }
        _ => {}
    }
}

/// Returns the impedance between two of three ends; `None` if there are no such ends.
fn pair_of<T>(pairs: &mut [T; 3], from: usize, to: usize) -> Option<&mut T> {
    if from == to { None } else { pairs.get_mut(from + to - 1) }
}
