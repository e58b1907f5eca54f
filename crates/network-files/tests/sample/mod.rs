//! A network that tests write in each format.

use network::description::{
    Connection, Consumption, Container, ContainerKind, Electrical, Equipment, Generation, Line, Measurement, Node, PhaseImpedance,
    SequenceImpedance, Shunt, SourceVoltage, Switch, Tap, Terminal, Transformer, TransformerEnd,
};
use network::{Description, EquipmentKind, Phases};

fn equipment(id: &str, kind: EquipmentKind, nodes: &[&str], electrical: Electrical) -> Equipment {
    let terminals = nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect();
    Equipment {
        id: id.to_owned(),
        name: format!("{id}, \"first\""),
        kind,
        container: Some("S".to_owned()),
        terminals,
        is_in_service: true,
        electrical,
    }
}

/// A network with each kind of part and each value.
pub(crate) fn network() -> Description {
    let node = |id: &str, kv: f64| Node {
        id: id.to_owned(),
        name: format!("{id} Süd"),
        container: Some("V".to_owned()),
        nominal_kv: Some(kv),
        is_internal: false,
        place: Some([72.8, 18.9]),
    };
    Description {
        containers: vec![
            Container {
                id: "S".into(),
                name: "Harbour".into(),
                kind: ContainerKind::Substation,
                parent: None,
                nominal_kv: None,
                place: Some([72.8, 18.9]),
            },
            Container {
                id: "V".into(),
                name: "11".into(),
                kind: ContainerKind::VoltageLevel,
                parent: Some("S".into()),
                nominal_kv: Some(11.0),
                place: None,
            },
        ],
        nodes: vec![node("a", 33.0), node("b", 11.0), node("c", 11.0), node("d", 0.4)],
        equipment: all_equipment(),
        measurements: vec![
            Measurement {
                id: "P1".into(),
                equipment: "CB".into(),
                terminal: None,
                quantity: "Pos".into(),
                phases: Phases::ABC,
                point: Some("RTU/F1/CB/Pos".into()),
            },
            Measurement {
                id: "P2".into(),
                equipment: "CB".into(),
                terminal: Some(2),
                quantity: "Ir".into(),
                phases: Phases::parse("A").expect("phases"),
                point: None,
            },
        ],
    }
}

fn all_equipment() -> Vec<Equipment> {
    let series = SequenceImpedance { r_ohm: 0.25, x_ohm: 0.125, r0_ohm: Some(0.75), x0_ohm: Some(0.5) };
    let end = |kv: f64, connection, clock| TransformerEnd {
        rated_kv: kv,
        rated_kva: Some(630.0),
        connection,
        clock,
        ..TransformerEnd::default()
    };
    let tap = Tap { step: -1, neutral: 0, low: -2, high: 2, step_percent: 2.5, step_degrees: 0.0 };
    let two = vec![
        TransformerEnd { series, g_s: 1e-6, b_s: -2e-6, tap: Some(tap), ..end(11.0, Connection::Delta, 0) },
        end(0.4, Connection::StarEarthed, 11),
    ];
    let three = vec![
        TransformerEnd { series, ..end(33.0, Connection::StarEarthed, 0) },
        TransformerEnd { series, ..end(11.0, Connection::Delta, 1) },
        TransformerEnd { series, ..end(0.4, Connection::StarEarthed, 0) },
    ];
    let by_phase = PhaseImpedance {
        r_ohm: [0.3, 0.1, 0.3, 0.1, 0.1, 0.3],
        x_ohm: [0.9, 0.4, 0.9, 0.4, 0.4, 0.9],
        b_s: [1e-6, 0.0, 1e-6, 0.0, 0.0, 1e-6],
    };
    let line = Line { length_km: Some(2.5), series, g_s: 1e-7, b_s: 1e-5, b0_s: Some(5e-6), by_phase: None, rated_a: Some(400.0) };
    let load = Consumption {
        customers: 120,
        kw: 60.0,
        kvar: 15.0,
        by_phase: None,
        constant_impedance: 0.3,
        constant_current: 0.2,
        is_delta: false,
    };
    let switch = Switch { is_normally_open: false, rated_a: Some(630.0), breaking_ka: Some(25.0) };
    let mut single = equipment(
        "single",
        EquipmentKind::LineSegment,
        &["c", "d"],
        Electrical::Line(Line { by_phase: Some(by_phase), ..Line::default() }),
    );
    single.terminals[1].phases = Phases::parse("AB").expect("phases");
    vec![
        equipment("bar", EquipmentKind::BusbarSection, &["a"], Electrical::Nothing),
        equipment("CB", EquipmentKind::Breaker, &["b", "c"], Electrical::Switch(switch)),
        Equipment { is_in_service: false, ..equipment("ES", EquipmentKind::GroundDisconnector, &["c"], Electrical::Nothing) },
        equipment("cable", EquipmentKind::LineSegment, &["b", "c"], Electrical::Line(line)),
        single,
        equipment("reactor", EquipmentKind::SeriesCompensator, &["b", "c"], Electrical::Series(series)),
        equipment("link", EquipmentKind::DirectCurrentLine, &["b", "c"], Electrical::DirectCurrent { kw: 500.0 }),
        equipment("T1", EquipmentKind::PowerTransformer, &["b", "d"], Electrical::Transformer(Transformer { ends: two })),
        equipment("T2", EquipmentKind::PowerTransformer, &["a", "b", "d"], Electrical::Transformer(Transformer { ends: three })),
        equipment("village", EquipmentKind::EnergyConsumer, &["d"], Electrical::Consumer(load)),
        equipment(
            "street",
            EquipmentKind::EnergyConsumer,
            &["d"],
            Electrical::Consumer(Consumption { by_phase: Some([[10.0, 1.0], [20.0, 2.0], [30.0, 12.0]]), ..load }),
        ),
        equipment(
            "grid",
            EquipmentKind::EnergySource,
            &["a"],
            Electrical::Source(SourceVoltage { voltage_pu: 1.02, angle_deg: 30.0, impedance: Some(series) }),
        ),
        equipment("capacitor", EquipmentKind::ShuntCompensator, &["b"], Electrical::Shunt(Shunt { g_s: 0.0, b_s: 0.01 })),
        equipment(
            "battery",
            EquipmentKind::BatteryUnit,
            &["d"],
            Electrical::Generator(Generation {
                kw: -5.0,
                kvar: 1.0,
                voltage_pu: Some(1.01),
                rated_kva: Some(10.0),
                stored_kwh: Some(20.0),
            }),
        ),
    ]
}
