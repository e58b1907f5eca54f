//! The inside of a substation: bays of incoming lines, busbars, transformers, capacitor, and the bays of feeders.

use network::EquipmentKind;
use network::description::{Connection, ContainerKind, Electrical, SequenceImpedance, Shunt, Switch, Tap, Transformer, TransformerEnd};

use super::draft::Draft;
use crate::utility::Substation;
use crate::utility::bays::{Plan, Unit, section_letter};

pub(super) fn add(draft: &mut Draft, substation: &Substation) {
    let (code, plan) = (&substation.code, &substation.plan);
    let (high, low) = (plan.kv_high, plan.kv_low);
    let place = Some([substation.lon, substation.lat]);
    draft.container(code, &substation.name, ContainerKind::Substation, None, None, place);
    let id = |part: &str| format!("{code}/{part}");
    let bus = draft.node(&id("BUSH"), high, place);
    draft.add(&id("BUSH"), "", EquipmentKind::BusbarSection, &[&bus], Electrical::Nothing);
    for index in 0..plan.incomers.len() {
        let bay = |part: &str| id(&format!("INC{}{part}", index + 1));
        let line = draft.node(&bay("/line"), high, place);
        let between = draft.node(&bay("/bay"), high, place);
        draft.earth(&bay("ES"), &line, true);
        draft.switch(&bay("IS"), EquipmentKind::Disconnector, [&line, &between], index > 0);
        draft.add(&bay("CB"), "", EquipmentKind::Breaker, &[&between, &bus], breaker(index > 0));
    }
    let sections: Vec<String> = (0..plan.sections).map(|section| id(&format!("BUS{}", section_letter(section)))).collect();
    for section in &sections {
        draft.node(section, low, place);
        draft.add(section, "", EquipmentKind::BusbarSection, &[section], Electrical::Nothing);
    }
    if let [first, second] = sections.as_slice() {
        draft.add(&id("BC"), "", EquipmentKind::Breaker, &[first, second], breaker(!plan.coupler_closed()));
    }
    for (index, unit) in plan.units.iter().enumerate() {
        let bay = |part: &str| id(&format!("TX{}{part}", index + 1));
        let (above, below) = (draft.node(&bay("/high"), high, place), draft.node(&bay("/low"), low, place));
        draft.add(&bay("HCB"), "", EquipmentKind::Breaker, &[&bus, &above], breaker(false));
        draft.add(&bay(""), "", EquipmentKind::PowerTransformer, &[&above, &below], transformer(plan, unit));
        draft.add(&bay("LCB"), "", EquipmentKind::Breaker, &[&below, &sections[plan.section_of_unit(index)]], breaker(!unit.in_service));
    }
    if let Some(cap) = &plan.cap {
        let behind = draft.node(&id("CAP1/bay"), low, place);
        draft.add(&id("CAP1CB"), "", EquipmentKind::Breaker, &[&sections[0], &behind], breaker(false));
        let shunt = Shunt { g_s: 0.0, b_s: cap.mvar / low.powi(2) };
        draft.add(&id("CAP1"), "", EquipmentKind::ShuntCompensator, &[&behind], Electrical::Shunt(shunt));
    }
    for (index, feeder) in plan.feeders.iter().enumerate() {
        let name = format!("F{}", index + 1);
        draft.container(&id(&name), feeder.label, ContainerKind::Feeder, Some(code), None, None);
        let bay = |part: &str| id(&format!("{name}{part}"));
        let (between, line) = (draft.node(&bay("/bay"), low, place), draft.node(&bay("/line"), low, place));
        draft.switch(&bay("IS"), EquipmentKind::Disconnector, [&sections[plan.section_of(index)], &between], !feeder.in_service);
        draft.add(&bay("CB"), "", EquipmentKind::Breaker, &[&between, &line], breaker(!feeder.in_service));
        // A spare feeder is earthed.
        draft.earth(&bay("ES"), &line, feeder.in_service);
    }
}

fn breaker(is_normally_open: bool) -> Electrical {
    Electrical::Switch(Switch { is_normally_open, rated_a: Some(1_250.0), breaking_ka: Some(25.0) })
}

/// Returns a transformer of 8 percent reactance, 0.4 percent resistance, iron losses of 0.1 percent and a magnetising current of 0.4 percent, as the physics of
/// the substation has it, with taps of 1.25 percent on the higher voltage.
fn transformer(plan: &Plan, unit: &Unit) -> Electrical {
    let ohm = plan.kv_high.powi(2) / unit.mva;
    let series = SequenceImpedance { r_ohm: 0.004 * ohm, x_ohm: 0.08 * ohm, ..SequenceImpedance::default() };
    let rated_kva = Some(unit.mva * 1_000.0);
    let (connection, clock) = if plan.kv_high > 100.0 { (Connection::StarEarthed, 0) } else { (Connection::Delta, 11) };
    let tap = Tap { step: 9, neutral: 9, low: 1, high: 17, step_percent: -1.25, step_degrees: 0.0 };
    let high = TransformerEnd {
        rated_kv: plan.kv_high,
        rated_kva,
        connection,
        clock: 0,
        series,
        g_s: 0.001 / ohm,
        b_s: -0.004 / ohm,
        tap: (!plan.is_distribution()).then_some(tap),
    };
    let low = TransformerEnd { rated_kv: plan.kv_low, rated_kva, connection: Connection::StarEarthed, clock, ..TransformerEnd::default() };
    Electrical::Transformer(Transformer { ends: vec![high, low] })
}
