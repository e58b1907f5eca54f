//! The component types in the metadata.

use crate::layout::Kind;

/// Returns the symbol of a component type.
pub(super) fn kind(word: &str) -> Option<Kind> {
    Some(match word {
        "BREAKER" => Kind::Breaker,
        "DISCONNECTOR" | "LOAD_BREAK_SWITCH" => Kind::Isolator,
        "GROUND_DISCONNECTION" => Kind::EarthSwitch,
        "LINE" | "TIE_LINE" | "DANGLING_LINE" | "FEEDER" | "LOAD" => Kind::Feeder,
        "GENERATOR" => Kind::Generator,
        "CAPACITOR" => Kind::Capacitor,
        "INDUCTOR" => Kind::Reactor,
        "BATTERY" => Kind::Battery,
        _ if word.contains("TRANSFORMER") => Kind::Transformer,
        _ => return None,
    })
}

/// Whether a component type is only a junction of wires.
pub(super) fn is_joint(word: &str) -> bool {
    matches!(word, "NODE" | "BUS_CONNECTION" | "BUSBREAKER_CONNECTION" | "BUSBAR_NODE" | "INTERNAL_NODE")
}
