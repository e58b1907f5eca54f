//! The component types in the metadata.

use crate::layout::SymbolKind;

/// Returns the symbol of a component type.
pub(super) fn kind(word: &str) -> Option<SymbolKind> {
    Some(match word {
        "BREAKER" => SymbolKind::Breaker,
        "DISCONNECTOR" | "LOAD_BREAK_SWITCH" => SymbolKind::Isolator,
        "GROUND_DISCONNECTION" => SymbolKind::EarthSwitch,
        "LINE" | "TIE_LINE" | "DANGLING_LINE" | "FEEDER" | "LOAD" => SymbolKind::Feeder,
        "GENERATOR" => SymbolKind::Generator,
        "CAPACITOR" => SymbolKind::Capacitor,
        "INDUCTOR" => SymbolKind::Reactor,
        "BATTERY" => SymbolKind::Battery,
        _ if word.contains("TRANSFORMER") => SymbolKind::Transformer,
        _ => return None,
    })
}

/// Whether a component type is only a junction of wires.
pub(super) fn is_joint(word: &str) -> bool {
    matches!(word, "NODE" | "BUS_CONNECTION" | "BUSBREAKER_CONNECTION" | "BUSBAR_NODE" | "INTERNAL_NODE")
}
