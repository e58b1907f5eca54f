//! The component types in the metadata.

use crate::layout::SymbolKind;

/// Returns the symbol of a component type.
pub(super) fn kind(word: &str) -> Option<SymbolKind> {
    Some(match word {
        "BREAKER" => SymbolKind::Breaker,
        "DISCONNECTOR" | "LOAD_BREAK_SWITCH" => SymbolKind::Isolator,
        "GROUND_DISCONNECTION" => SymbolKind::EarthSwitch,
        "LINE" | "TIE_LINE" | "DANGLING_LINE" | "BOUNDARY_LINE" | "FEEDER" | "LOAD" => SymbolKind::Feeder,
        "GENERATOR" => SymbolKind::Generator,
        "CAPACITOR" => SymbolKind::Capacitor,
        "INDUCTOR" => SymbolKind::Reactor,
        "BATTERY" => SymbolKind::Battery,
        _ if is_transformer(word) => SymbolKind::Transformer,
        _ => return None,
    })
}

/// Whether a component type is a connection of a transformer. The transformer itself is another node with the same equipment.
pub(super) fn is_leg(word: &str) -> bool {
    word.ends_with("TRANSFORMER_LEG")
}

/// Whether a component type is a transformer as a whole.
pub(super) fn is_transformer(word: &str) -> bool {
    word.contains("TRANSFORMER") && !is_leg(word)
}

/// Whether a component type is a transformer with three windings.
pub(super) fn has_three_windings(word: &str) -> bool {
    word.starts_with("THREE_WINDINGS") && !is_leg(word)
}

/// Whether a component type is only a junction of wires.
pub(super) fn is_joint(word: &str) -> bool {
    matches!(word, "TEE_POINT" | "TEE_POINT_LEG" | "NODE" | "BUS_CONNECTION" | "BUSBREAKER_CONNECTION" | "BUSBAR_NODE" | "INTERNAL_NODE")
}
